"""What the operator is asked about players, and what the auditor is told of it."""

from typing import Annotated, Literal

from pydantic import Field

from fairdeal.api.schemas.base import Hex16, Model, Ms


class IdentifyIn(Model):
    """A pseudonym, and why the operator asks whose it is. The reason is kept for the auditor, for ever."""

    player: Hex16
    reason: Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S", examples=["complaint 17"])]


class IdentityOut(Model):
    """The account behind a pseudonym, and where it sat."""

    account: Hex16
    name: str
    m: Hex16
    seat: int


class SignificantEventOut(Model):
    """`kind` is `exclusion` (`account`, `stop`, `until`), `identify` (`player`, `reason`, and `m` and `seat`, null
    where nobody was found), `limit` (`account`, `limit`, `period`, `old`, `amount`, `from`), `proof` (`transactions`,
    `root`, `matches`, and `fault`, null where the books hold), `reset` (`account`, `reason`), `switch` (`account`, null
    for everybody, `play`, `reason`) or `void` (`m`).
    """

    at: Ms
    kind: Literal["exclusion", "identify", "limit", "proof", "reset", "switch", "void"]
    data: dict[str, str | int | None]


class SignificantEventPage(Model):
    """Newest first. `cursor` asks for the next page; null on the last one."""

    events: list[SignificantEventOut]
    cursor: str | None
