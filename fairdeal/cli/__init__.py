"""The command `fairdeal`: results on stdout, talk on stderr; exit code 0, 1 for a failure, 2 for wrong usage.

Each command imports what it needs when it runs, so that the small ones start fast.
"""

import errno
import sys
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from fairdeal import __version__
from fairdeal.cli import audit, db, ledger, rules, running
from fairdeal.cli import keys as operators_keys
from fairdeal.cli.arguments import Host, read_path
from fairdeal.cli.db import Database, DatabaseUrl
from fairdeal.cli.faults import told
from fairdeal.errors import FairdealError

EXIT_FAILED: Final = 1
_DISK: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What a file that is open already can be refused, of which no path is told."""

app = typer.Typer(
    name="fairdeal",
    help="Wagered belote whose dealing anybody can check afterwards.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(audit.app)
app.add_typer(db.app)
app.add_typer(ledger.app)
app.add_typer(rules.app)
app.add_typer(operators_keys.app)
app.add_typer(running.app)

_Game = Literal["duel", "classique", "coinche", "annonces"]


def main() -> None:
    """Run the command. Our own errors, and files that cannot be used, become one line on stderr, with a code."""
    try:
        app(prog_name="fairdeal")
    except FairdealError as error:
        print(*told(error), sep="\n", file=sys.stderr)
        sys.exit(EXIT_FAILED)
    except OSError as error:
        # Of a file or a directory that was named, or of a disk. What is neither is a fault of ours, and shown whole.
        named = error.filename2 or error.filename
        if named is None and error.errno not in _DISK:
            raise
        print(f"fairdeal: file_refused: {'' if named is None else f'{named}: '}{error.strerror}", file=sys.stderr)
        sys.exit(EXIT_FAILED)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"fairdeal {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


@app.command()
def demo(
    game: Annotated[_Game, typer.Option(help="What is played.")] = "duel",
    lang: Annotated[str, typer.Option(help="fr or en; the locale's by default.", show_default=False)] = "",
    folder: Annotated[
        Path,
        typer.Option(help="Where the match's files and the server's log go.", parser=read_path, metavar="PATH"),
    ] = Path("var/demo"),
) -> None:
    """Play a match on a fresh service, a staked duel if nothing else is named, and verify it.

    Starts the service on a free port and an empty database, lets a program for each seat play over HTTP, shows the
    deals, the score and the money, and runs fairdeal-verify on what the players took away. The last line begins with
    the verdict, and the exit code is the verifier's: 0 for verified.
    """
    from fairdeal.cli.demo import run_demo
    from fairdeal.cli.texts import find_language

    sys.exit(run_demo(folder, find_language(lang), game))


@app.command()
def serve(
    host: Host = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on.", min=1, max=65535)] = 8000,
    database: Database = None,
    database_url: DatabaseUrl = None,
    keys: operators_keys.Keys = None,
    workers: Annotated[
        int | None,
        typer.Option(
            help="Processes that serve; more than one on a PostgreSQL alone. [env: FAIRDEAL_WORKERS]",
            min=1,
            show_default="1",
        ),
    ] = None,
) -> None:
    """Run the service until it is stopped.

    All other settings are environment variables FAIRDEAL_…; in development missing keys are made, with a warning.
    """
    from fairdeal.cli.operator import serve_until_stopped

    serve_until_stopped(host, port, database, database_url, keys, workers)


@app.command()
def restore(database: Database = None, database_url: DatabaseUrl = None, keys: operators_keys.Keys = None) -> None:
    """Let a database that was put back go on, once the service is stopped.

    What the log's copy has and the database has not is appended. Every match that the database still has live ends
    void, with the stakes back: moves may be missing that its players hold receipts of.
    """
    from fairdeal.cli.operator import restore_database

    restore_database(database, database_url, keys)


@app.command()
def policy(keys: operators_keys.Keys = None) -> None:
    """Print the policy that lists this service's log keys, and the witnesses of FAIRDEAL_WITNESSES with their quorum.

    Give it to players and auditors over another way than the service itself. With it fairdeal-verify can say verified:
    where enough of the witnesses have cosigned, or with a player's own held file. It is also what each witness needs.
    """
    from fairdeal.cli.operator import log_policy

    typer.echo(log_policy(keys), nl=False)


@app.command()
def witness(
    name: Annotated[str, typer.Option(help="The witness's name, such as example.org/witness.")],
    logs: Annotated[
        Path,
        typer.Option(help="A policy file: its log lines are the logs to witness.", parser=read_path, metavar="PATH"),
    ],
    keys: Annotated[Path, typer.Option(help="The directory of witness.key.", parser=read_path, metavar="PATH")] = Path(
        "var/witness"
    ),
    database: Annotated[Path, typer.Option(help="The SQLite file.", parser=read_path, metavar="PATH")] = Path(
        "var/witness/witness.db"
    ),
    host: Host = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on.", min=1, max=65535)] = 8100,
) -> None:
    """Run a witness for other people's logs until it is stopped (C2SP tlog-witness).

    The first start makes its key and its database, which belong together for ever. The verifier key is the first line
    that it prints.
    """
    from fairdeal.cli.witness import witness_until_stopped

    witness_until_stopped(name, keys, database, logs, host, port)
