"""What commands about a running service are given, held to its one form before anybody is called.

A test compares the forms with those of the API's description.
"""

import re
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from fairdeal.app.ports import SignificantKind
from fairdeal.ids import ASSET_CODE
from fairdeal.limits import MAX_STAKE

ID: Final = "[0-9a-f]{32}"
TRANSACTION: Final = f"(deposit|withdrawn):{ID}"
REFERENCE: Final = "[A-Za-z0-9._-]{8,64}"
REASON: Final = r"[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*"
REASON_LENGTH: Final = 500
MONTH: Final = "2[0-9]{3}-(0[1-9]|1[0-2])"
_LABEL: Final = "[A-Za-z0-9_-]{1,63}"
URL: Final = (
    rf"https?://(\[(?P<ipv6>[0-9A-Fa-f:.]+)\]|(?P<ipv4>[0-9.]+)|{_LABEL}(\.{_LABEL})*)(:(?P<port>[0-9]{{1,5}}))?/?"
)
EVERYBODY: Final = "everybody"

_LAST_PORT: Final = 65_535
_AMOUNT_DIGITS: Final = len(str(MAX_STAKE)) + 1
"""Of more digits these are over the most already."""
_HEX: Final = "32 digits, 0 to 9 and a to f"


def _form(pattern: str, what: str) -> Callable[[str | None], str | None]:
    """A check of what was given, if it was. It raises typer.BadParameter, which names the argument by itself."""

    def check(text: str | None) -> str | None:
        if text is not None and re.fullmatch(pattern, text) is None:
            raise typer.BadParameter(f"{text!r} is not {what}")
        return text

    return check


def _id(metavar: str, described: str, what: str) -> Any:
    """An argument that is an id."""
    return typer.Argument(metavar=metavar, help=f"{described}, 32 hex digits.", callback=_form(ID, f"{what}: {_HEX}"))


def _check_reason(text: str) -> str:
    whole = text.encode(errors="replace").decode() == text
    if not whole or len(text) > REASON_LENGTH or re.fullmatch(REASON, text) is None:
        raise typer.BadParameter(f"a reason is one line of 1 to {REASON_LENGTH} characters, in UTF-8")
    return text


def _read_amount(text: str) -> int:
    """The one way to write it that there is in JSON too: who means 5.00 and gives 5 would be wrong by a hundred."""
    if re.fullmatch("[1-9][0-9]*", text) is None or int(text[:_AMOUNT_DIGITS]) > MAX_STAKE:
        raise typer.BadParameter(f"{text!r} is not a number of the asset's smallest unit, 1 to {MAX_STAKE}")
    return int(text)


def read_path(text: str | Path) -> Path:
    """For a parameter of typer's. An empty text is what a variable gives that is not set, and names the working
    directory.
    """
    if not str(text).strip():
        raise typer.BadParameter("an empty path")
    return Path(text)


def _check_url(text: str) -> str:
    found = re.fullmatch(URL, text)
    try:
        if found is not None and found["ipv6"] is not None:
            IPv6Address(found["ipv6"])
        if found is not None and found["ipv4"] is not None:
            IPv4Address(found["ipv4"])
    except ValueError:
        found = None
    if found is None or not 1 <= int(found["port"] or 1) <= _LAST_PORT:
        raise typer.BadParameter(f"{text!r} is not the service's address, such as https://play.example")
    return text


def _check_host(text: str) -> str:
    if not text.strip():
        raise typer.BadParameter("an empty host would be every address of this machine; 0.0.0.0 or :: says so")
    return text


Host = Annotated[str, typer.Option(help="The address to listen on.", callback=_check_host)]
Url = Annotated[
    str,
    typer.Option(
        help="The service: scheme, host and, where it is not the usual one, port, such as https://play.example.",
        callback=_check_url,
    ),
]
Account = Annotated[str, _id("ACCOUNT", "The account's id", "an account's id")]
Withdrawal = Annotated[str, _id("WITHDRAWAL", "The withdrawal's id", "a withdrawal's id")]
Match = Annotated[str, _id("MATCH", "The match's id", "a match's id")]
Player = Annotated[str, _id("PLAYER", "A pseudonym", "a pseudonym")]
Who = Annotated[
    str,
    typer.Argument(
        metavar="WHO",
        help=f"An account's id, or `{EVERYBODY}`.",
        callback=_form(f"{EVERYBODY}|{ID}", f"an account's id ({_HEX}), nor `{EVERYBODY}`"),
    ),
]
TransactionId = Annotated[
    str,
    typer.Argument(
        metavar="TRANSACTION",
        help="deposit:… as it was answered, or withdrawn: and a withdrawal's id.",
        callback=_form(TRANSACTION, f"`deposit:` or `withdrawn:` and an id: {_HEX}"),
    ),
]
Amount = Annotated[
    int,
    typer.Argument(
        metavar="AMOUNT", help="In the asset's smallest unit, digits alone: 500 is 5.00 EUR.", parser=_read_amount
    ),
]
Reference = Annotated[
    str,
    typer.Option(
        help="Of this payment alone, 8 to 64 letters, digits, `.`, `_`, `-`: said again, it does no more.",
        callback=_form(REFERENCE, "8 to 64 letters, digits, `.`, `_`, `-`"),
    ),
]
Asset = Annotated[
    str | None,
    typer.Option(
        help="What it is counted in.",
        show_default="the usual one",
        callback=_form(ASSET_CODE, "the code of an asset, such as JETON"),
    ),
]
Reason = Annotated[str, typer.Option(help="Why; kept for the auditor, for ever.", callback=_check_reason)]
Kind = Annotated[SignificantKind | None, typer.Option(help="Only those of one kind.")]
Month = Annotated[
    str | None,
    typer.Option(
        help="Only what was opened in a month, UTC, such as 2026-11.",
        callback=_form(MONTH, "a month, such as 2026-11"),
    ),
]
