"""Ed25519 under one strict rule set, the same everywhere (protocol section 1).

`cryptography` (OpenSSL) does the signing and the verification equation, and refuses S ≥ L and a non-canonical R by
comparing R's bytes. Ours on top, so that every library gives one answer: a public key is refused when its encoding is
non-canonical or its point of low order; a signature when R is; and, when a key joins, unless it is a point of the
prime-order group. Curve constants and formulas: RFC 8032 section 5.1.
"""

from dataclasses import dataclass
from typing import Final, NoReturn, final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from fairdeal.errors import KeyRefused, SignatureInvalid
from fairdeal.ids import parse_hex
from fairdeal.limits import KEY_BYTES, SIGNATURE_BYTES

_P: Final = 2**255 - 19
_L: Final = 2**252 + 27742317777372353535851937790883648493
_D: Final = -121665 * pow(121666, -1, _P) % _P
_SQRT_MINUS_1: Final = pow(2, (_P - 1) // 4, _P)
_SIGN: Final = 1 << 255

# The y of the eight points whose order divides the cofactor: order 1 is y = 1, order 2 is −1, order 4 is 0, order 8 is
# ±this. Three of them are short enough to be written a second time as y + p. Each may carry either sign bit.
_Y_ORDER_8: Final = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_LOW_ORDER: Final = frozenset(
    (y | sign).to_bytes(KEY_BYTES, "little")
    for y in (0, 1, _P - 1, _P, _P + 1, _Y_ORDER_8, _P - _Y_ORDER_8)
    for sign in (0, _SIGN)
)


class Redacted:
    """What holds a secret: shows its type and nothing else, and refuses to be pickled or copied."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} redacted>"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} is not to be written out")


@final
@dataclass(frozen=True, slots=True)
class PublicKey:
    """An Ed25519 public key that is canonically encoded and not of low order. Raises KeyRefused."""

    raw: bytes

    def __post_init__(self) -> None:
        if len(self.raw) != KEY_BYTES:
            raise KeyRefused(f"not {KEY_BYTES} bytes")
        if int.from_bytes(self.raw, "little") & ~_SIGN >= _P or self.raw in _LOW_ORDER:
            raise KeyRefused("non-canonical or low-order key")

    @classmethod
    def from_hex(cls, text: object) -> "PublicKey":
        """The key written by 64 lowercase hex digits. Raises Malformed, KeyRefused."""
        return cls(parse_hex(text, KEY_BYTES))

    @property
    def hex(self) -> str:
        """64 lowercase hex digits, as events write it."""
        return self.raw.hex()

    def verify(self, signature: bytes, message: bytes) -> None:
        """Raises SignatureInvalid unless this key signed exactly `message`."""
        if len(signature) != SIGNATURE_BYTES or signature[:KEY_BYTES] in _LOW_ORDER:
            raise SignatureInvalid("signature of another length or with a low-order R")
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, message)
        except InvalidSignature:
            raise SignatureInvalid("signature does not verify") from None


@final
class SigningKey(Redacted):
    """An Ed25519 private key."""

    __slots__ = ("_key", "public")

    public: PublicKey

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = PublicKey(key.public_key().public_bytes_raw())

    @classmethod
    def from_seed(cls, seed: bytes) -> "SigningKey":
        """The key that RFC 8032 derives from 32 secret random bytes. Raises KeyRefused for another length."""
        if len(seed) != KEY_BYTES:
            raise KeyRefused(f"not {KEY_BYTES} bytes")
        return cls(Ed25519PrivateKey.from_private_bytes(seed))

    @property
    def seed(self) -> bytes:
        """The 32 secret bytes, for the owner's own store alone."""
        return self._key.private_bytes_raw()

    def sign(self, message: bytes) -> bytes:
        """64 bytes, the same ones every time."""
        return self._key.sign(message)


def check_registered(key: PublicKey) -> None:
    """What is asked once, when a key joins: a point of the curve, of prime order L. Raises KeyRefused.

    With torsion in it a key would be judged differently by cofactored and cofactorless verifiers. About 1 ms.
    """
    point = _decompress(key.raw)
    product = _NEUTRAL
    for bit in f"{_L:b}":
        product = _add(product, product)
        if bit == "1":
            product = _add(product, point)
    x, y, z, _ = product
    if x % _P or (y - z) % _P:
        raise KeyRefused("key outside the prime-order group")


_Point = tuple[int, int, int, int]
"""Extended coordinates (X, Y, Z, T): x = X/Z, y = Y/Z, xy = T/Z."""
_NEUTRAL: Final[_Point] = (0, 1, 1, 0)


def _decompress(raw: bytes) -> _Point:
    encoded = int.from_bytes(raw, "little")
    y = encoded & ~_SIGN
    u, v = (y * y - 1) % _P, (_D * y * y + 1) % _P
    x = u * pow(v, 3, _P) * pow(u * pow(v, 7, _P), (_P - 5) // 8, _P) % _P
    if (v * x * x + u) % _P == 0:
        x = x * _SQRT_MINUS_1 % _P
    if (v * x * x - u) % _P:
        raise KeyRefused("key is not a point of the curve")
    if x & 1 != encoded >> 255:
        x = _P - x
    return x, y, 1, x * y % _P


def _add(first: _Point, second: _Point) -> _Point:
    x1, y1, z1, t1 = first
    x2, y2, z2, t2 = second
    a, b = (y1 - x1) * (y2 - x2) % _P, (y1 + x1) * (y2 + x2) % _P
    c, d = 2 * t1 * t2 * _D % _P, 2 * z1 * z2 % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P
