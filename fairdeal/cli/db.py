"""`fairdeal db`: the schema of the service's database."""

from pathlib import Path
from typing import Annotated

import typer

from fairdeal.cli.arguments import read_path

app = typer.Typer(name="db", help="The database's schema.", no_args_is_help=True, rich_markup_mode=None)

Database = Annotated[
    Path | None,
    typer.Option(
        help="The SQLite file. [env: FAIRDEAL_DATABASE]", parser=read_path, metavar="PATH", show_default=False
    ),
]
DatabaseUrl = Annotated[
    str | None,
    typer.Option(
        help="A PostgreSQL in its place; a password is better in the variable. [env: FAIRDEAL_DATABASE_URL]",
        metavar="URL",
        show_default=False,
    ),
]


@app.callback()
def _db() -> None:
    """So that a single command keeps its name."""


@app.command("upgrade")
def upgrade_schema(database: Database = None, database_url: DatabaseUrl = None) -> None:
    """Make the schema in an empty PostgreSQL, or bring an older database to this program's version.

    All of it happens or nothing. Stop the service and back the database up before; a service refuses to start on a
    schema of another version.
    """
    from fairdeal.cli.operator import read_settings
    from fairdeal.store import check_file
    from fairdeal.store.upgrade import upgrade

    settings = read_settings(database=database, database_url=database_url)
    if settings.database_url is None:
        check_file(settings.database, made=False)
    before, after = upgrade(settings.place())
    typer.echo(f"schema version {after}, " + {None: "new", after: "as before"}.get(before, f"before {before}"))
