"""Ed25519 with the one rule set of protocol 1.3, by OpenSSL where `cryptography` can be imported, else in Python.

The curve is -x^2 + y^2 = 1 + d x^2 y^2 over the integers mod P (RFC 8032, section 5.1). Nothing here is secret, so
nothing is constant-time.
"""

from collections.abc import Callable
from hashlib import sha512

from fairdeal_verifier.errors import KeyRefused, SignatureRefused

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

    HAVE_OPENSSL = True
except ImportError:  # the same answers, more slowly
    HAVE_OPENSSL = False

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
SQRT_MINUS_1 = pow(2, (P - 1) // 4, P)
SIGN_BIT = 1 << 255

LOW_ORDER = frozenset(
    bytes.fromhex(body + last)
    for body, ends in {
        "00" * 31: "00 80",
        "01" + "00" * 30: "00 80",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc": "05 85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03": "7a fa",
        "ec" + "ff" * 30: "7f ff",
        "ed" + "ff" * 30: "7f ff",
        "ee" + "ff" * 30: "7f ff",
    }.items()
    for last in ends.split()
)
"""The 14 encodings of protocol 1.4: neither a key nor R may be one of them."""

Point = tuple[int, int, int, int]
"""Extended coordinates X, Y, Z, T: x = X/Z, y = Y/Z, xy = T/Z."""
IDENTITY: Point = (0, 1, 1, 0)


def _add(p: Point, q: Point) -> Point:
    """RFC 8032, section 5.1.4; complete, so it doubles as well."""
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _multiply(scalar: int, point: Point) -> Point:
    result = IDENTITY
    for bit in bin(scalar)[2:]:
        result = _add(result, result)
        if bit == "1":
            result = _add(result, point)
    return result


def _decode(encoded: bytes) -> Point:
    """RFC 8032, section 5.1.3, canonical encodings only; raises KeyRefused."""
    number = int.from_bytes(encoded, "little")
    y, sign = number & (SIGN_BIT - 1), number >> 255
    if y >= P:
        raise KeyRefused("y is not reduced")
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * SQRT_MINUS_1 % P
        if (x * x - square) % P:
            raise KeyRefused("not on the curve")
    if x == 0 and sign:
        raise KeyRefused("minus zero")
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


def _encode(point: Point) -> bytes:
    inverse = pow(point[2], -1, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


BASE = _decode(bytes.fromhex("58" + "66" * 31))


class PublicKey:
    """A key that keeps rule 1; raises KeyRefused otherwise. Checks signatures in Python alone."""

    __slots__ = ("_point", "raw")

    def __init__(self, raw: bytes) -> None:
        if len(raw) != 32 or raw in LOW_ORDER:
            raise KeyRefused("low order")
        self.raw = raw
        self._point = _decode(raw)

    def check_torsion_free(self) -> None:
        """Rule 4: [L]A is the identity; raises KeyRefused."""
        x, y, z, _ = _multiply(L, self._point)
        if x != 0 or y != z:
            raise KeyRefused("torsion")

    def check(self, signature: bytes, message: bytes) -> None:
        """Rules 2 and 3; raises SignatureRefused."""
        if len(signature) != 64 or signature[:32] in LOW_ORDER:
            raise SignatureRefused("R")
        if int.from_bytes(signature[32:], "little") >= L:
            raise SignatureRefused("S")
        self._check_equation(signature, message)

    def _check_equation(self, signature: bytes, message: bytes) -> None:
        h = int.from_bytes(sha512(signature[:32] + self.raw + message).digest(), "little") % L
        x, y, z, t = _multiply(h, self._point)
        minus_ha = (P - x, y, z, P - t)
        sb = _multiply(int.from_bytes(signature[32:], "little"), BASE)
        if _encode(_add(sb, minus_ha)) != signature[:32]:
            raise SignatureRefused("equation")


class OpenSslPublicKey(PublicKey):
    """The same key and the same rules; the arithmetic of rules 3 and 4 is OpenSSL's."""

    __slots__ = ("_key",)

    def __init__(self, raw: bytes) -> None:
        super().__init__(raw)
        self._key = Ed25519PublicKey.from_public_bytes(raw)

    def check_torsion_free(self) -> None:
        """Rule 4 by one X25519 call.

        5L - 1 is a multiple of 8 and -1 mod L, and X25519 takes it as a scalar unchanged. It sends A = A' + T, with A'
        of order L and T of order 1, 2, 4 or 8, to -A', which has the u-coordinate of A only if T is the identity.
        """
        y = self._point[1]
        u = ((1 + y) * pow(1 - y, -1, P) % P).to_bytes(32, "little")
        scalar = X25519PrivateKey.from_private_bytes((5 * L - 1).to_bytes(32, "little"))
        if scalar.exchange(X25519PublicKey.from_public_bytes(u)) != u:
            raise KeyRefused("torsion")

    def _check_equation(self, signature: bytes, message: bytes) -> None:
        try:
            self._key.verify(signature, message)
        except InvalidSignature:
            raise SignatureRefused("equation") from None


public_key: Callable[[bytes], PublicKey] = OpenSslPublicKey if HAVE_OPENSSL else PublicKey
"""Makes a key from its 32 bytes; raises KeyRefused (rule 1)."""
