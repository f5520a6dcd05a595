"""`fairdeal audit`: what an auditor takes away and looks for, and what an operator asks under the auditor's eyes."""

import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from fairdeal import canonical
from fairdeal.cli.arguments import Kind, Month, Player, Reason, Url, read_path
from fairdeal.cli.running import role_api
from fairdeal.errors import Malformed

if TYPE_CHECKING:
    from fairdeal.app.records import MatchRecord
    from fairdeal.cli.mirror import Mirrored
    from fairdeal.client import Api

app = typer.Typer(
    name="audit",
    help="Take away what an audit reads; look for signs of collusion; ask whose a pseudonym is.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_MAX_RECORD_BYTES: Final = 1 << 16
"""Many times a record of four seats: a file that is none may have no line end at all."""
_TELL_S: Final = 1.0
_DAY_MS: Final = 86_400_000


@app.command()
def export(folder: Annotated[Path, typer.Argument(metavar="DIR", parser=read_path)], url: Url) -> None:
    """Mirror the log and everything beside it into a directory of plain files, for `fairdeal-verify audit`.

    The records of all matches and the significant events stand there too, as the service tells them at that time. Run
    again, it fetches what is new; broken off, it goes on. The auditor's token is FAIRDEAL_AUDITOR_TOKEN. The exit code
    is 1 when the service lacks a file that it owes.
    """
    from fairdeal.cli.mirror import mirror
    from fairdeal.tlog.text import encode_base64

    with role_api("auditor", url) as api:
        made = mirror(api, folder, _Progress())
    mebibytes = made.fetched_bytes / 2**20
    typer.echo(f"log        {made.checkpoint.origin}")
    typer.echo(f"checkpoint {made.checkpoint.size} leaves, root {encode_base64(made.checkpoint.root)}")
    typer.echo(f"matches    {made.closed} closed, {made.unclosed} not closed")
    typer.echo(f"files      {made.fetched} fetched ({mebibytes:.1f} MiB), {made.kept} were there")
    typer.echo(f"directory  {folder.resolve()}")
    for path in made.missing:
        typer.echo(f"missing    {path}")
    if made.missing:
        raise typer.Exit(1)


@app.command()
def identify(player: Player, reason: Reason, url: Url) -> None:
    """Say whose a pseudonym is. That it was asked is a significant event, which the auditor sees.

    The operator's token is FAIRDEAL_OPERATOR_TOKEN.
    """
    from fairdeal.cli.answers import Identity, read

    with role_api("operator", url) as api:
        told = read(Identity, api.identify(player, reason))
    for label, fact in (("account", told.account), ("name", told.name), ("match", told.m), ("seat", told.seat)):
        typer.echo(f"{label:8} {fact}")


@app.command()
def matches(url: Url, month: Month = None) -> None:
    """Write the record of every match, a JSON object a line, the last one opened first.

    Terms, seats with their accounts, times, the money with balances before and after, how it ended. The auditor's token
    is FAIRDEAL_AUDITOR_TOKEN.
    """

    span = None if month is None else _month_span(month)
    with role_api("auditor", url) as api:
        for record in _records(api, span):
            typer.echo(canonical.encode(record))


@app.command()
def events(url: Url, kind: Kind = None) -> None:
    """Write the significant events, a JSON object a line, newest first.

    What was done to players and money, what the proofs of the books found, what changed in the service. The auditor's
    token is FAIRDEAL_AUDITOR_TOKEN.
    """
    from fairdeal.client import every

    with role_api("auditor", url) as api:
        for event in every(lambda cursor: api.significant_events(cursor, kind), "events"):
            typer.echo(canonical.encode(event))


@app.command()
def signs(
    records: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="`records.jsonl` of an export, or what `fairdeal audit matches` wrote.",
            parser=read_path,
        ),
    ],
) -> None:
    """Look for signs of collusion in the records of matches, a JSON object a line. Signs are no proofs.

    The same pair again and again, losses that flow one way, matches of a pair that nobody finishes: docs/ledger.md has
    what counts as one. How many there are is told on stderr.
    """
    from fairdeal.app.signs import find_signs

    read = list(_read_records(records))
    found = find_signs(read)
    for sign in found:
        typer.echo(canonical.encode(asdict(sign)))
    typer.echo(f"matches read: {len(read)}, signs found: {len(found)}", err=True)


def _records(api: "Api", span: tuple[int, int] | None) -> Iterator[dict[str, Any]]:
    """Those opened in the span. Times may go back a little, so that one reads on for a day beyond it."""
    from fairdeal.cli.answers import Opened, read
    from fairdeal.client import every

    for record in every(api.match_records, "matches"):
        opened_at = read(Opened, record).opened_at
        if span is not None and opened_at < span[0] - _DAY_MS:
            return
        if span is None or span[0] <= opened_at < span[1]:
            yield record


def _read_records(path: Path) -> "Iterator[MatchRecord]":
    from pydantic import TypeAdapter, ValidationError

    from fairdeal.app.records import MatchRecord

    record: TypeAdapter[MatchRecord] = TypeAdapter(MatchRecord)
    with path.open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(_MAX_RECORD_BYTES), b""), 1):
            try:
                yield record.validate_json(line, strict=True)
            except ValidationError:
                raise Malformed(f"{path}, line {number}: not the record of a match") from None


def _month_span(month: str) -> tuple[int, int]:
    from fairdeal.app.history_ports import month_span

    return month_span(int(month[:4]), int(month[5:]))


class _Progress:
    """A line on stderr every second."""

    def __init__(self) -> None:
        self._next = time.monotonic() + _TELL_S

    def __call__(self, made: "Mirrored", path: str) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _TELL_S
            typer.echo(f"{made.fetched} files, {made.fetched_bytes >> 20} MiB: {path}", err=True)
