"""Numbers without gaps, in the order in which their rows are committed. Inside the caller's transaction."""

from typing import Literal

from sqlalchemy import Connection, update

from fairdeal.store.tables import counts


def take(connection: Connection, rows_of: Literal["transactions", "roster"], some: int) -> int:
    """The first of so many new numbers. Nobody else takes one of this kind before the transaction has ended."""
    taken = update(counts).where(counts.c.rows_of == rows_of).values(size=counts.c.size + some)
    size: int = connection.execute(taken.returning(counts.c.size)).scalar_one()
    return size - some + 1
