"""The guards as triggers: `sqlite` and `postgresql` each make them, find them in a database, and take them away."""

from collections.abc import Iterator

from sqlalchemy import Connection, Table, text

from fairdeal.errors import SchemaMismatch
from fairdeal.store.guards import AGAINST_REPLACE, APPEND_ONLY, GUARDS, NEVER_EMPTIED, Guard


def remove(connection: Connection) -> None:
    """Takes every trigger away: a migration finds tables alone, and need not know which guards change with it."""
    postgresql = connection.dialect.name == "postgresql"
    for name in _found(connection):
        connection.execute(text(f"DROP FUNCTION {name}() CASCADE" if postgresql else f"DROP TRIGGER {name}"))


def make(connection: Connection) -> None:
    """Makes every trigger, where there is none."""
    for statements in _made(connection).values():
        for statement in statements:
            connection.exec_driver_sql(statement)


def check(connection: Connection) -> None:
    """Raises SchemaMismatch unless the database has every trigger as `make` does, and no other."""
    if _found(connection) != _made(connection):
        raise SchemaMismatch("the database's triggers are not those of its schema version")


def _made(connection: Connection) -> dict[str, tuple[str, ...]]:
    return dict(_postgresql() if connection.dialect.name == "postgresql" else _sqlite())


def _found(connection: Connection) -> dict[str, tuple[str, ...]]:
    """By name, the statements that would make what is there."""
    if connection.dialect.name == "sqlite":
        rows = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))
        return {row.name: (row.sql,) for row in rows}
    rows = connection.execute(text(_POSTGRESQL_TRIGGERS))
    return {row.name: (_function(row.function, row.body), row.statement + row.disabled) for row in rows}


def _sqlite() -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, guard in [*GUARDS.items(), *AGAINST_REPLACE.items(), *_append_only(), *_never_replace()]:
        refusal = f"BEGIN SELECT RAISE(ABORT, '{guard.says}'); END"
        yield name, (f"CREATE TRIGGER {name} {guard.moment} WHEN {guard.forbidden} {refusal}",)


def _postgresql() -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, guard in [*GUARDS.items(), *_append_only()]:
        row = "OLD" if guard.moment.startswith("BEFORE DELETE") else "NEW"
        yield name, _trigger(name, guard, "ROW", row)
    for table in NEVER_EMPTIED:
        guard = Guard(f"BEFORE TRUNCATE ON {table.name}", "TRUE", f"{table.name} is never emptied")
        yield f"{table.name}_never_emptied", _trigger(f"{table.name}_never_emptied", guard, "STATEMENT", "NULL")


def _trigger(name: str, guard: Guard, each: str, passes: str) -> tuple[str, str]:
    refusal = f"RAISE EXCEPTION '{guard.says}' USING ERRCODE = 'integrity_constraint_violation'"
    body = f"BEGIN IF {guard.forbidden} THEN {refusal}; END IF; RETURN {passes}; END"
    return _function(name, body), f"CREATE TRIGGER {name} {guard.moment} FOR EACH {each} EXECUTE FUNCTION {name}()"


def _function(name: str, body: str) -> str:
    return f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $guard${body}$guard$"


_POSTGRESQL_TRIGGERS = """
SELECT tgname AS name, proname AS function, prosrc AS body, pg_get_triggerdef(t.oid, true) AS statement,
       CASE tgenabled WHEN 'O' THEN '' ELSE ' (disabled)' END AS disabled
FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid JOIN pg_proc p ON p.oid = tgfoid
WHERE NOT tgisinternal AND c.relnamespace = current_schema()::regnamespace
"""


def _append_only() -> Iterator[tuple[str, Guard]]:
    for table in APPEND_ONLY:
        for verb in ("UPDATE", "DELETE"):
            moment = f"BEFORE {verb} ON {table.name}"
            yield f"{table.name}_never_{verb.lower()}", Guard(moment, "TRUE", f"{table.name} is append-only")


def _never_replace() -> Iterator[tuple[str, Guard]]:
    """As `AGAINST_REPLACE`, for what is append-only: an insert over an existing key is refused."""
    for table in APPEND_ONLY:
        forbidden = f"EXISTS (SELECT 1 FROM {table.name} WHERE {' OR '.join(_same_keys(table))})"
        yield (
            f"{table.name}_never_replace",
            Guard(f"BEFORE INSERT ON {table.name}", forbidden, f"{table.name} is append-only"),
        )


def _same_keys(table: Table) -> Iterator[str]:
    yield "(" + " AND ".join(f"{column.name} = NEW.{column.name}" for column in table.primary_key) + ")"
    yield from (f"({column.name} = NEW.{column.name})" for column in table.columns if column.unique)
