"""Accounts, logins and money."""

import re
import unicodedata
from typing import Annotated, Final, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field

from fairdeal.api.schemas.base import Amount, Hex16, Kind, Model, Ms, Reason

_LETTERS: Final = "A-Za-zÀ-ÖØ-öø-ÿŒœŸ0-9"
_NAME: Final = re.compile(f"[{_LETTERS}][{_LETTERS}._-]{{0,31}}")


def _composed(value: object) -> object:
    """Letter and accent as one character, as most keyboards send it: what looks the same is the same."""
    return unicodedata.normalize("NFC", value) if isinstance(value, str) else value


def _check_name(value: str) -> str:
    # No other letters: in a closed set of one script nothing can be taken for something else, hidden or turned round.
    if not _NAME.fullmatch(value):
        raise ValueError(
            "a name has 1 to 32 letters (A to Z, accents of western Europe), digits, . _ -, first no . _ -"
        )
    return value


Name: TypeAlias = Annotated[
    str,
    BeforeValidator(_composed),
    AfterValidator(_check_name),
    Field(json_schema_extra={"pattern": f"^{_NAME.pattern}$"}, examples=["Zoé"]),
]
NewPassword: TypeAlias = Annotated[str, Field(min_length=8, max_length=128, examples=["correct horse battery"])]


GivenName: TypeAlias = Annotated[str, Field(max_length=64, examples=["Zoé"]), BeforeValidator(_composed)]
Password: TypeAlias = Annotated[str, Field(max_length=128, examples=["correct horse battery"])]


class SignUp(Model):
    """A new account. Only the operator may say `kind` "bot"."""

    name: Name
    password: NewPassword
    kind: Kind = "player"


class AccountOut(Model):
    """An account, as its owner sees it. `id` is what a deposit names; it is never shown to others."""

    id: Hex16
    name: str
    kind: Kind


class NewAccountOut(AccountOut):
    """A new account, with its recovery code, which is shown this once: for who forgets the password."""

    recovery_code: str


class RenewIn(Model):
    """The password again: a login alone makes no code."""

    password: Password


class RecoverIn(Model):
    """The recovery code, in capitals or not, with its dashes or without; and the new password."""

    name: GivenName
    code: Annotated[str, Field(max_length=64, examples=["0G5SM-8XJQ4-T2CWV-9NRKA-7YEBD"])]
    password: NewPassword


class ReasonIn(Model):
    """Why the operator resets or erases the account. It is kept for the auditor, for ever: name nobody in it."""

    reason: Reason


class RecoveryOut(Model):
    """The recovery code from now on, which is shown this once; the one before is worth nothing."""

    recovery_code: str


class LogIn(Model):
    """With `cookie`, the token is set as a cookie that scripts cannot read, and is not in the answer."""

    name: GivenName
    password: Password
    cookie: bool = False


class SessionOut(Model):
    """A login. `token` goes into `Authorization: Bearer …`."""

    token: str | None
    expires_at: Ms
    account: AccountOut


class WalletOut(Model):
    """Free money, what is held at tables that have no pot yet, and what is in withdrawals that have not ended."""

    asset: str
    exponent: int
    cash: Amount
    held: Amount
    pending: Amount


class WalletsOut(Model):
    """One of each asset that the house plays for, the usual one first."""

    wallets: list[WalletOut]


class WalletLineOut(Model):
    """One movement of the free money, with the balance before and after it."""

    transaction: str
    kind: str
    amount: Amount
    balance_before: Amount
    balance: Amount
    m: Hex16 | None
    at: Ms


class WalletPage(Model):
    """Newest first. `cursor` asks for the next page; null on the last one."""

    lines: list[WalletLineOut]
    cursor: str | None
