"""A database with a match of each kind, closed by us, and a hand at its SQL prompt."""

import sqlite3
from pathlib import Path
from typing import Any

import psycopg

from fairdeal.app.log_ports import Outage
from fairdeal.app.safeguard_ports import Exclusion, Switch
from fairdeal.ledger import Win
from fairdeal.match.leaves import outage_leaf
from fairdeal.store import SqlStore
from tests.store.house import ASSET, House, next_append

Refusal = (sqlite3.IntegrityError, psycopg.IntegrityError)
_LITERALS = {
    "sqlite": {"byte": "x'00'", "nothing": "x''", "hash": "zeroblob(32)", "tile": "zeroblob(8192)"},
    "postgresql": {
        "byte": r"'\x00'::bytea",
        "nothing": "''::bytea",
        "hash": "decode(repeat('00', 32), 'hex')",
        "tile": "decode(repeat('00', 8192), 'hex')",
    },
}
_FOREIGN_KEYS = "SELECT conrelid::regclass || ' DROP CONSTRAINT ' || conname FROM pg_constraint WHERE contype = 'f'"


class Scene:
    """`place` as for `SqlStore`. Foreign keys are off at sqlite3's prompt as it comes, and on at PostgreSQL's. In a
    script `;` parts statements, and `##` is a semicolon within one.
    """

    def __init__(self, place: Path | str) -> None:
        store = SqlStore(place)
        house = House(store)
        live, player, _ = house.live(500)
        ended, _, _ = house.live(500)
        house.finish(ended, Win(0))
        store.exclude(player, Exclusion("cool_off", 5, 6))  # before the sitting: it would end with it
        waiting = house.open(player, 500)
        house.deposit(player, 500)
        house.sit(waiting, player)
        house.finish(house.live(0)[0], Win(0))
        house.deposit(player, 90)
        house.end(house.withdraw(player, 20), "refused")
        house.withdraw(player, 30)
        store.set_limit(player, ASSET, "stake", "week", 1_000, 5)
        store.switch(Switch(None, False, "a test", 5))
        store.switch(Switch(None, True, "a test", 6))
        store.identify("5" * 32, "a complaint", 5)
        store.append_leaves(next_append(store))
        store.keep_checkpoint(store.log_head().size, "note")
        store.add_cosignature(store.log_head().size, "witness", "line")
        store.beat(1)
        store.add_outage(Outage(1, 2), outage_leaf(1, 2))
        store.close()
        self.place, self.player = place, player
        self.dialect = "postgresql" if isinstance(place, str) else "sqlite"
        self._names = {"live": live, "ended": ended, "waiting": waiting, "player": player, "new": "9" * 32}
        self._names |= _LITERALS[self.dialect]
        self._sql: Any = (
            psycopg.connect(place, autocommit=True)
            if isinstance(place, str)
            else sqlite3.connect(place, isolation_level=None)
        )

    def close(self) -> None:
        self._sql.close()

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self._sql.execute(query).fetchall()]

    def run(self, script: str) -> None:
        """The statements, one transaction, committed."""
        self._transaction(script, "COMMIT")

    def attempt(self, script: str, *without: str) -> None:
        """As `run`, with the guards of these names taken away, and everything undone at the end."""
        self._transaction(script, "ROLLBACK", *map(self.drop, without))

    def drop(self, guard: str) -> str:
        """The statement that takes a guard away."""
        return f"DROP TRIGGER {guard}" if self.dialect == "sqlite" else f"DROP FUNCTION {guard}() CASCADE"

    def with_foreign_keys(self) -> None:
        if self.dialect == "sqlite":
            self._sql.execute("PRAGMA foreign_keys = ON")

    def without_foreign_keys(self) -> None:
        if self.dialect == "postgresql":
            for (which,) in self.rows(_FOREIGN_KEYS):
                self._sql.execute(f"ALTER TABLE {which}")

    def _transaction(self, script: str, end: str, *before: str) -> None:
        self._sql.execute("BEGIN")
        try:
            for statement in [*before, *script.format(**self._names).split(";")]:
                self._sql.execute(statement.replace("##", ";"))
            if self.dialect == "postgresql":
                self._sql.execute("SET CONSTRAINTS ALL IMMEDIATE")
            self._sql.execute(end)
        except BaseException:
            self._sql.execute("ROLLBACK")
            raise
