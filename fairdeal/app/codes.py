"""Codes that people read out and type in: of private tables and partners, and for getting an account back."""

from typing import Final

from fairdeal.app.house import Entropy

LETTERS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's 32: none is mistaken for another when read aloud. Each is five bits."""


def new_code(entropy: Entropy, length: int) -> str:
    """So many letters, all as likely as each other."""
    return "".join(LETTERS[byte % len(LETTERS)] for byte in entropy.take(length))


def spelled(code: str) -> str:
    """A code as it is kept: people type small letters, spaces and dashes, and O, I, L for the digits."""
    kept = code.upper().replace(" ", "").replace("-", "")
    return kept.translate(str.maketrans("OIL", "011"))
