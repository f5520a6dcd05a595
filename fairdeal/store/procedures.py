"""The programs as each database runs them: on SQLite statement by statement, on PostgreSQL by a function of its own."""

import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import count
from typing import Any, Final, TypeAlias

import psycopg
from sqlalchemy import Connection, text

from fairdeal.errors import SchemaMismatch
from fairdeal.store.programs import PROGRAMS, Do, Each, Given, Instruction, Program

Values: TypeAlias = Mapping[str, Any]
"""A program's arguments by name, and its rows as lists of mappings."""

_REFUSED: Final = "FD001"  # a class of errors that PostgreSQL itself never has
_NAME: Final = re.compile(r":(\w+)")


class Unmet(Exception):
    """A statement was refused for `reason`; at `place` in its rows, if it is one for each of them."""

    def __init__(self, reason: str, place: int | None) -> None:
        super().__init__(reason)
        self.reason, self.place = reason, place


def perform(connection: Connection, program: Program, *calls: Values) -> list[bool]:
    """Runs the program once for each call, in this order, in the caller's transaction; whether each went through its
    gate. Raises Unmet.
    """
    driver = connection.connection.driver_connection
    if isinstance(driver, psycopg.Connection):
        return query(driver, program, calls)
    cursor: sqlite3.Cursor = connection.connection.cursor()  # type: ignore[assignment]
    try:
        return [_run(cursor, program, call) for call in calls]
    finally:
        cursor.close()


def query(driver: psycopg.Connection, program: Program, calls: Sequence[Values], behind: bytes = b"") -> list[bool]:
    """As `perform`, on PostgreSQL: one query, and `behind` it what it selects from. Raises Unmet."""
    values = [value for call in calls for value in _in_order(program, call)]
    try:
        # A raw cursor, because the driver would look for its own placeholders in a long query each time.
        answers = psycopg.RawCursor(driver).execute(_query(program, len(calls)) + behind, values).fetchone()
    except psycopg.Error as error:
        if error.sqlstate != _REFUSED:
            raise
        told = error.diag
        assert told.message_primary is not None
        place = None if told.message_detail is None else int(told.message_detail)
        raise Unmet(told.message_primary, place) from None
    assert answers is not None
    return list(answers)


def make(connection: Connection) -> None:
    """Makes the functions, where there are none: PostgreSQL has them, SQLite has no such."""
    if connection.dialect.name == "postgresql":
        for program in PROGRAMS:
            connection.exec_driver_sql(_function(program))


def remove(connection: Connection) -> None:
    """Takes the functions away."""
    if connection.dialect.name == "postgresql":
        for row in _found(connection):
            connection.execute(text(f"DROP FUNCTION {row.signature}"))


def check(connection: Connection) -> None:
    """Raises SchemaMismatch unless the database has every function as `make` does, and no other of its name."""
    if connection.dialect.name == "postgresql":
        found = sorted((row.name, row.arguments, row.body, row.plain) for row in _found(connection))
        if found != sorted((program.name, _arguments(program), _body(program), True) for program in PROGRAMS):
            raise SchemaMismatch("the database's functions are not those of its schema version")


def _run(cursor: sqlite3.Cursor, program: Program, values: Values) -> bool:
    if program.gate is not None and cursor.execute(program.gate, values).rowcount != 1:
        return False
    _run_all(cursor, program.instructions, values, None)
    return True


def _run_all(cursor: sqlite3.Cursor, instructions: Sequence[Instruction], values: Values, place: int | None) -> None:
    for instruction in instructions:
        match instruction:
            case Do(sql, unless, makes):
                changed = cursor.execute(sql, values).rowcount
                if changed != 1 and makes is not None:
                    cursor.execute(makes, values)
                    changed = cursor.execute(sql, values).rowcount
                if changed != 1 and unless is not None:
                    raise Unmet(unless, place)
            case Each(rows, each):
                for number, row in enumerate(values[rows]):
                    _run_all(cursor, each, {**values, **row}, number)
            case Given(argument, given):
                if values[argument] is not None:
                    _run_all(cursor, given, values, None)


