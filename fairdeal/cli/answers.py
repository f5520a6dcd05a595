"""What an answer must say for a command to tell of it: in the service's place something else may answer anything."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fairdeal.client import ApiError
from fairdeal.limits import MAX_EXPONENT

_LAST_MS: Final = 253_402_300_799_999
"""The end of 9999: no calendar here goes further."""
Line: TypeAlias = Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")]
"""For a terminal, which would obey control characters."""


class Answer(BaseModel):
    """Some of its members."""

    model_config = ConfigDict(strict=True, frozen=True)


class Money(Answer):
    """An amount in its asset's smallest unit; no exponent where the service does not know its decimals any more."""

    amount: int
    asset: Line
    exponent: Annotated[int, Field(ge=0, le=MAX_EXPONENT)] | None


class Moved(Money):
    """Money that came in or was taken back, and the balance after it."""

    transaction: Line
    balance: int


class Pending(Money):
    """A withdrawal that waits."""

    id: Line
    account: Line
    asked_at: Annotated[int, Field(ge=0, le=_LAST_MS)]


class Withdrawal(Money):
    """A withdrawal as it stands."""

    id: Line
    status: Line


class Stopped(Answer):
    """Whose play is stopped, None for everybody's, and why."""

    account: Line | None
    reason: Line


class Switches(Answer):
    """All who are stopped."""

    off: list[Stopped]


class Reset(Answer):
    """What an account's owner is handed."""

    recovery_code: Line


class Table(Answer):
    """A table, or its match."""

    status: Line


class Identity(Answer):
    """Whose a pseudonym is, and where it sat."""

    account: Line
    name: Line
    m: Line
    seat: int


class Opened(Answer):
    """Of the record of a match, when it was opened."""

    opened_at: int


Form = TypeVar("Form", bound=Answer)


def read(form: type[Form], answer: Mapping[str, Any]) -> Form:
    """The members that the form names. Raises ApiError."""
    try:
        return form.model_validate(answer)
    except ValidationError:
        raise ApiError("not_of_its_form", 0, "the service sent something that is no answer to this call") from None
