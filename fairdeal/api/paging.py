"""What is asked for in a query: pages, by an opaque cursor, and an asset."""

from collections.abc import Sequence
from typing import Annotated, Final, TypeAlias

from fastapi import Query

from fairdeal.api.schemas.base import AssetCode

MAX_LIMIT: Final = 100
"""Rows of one page."""

Cursor: TypeAlias = Annotated[
    str | None, Query(pattern=r"^[0-9]{1,16}$", description="From the page before; opaque.", examples=["41"])
]
AssetQuery: TypeAlias = Annotated[AssetCode | None, Query(description="One of the house's; absent: the usual one.")]
Limit: TypeAlias = Annotated[int, Query(ge=1, le=MAX_LIMIT)]


def position_of(cursor: str | None) -> int | None:
    """The position that a cursor stands for."""
    return None if cursor is None else int(cursor)


def cursor_of(positions: Sequence[int], limit: int) -> str | None:
    """The cursor of the page after these rows; None when this one was not full."""
    return str(positions[-1]) if len(positions) == limit else None
