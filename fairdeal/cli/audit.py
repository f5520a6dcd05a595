"""`fairdeal audit`: what an auditor takes away, and what an operator asks under the auditor's eyes."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from fairdeal.errors import Unauthenticated

if TYPE_CHECKING:
    from pydantic import SecretStr

    from fairdeal.cli.mirror import Mirrored

app = typer.Typer(
    name="audit",
    help="Take away what an audit reads; ask whose a pseudonym is.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_Url = Annotated[str, typer.Option(help="The service: scheme, host and port.")]
_TELL_S: Final = 1.0


@app.command()
def export(folder: Annotated[Path, typer.Argument(metavar="DIR")], url: _Url) -> None:
    """Mirror the log and everything beside it into a directory of plain files, for `fairdeal-verify audit`.

    Run again, it fetches what is new; broken off, it goes on. The auditor's token is FAIRDEAL_AUDITOR_TOKEN. The exit
    code is 1 when the service lacks a file that it owes.
    """
    from fairdeal.cli.mirror import mirror
    from fairdeal.cli.operator import read_settings
    from fairdeal.client import Api
    from fairdeal.tlog.text import encode_base64

    with Api(url, _token("FAIRDEAL_AUDITOR_TOKEN", read_settings().auditor_token)) as api:
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
def identify(
    player: Annotated[str, typer.Argument(help="A pseudonym, 32 hex digits.")],
    reason: Annotated[str, typer.Option(help="Why you ask; kept for the auditor, for ever.")],
    url: _Url,
) -> None:
    """Say whose a pseudonym is. That it was asked is a significant event, which the auditor sees.

    The operator's token is FAIRDEAL_OPERATOR_TOKEN.
    """
    from fairdeal.cli.operator import read_settings
    from fairdeal.client import Api

    with Api(url, _token("FAIRDEAL_OPERATOR_TOKEN", read_settings().operator_token)) as api:
        told = api.identify(player, reason)
    for label, member in (("account", "account"), ("name", "name"), ("match", "m"), ("seat", "seat")):
        typer.echo(f"{label:8} {told.get(member)}")


class _Progress:
    """A line on stderr every second."""

    def __init__(self) -> None:
        self._next = time.monotonic() + _TELL_S

    def __call__(self, made: "Mirrored", path: str) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _TELL_S
            typer.echo(f"{made.fetched} files, {made.fetched_bytes >> 20} MiB: {path}", err=True)


def _token(variable: str, token: "SecretStr | None") -> str:
    if token is None:
        raise Unauthenticated(f"the token goes into {variable}")
    return token.get_secret_value()