@cache
def _query(program: Program, calls: int) -> bytes:
    types = [*program.arguments.values(), *(f"{type_}[]" for row in program.rows.values() for type_ in row.values())]
    numbers = count(1)
    each = [f"{program.name}({', '.join(f'${next(numbers)}::{type_}' for type_ in types)})" for _ in range(calls)]
    return f"SELECT {', '.join(each)}".encode()


def _in_order(program: Program, values: Values) -> Iterator[object]:
    yield from (values[name] for name in program.arguments)
    for name, members in program.rows.items():
        rows = values[name]
        yield from ([row[member] for row in rows] if rows else None for member in members)


def _function(program: Program) -> str:
    return (
        f"CREATE FUNCTION {program.name}({_arguments(program)}) RETURNS boolean LANGUAGE plpgsql"
        f" AS $program${_body(program)}$program$"
    )


def _arguments(program: Program) -> str:
    """`p_name` for a single value, `p_rows_member` for a list: no column has such a name."""
    singles = [f"p_{name} {type_}" for name, type_ in program.arguments.items()]
    lists = [f"p_{rows}_{name} {type_}[]" for rows, members in program.rows.items() for name, type_ in members.items()]
    return ", ".join(singles + lists)


def _body(program: Program) -> str:
    lines = [*_plpgsql(program, program.instructions, None)]
    if program.gate is not None:
        lines = [f"{_named(program, program.gate, None)};", "IF NOT FOUND THEN RETURN false; END IF;", *lines]
    return "\n".join(["\nDECLARE changed bigint;", "BEGIN", *lines, "RETURN true;", "END\n"])


def _plpgsql(program: Program, instructions: Sequence[Instruction], rows: str | None) -> Iterator[str]:
    for instruction in instructions:
        match instruction:
            case Do(sql, unless, makes):
                yield f"{_named(program, sql, rows)};"
                if makes is not None:
                    yield f"IF NOT FOUND THEN {_named(program, makes, rows)}; {_named(program, sql, rows)}; END IF;"
                if unless is not None:
                    detail = "" if rows is None else ", DETAIL = place - 1"
                    refuse = f"RAISE EXCEPTION USING ERRCODE = '{_REFUSED}', MESSAGE = '{unless}'{detail}"
                    yield f"GET DIAGNOSTICS changed = ROW_COUNT; IF changed <> 1 THEN {refuse}; END IF;"
            case Each(of, each):
                first = next(iter(program.rows[of]))
                yield f"FOR place IN 1 .. coalesce(cardinality(p_{of}_{first}), 0) LOOP"
                yield from _plpgsql(program, each, of)
                yield "END LOOP;"
            case Given(argument, given):
                yield f"IF p_{argument} IS NOT NULL THEN"
                yield from _plpgsql(program, given, None)
                yield "END IF;"


def _named(program: Program, sql: str, rows: str | None) -> str:
    members = program.rows[rows] if rows else {}
    return _NAME.sub(lambda name: f"p_{rows}_{name[1]}[place]" if name[1] in members else f"p_{name[1]}", sql)


_FOUND: Final = """
SELECT oid::regprocedure::text AS signature, proname AS name, pg_get_function_arguments(oid) AS arguments,
       prosrc AS body, prolang = (SELECT oid FROM pg_language WHERE lanname = 'plpgsql')
       AND NOT prosecdef AND NOT proisstrict AND provolatile = 'v' AND proconfig IS NULL
       AND prorettype = 'boolean'::regtype AS plain
FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND proname = ANY(:names)
"""


def _found(connection: Connection) -> Sequence[Any]:
    return connection.execute(text(_FOUND), {"names": [program.name for program in PROGRAMS]}).all()
