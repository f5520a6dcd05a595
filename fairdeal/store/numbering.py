"""Numbers without gaps, in the order in which their rows are committed. Inside the caller's transaction."""

from typing import Literal, TypeAlias

from sqlalchemy import Connection, select, update

from fairdeal.store.rows import counts

Numbered: TypeAlias = Literal["transactions", "roster"]


def last(connection: Connection, rows_of: Numbered) -> int:
    """The last number, 0 when there is none. It stays the last until the transaction has ended."""
    newest = select(counts.c.size).where(counts.c.rows_of == rows_of).with_for_update(key_share=True)
    size: int = connection.execute(newest).scalar_one()
    return size


def take(connection: Connection, rows_of: Numbered, some: int) -> int:
    """The first of so many new numbers. Nobody else takes one of this kind before the transaction has ended."""
    taken = update(counts).where(counts.c.rows_of == rows_of).values(size=counts.c.size + some)
    size: int = connection.execute(taken.returning(counts.c.size)).scalar_one()
    return size - some + 1
