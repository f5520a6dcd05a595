"""Password hashes: argon2id with the parameters OWASP names (m = 19 MiB, t = 2, p = 1); some 40 ms of one core each."""

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

_hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


def hash_password(password: str) -> str:
    """A salted hash that names its parameters. Slow on purpose: never on the event loop."""
    return _hasher.hash(password)


def password_matches(password_hash: str, password: str) -> bool:
    """Whether `password` made that hash. As slow as making one."""
    try:
        return _hasher.verify(password_hash, password)
    except (VerificationError, InvalidHashError):
        return False
