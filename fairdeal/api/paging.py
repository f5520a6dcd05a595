"""What is asked for in a query: pages, by an opaque cursor, and an asset."""

from collections.abc import Sequence
from typing import Annotated, Final, TypeAlias

from fastapi import Query, Request, params
from fastapi.dependencies.utils import get_flat_params
from fastapi.exceptions import RequestValidationError

from fairdeal.api.schemas.base import AssetCode

MAX_LIMIT: Final = 100
"""Rows of one page."""

_NAME_SHOWN: Final = 64
"""Characters of a name that is not known: ours have fewer."""
_NOT_ASKED: Final = (params.Path, params.Header, params.Cookie)

Cursor: TypeAlias = Annotated[
    str | None, Query(pattern=r"^[0-9]{1,16}$", description="From the page before; opaque.", examples=["41"])
]
AssetQuery: TypeAlias = Annotated[AssetCode | None, Query(description="One of the house's; absent: the usual one.")]
Limit: TypeAlias = Annotated[int, Query(ge=1, le=MAX_LIMIT)]


async def check_query(request: Request) -> None:
    """Raises RequestValidationError for what the route does not ask for and what stands there twice: nothing that a
    caller asks is passed over.
    """
    if not request.scope["query_string"]:
        return
    asked = [name for name, _ in request.query_params.multi_items()]
    fields = get_flat_params(request.scope["route"].dependant)
    known = {field.alias for field in fields if not isinstance(field.field_info, _NOT_ASKED)}
    for place, name in enumerate(asked):
        if name not in known or name in asked[:place]:
            why = "stands there twice" if name in known else "is not asked for"
            # The first fault alone: a query has room for thousands.
            raise RequestValidationError([{"type": "query", "loc": ("query", name[:_NAME_SHOWN]), "msg": why}])


def position_of(cursor: str | None) -> int | None:
    """The position that a cursor stands for."""
    return None if cursor is None else int(cursor)


def cursor_of(positions: Sequence[int], limit: int) -> str | None:
    """The cursor of the page after these rows; None when this one was not full."""
    return str(positions[-1]) if len(positions) == limit else None
