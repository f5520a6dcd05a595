"""`fairdeal ledger`: the money journal for accountants' programs, and the proof of the books."""

import errno
import os
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Annotated, Final

import typer

from fairdeal.cli.arguments import read_path
from fairdeal.cli.bookkeeping import Program, convert
from fairdeal.cli.db import Database, DatabaseUrl
from fairdeal.errors import FairdealError, Malformed
from fairdeal.ledger import Transaction
from fairdeal.limits import MAX_EVENT_BYTES, MAX_EXPONENT
from fairdeal.match.events import Event
from fairdeal.match.terms import Terms

app = typer.Typer(
    name="ledger",
    help="Write the money journal for accountants; prove the books.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_PARTIAL: Final = ".partial"


@app.command("convert")
def convert_journal(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="What `fairdeal audit export` wrote.", parser=read_path)
    ],
    to: Annotated[Program, typer.Option(help="csv, beancount or hledger.")],
    out: Annotated[Path, typer.Option(help="The file to write.", parser=read_path, metavar="PATH")],
    exponent: Annotated[
        list[str] | None,
        typer.Option(metavar="CODE=N", help="The decimals of an asset that no match in DIR is played for."),
    ] = None,
) -> None:
    """Write the journal of an exported directory as CSV, or as the books of beancount or hledger.

    The journal itself is `ledger/*.jsonl`, in its exact bytes. Nothing is judged here: `fairdeal-verify audit` does.
    """
    if out.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(out))
    exponents = Exponents(folder, exponent or [])
    partial = out.with_name(out.name + _PARTIAL)
    try:
        with partial.open("w", encoding="utf-8", newline="") as file:
            file.writelines(convert(read_journal(folder), exponents, to))
        partial.replace(out)
    finally:
        partial.unlink(missing_ok=True)
    typer.echo(f"written {out}")


@app.command()
def check(database: Database = None, database_url: DatabaseUrl = None) -> None:
    """Prove the books of a stopped service, as the running one does every night.

    Every transaction is read again: balances, holds, pots, what each match paid, and the journal's root in the log. The
    exit code is 1 when something differs; the first difference is on stderr.
    """
    from fairdeal.cli.operator import prove_books

    made = prove_books(database, database_url)
    typer.echo(f"transactions {made.transactions}, root {made.root.hex()}")
    typer.echo(f"matches      {made.matches} ended")
    if made.fault is not None:
        typer.echo(f"the books do not hold: {made.fault}", err=True)
        raise typer.Exit(1)
    typer.echo("the books hold")


class Exponents(dict[str, int]):
    """The decimals of each asset: those `given` as `CODE=N`, else what the first match in the directory that is played
    for it says. Raises Malformed, when looked up, for an asset that neither tells.
    """

    def __init__(self, folder: Path, given: list[str]) -> None:
        super().__init__(map(_read_exponent, given))
        self._folder = folder

    def __missing__(self, asset: str) -> int:
        for path in sorted(self._folder.glob("matches/*.jsonl")):
            with path.open("rb") as file:
                found = Terms.parse(Event.parse(file.readline(MAX_EVENT_BYTES + 1).removesuffix(b"\n")).data).asset
            if found.code == asset:
                self[asset] = found.exponent
                return found.exponent
        raise Malformed(f"no match in {self._folder} is played for {asset}: say its decimals with --exponent {asset}=N")


def read_journal(folder: Path) -> Iterator[Transaction]:
    """The transactions of a finished export, in their order. Raises Malformed, naming file and line."""
    pages = [
        folder / f"ledger/{number}.jsonl" for number, _ in zip(count(), folder.glob("ledger/*.jsonl"), strict=False)
    ]
    if not (folder / "checkpoint").exists() or not pages:
        raise Malformed(f"{folder} is not what a finished `fairdeal audit export` leaves")
    for path in pages:
        if not path.exists():
            raise Malformed(f"{path} is missing")
        with path.open("rb") as file:
            for number in count(1):
                line = file.readline(MAX_EVENT_BYTES + 2)
                if not line:
                    break
                yield _parse(line, path, number)


def _parse(line: bytes, path: Path, number: int) -> Transaction:
    try:
        if not line.endswith(b"\n"):
            raise Malformed("no line end")
        return Transaction.parse(line[:-1])
    except FairdealError as error:
        raise Malformed(f"{path}, line {number}: {error.message}") from None


def _read_exponent(text: str) -> tuple[str, int]:
    code, _, decimals = text.partition("=")
    if re.fullmatch("[0-9]{1,2}", decimals) is None or int(decimals) > MAX_EXPONENT:
        raise Malformed(f"an exponent is given as CODE=N, N from 0 to {MAX_EXPONENT}")
    return code, int(decimals)
