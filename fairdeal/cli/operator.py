"""What an operator runs: the service, and the policy to give out."""

import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from pydantic import ValidationError
from pydantic_settings import SettingsError

from fairdeal.errors import Malformed, StoreFailed
from fairdeal.keyfiles import LOG_KEY, read_keys
from fairdeal.keys import SigningKey
from fairdeal.limits import KEY_BYTES
from fairdeal.settings import Settings
from fairdeal.tlog import VerifierKey, format_policy

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from fairdeal.app.proof import Proof


def serve_until_stopped(
    host: str,
    port: int,
    database: Path | None,
    database_url: str | None,
    keys: Path | None,
    workers: int | None,
) -> None:
    """Run the service. Raises AddressRefused, KeyRefused, DatabaseLocked, SchemaMismatch, StoreFailed; Malformed for
    settings.
    """
    from fairdeal.store import check_file

    settings = read_settings(database=database, database_url=database_url, keys=keys, workers=workers)
    if settings.database_url is None:
        check_directory(settings.database, Settings.model_fields["database"].default)
        check_file(settings.database, made=True)  # before keys are made for it
    # The composition root stands above this layer: it is named here, not imported.
    import_module("fairdeal.main").run(settings, host, port)


def check_directory(database: Path, usual: Path) -> None:
    """That the directory of a database that is made when it is not there is there: of a path that was mistyped it is
    not. The usual one is made. Raises StoreFailed.
    """
    if database != usual and not database.parent.is_dir():
        raise StoreFailed(f"there is no directory {database.parent}: mend the database's path, or make it")


def restore_database(database: Path | None, database_url: str | None, keys: Path | None) -> None:
    """Make a database that was put back go on with the log's copy, and say what was done: the matches that ended as
    lost on stdout, on stderr those that are left to the operator. Raises as `serve_until_stopped`, and LogBehind.
    """
    settings = read_settings(database=database, database_url=database_url, keys=keys)
    done = import_module("fairdeal.main").restore_database(settings)
    typer.echo(
        f"leaves that came back into the log: {done.leaves}; matches that ended as lost, stakes back: {len(done.lost)}"
    )
    for m in done.lost:
        typer.echo(m)
    for leaf in done.closed_before:
        how = " ".join([leaf["outcome"], *([leaf["cause"]] if "cause" in leaf else [])])
        typer.echo(f"{leaf['m']}: the log closed it before ({how}); its stakes are back, settle it by hand", err=True)


def prove_books(database: Path | None, database_url: str | None) -> "Proof":
    """What `fairdeal.app.proof.prove` says of it. Raises DatabaseLocked, SchemaMismatch, StoreFailed; Malformed."""
    made: Proof = import_module("fairdeal.main").prove_books(
        read_settings(database=database, database_url=database_url)
    )
    return made


def log_policy(keys: Path | None) -> str:
    """The policy of the log keys in that directory, under the log's name, with the witnesses of the settings.

    Raises KeyRefused, Malformed.
    """
    settings = read_settings(keys=keys)
    signing = map(SigningKey.from_seed, read_keys(settings.keys / LOG_KEY, KEY_BYTES))
    return format_policy((VerifierKey(settings.log, key.public) for key in signing), settings.read_witnesses())


def read_settings(**given: Path | str | int | None) -> Settings:
    """The settings, those given in place of the environment's. Raises Malformed."""
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    try:
        return Settings(**chosen)
    except ValidationError as error:
        raise Malformed(f"settings: {'; '.join(map(_fault, error.errors()))}") from None
    except SettingsError as error:
        raise Malformed(f"settings: {_unreadable(error)}") from None


def _unreadable(error: SettingsError) -> str:
    """The variable that is no JSON, and its form. What stands in it may be secret."""
    (name,) = re.findall(r'field "(\w+)"', str(error))
    forms = Settings.model_fields[name].examples or ()
    return f"FAIRDEAL_{name.upper()} is to be JSON, such as {' or '.join(forms)}"


def _fault(fault: "ErrorDetails") -> str:
    """The setting's variable and what is wrong with it; what is wrong with several together says so itself."""
    why = fault["msg"].removeprefix("Value error, ")
    return f"FAIRDEAL_{'__'.join(map(str, fault['loc'])).upper()}: {why}" if fault["loc"] else why
