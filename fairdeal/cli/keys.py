"""`fairdeal keys`: makes, lists and replaces the operator's keys. A secret is never printed."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from fairdeal.cli.arguments import read_path

if TYPE_CHECKING:
    from fairdeal.tlog import VerifierKey

app = typer.Typer(
    name="keys",
    help="Make, list and replace the keys of the service.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Keys = Annotated[
    Path | None,
    typer.Option(
        help="The directory of the keys. [env: FAIRDEAL_KEYS]", parser=read_path, metavar="PATH", show_default=False
    ),
]
_Name = Literal["log", "receipts", "sealing"]
_NAMES: Final[tuple[_Name, ...]] = ("log", "receipts", "sealing")
_NEXT: Final = {
    "log": "the log goes on under the new key, and says so in a leaf signed by both. Then give out `fairdeal policy`"
    " anew, and keep the old file: the policy lists it for the checkpoints of its time",
    "receipts": "new tables open with the new key, and the log says so in a leaf signed by both. Keep the old file:"
    " matches that opened with it are signed by it to their end and beyond",
    "sealing": "new seeds are sealed under the new key. Keep the old file: earlier seeds open with it alone",
}


@app.command()
def make(keys: Keys = None) -> None:
    """Write the keys that are missing: log.key, receipts.key and sealing.key. None is ever overwritten."""
    from fairdeal.cli.operator import read_settings
    from fairdeal.keyfiles import write_key

    settings = read_settings(keys=keys)
    for name in _NAMES:
        path = settings.keys / f"{name}.key"
        if path.exists():
            typer.echo(f"{path} is there already", err=True)
        else:
            write_key(path, _fresh())
            typer.echo(f"{path} made", err=True)


@app.command("list")
def list_keys(keys: Keys = None) -> None:
    """Print every key, with those that were replaced: verifier keys, and of a sealing key its fingerprint alone."""
    from fairdeal.cli.operator import read_settings
    from fairdeal.keyfiles import read_keys
    from fairdeal.limits import KEY_BYTES

    settings = read_settings(keys=keys)
    for name in _NAMES:
        for number, key in enumerate(read_keys(settings.keys / f"{name}.key", KEY_BYTES)):
            verifier_key = _verifier_key(name, settings.log, key)
            shown = verifier_key.format() if verifier_key else _fingerprint(name, settings.log, key)
            typer.echo(f"{name:8} {'retired' if number else 'in use ':7} {shown}")


@app.command()
def rotate(name: Annotated[_Name, typer.Argument(help="The key to replace.")], keys: Keys = None) -> None:
    """Make a new key in the place of one in use, which stays beside it under its own name.

    The service takes the new key at its next start. After a crash on the way, run it again.
    """
    from fairdeal.cli.operator import read_settings
    from fairdeal.errors import KeyRefused
    from fairdeal.keyfiles import read_key, replace_key
    from fairdeal.limits import KEY_BYTES

    settings = read_settings(keys=keys)
    path = settings.keys / f"{name}.key"
    old = read_key(path, KEY_BYTES)
    try:
        retired = replace_key(path, _fresh(), _fingerprint(name, settings.log, old))
    except FileExistsError:
        raise KeyRefused(f"another file has the name that {path} would be kept under; nothing was changed") from None
    typer.echo(f"{path} is new; the key before it is {retired}")
    typer.echo(f"At the next start of the service {_NEXT[name]}.", err=True)


def _fresh() -> bytes:
    import secrets

    from fairdeal.limits import KEY_BYTES

    return secrets.token_bytes(KEY_BYTES)


def _verifier_key(name: _Name, log: str, key: bytes) -> "VerifierKey | None":
    """What is public of a key that signs; None for the sealing key."""
    from fairdeal.keys import SigningKey
    from fairdeal.match import receipt_name
    from fairdeal.tlog import VerifierKey

    if name == "sealing":
        return None
    return VerifierKey(log if name == "log" else receipt_name(log), SigningKey.from_seed(key).public)


def _fingerprint(name: _Name, log: str, key: bytes) -> str:
    """8 hex digits that tell a key from others: its id in signed notes, or of a sealing key a piece of a hash."""
    from fairdeal.commit import Custody

    verifier_key = _verifier_key(name, log, key)
    return verifier_key.key_id.hex() if verifier_key else Custody(key).fingerprint
