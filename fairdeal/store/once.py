"""Idempotency: the caller's key is reserved first, in the transaction of the work, and keeps the first answer."""

import json
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from sqlalchemy import Connection, select, update

from fairdeal.app.once import Once
from fairdeal.errors import IdempotencyConflict, Refused
from fairdeal.store.dialects import insert_unless_there
from fairdeal.store.rows import requests

KeptAnswer: TypeAlias = dict[str, Any]
"""An answer as it is kept under its key: the members of an object in JSON."""


def answer(connection: Connection, once: Once, work: Callable[[], KeptAnswer]) -> KeptAnswer | Refused:
    """The answer of `work`, now or when the key was first used. A refusal is an answer too, kept like any other: it is
    returned, so that the caller's transaction commits it before it is raised. Raises IdempotencyConflict.
    """
    mine = (requests.c.scope == once.scope) & (requests.c.key == once.key)
    reservation = insert_unless_there(requests).values(scope=once.scope, key=once.key, intent=once.intent, answer=None)
    reserved = connection.execute(reservation.returning(requests.c.key)).one_or_none()
    if reserved is None:
        first = connection.execute(select(requests.c.intent, requests.c.answer).where(mine)).one()
        if first.intent != once.intent:
            raise IdempotencyConflict("this idempotency key was used for something else")
        return _read(first.answer)
    outcome: KeptAnswer | Refused
    try:
        with connection.begin_nested():
            outcome = work()
    except Refused as refusal:
        outcome = refusal
    connection.execute(update(requests).where(mine).values(answer=_write(outcome)))
    return outcome


def given(outcome: KeptAnswer | Refused) -> KeptAnswer:
    """The answer. Raises the refusal that is one: after the transaction, so that it is kept under the key."""
    if isinstance(outcome, Refused):
        raise outcome
    return outcome


def _write(outcome: KeptAnswer | Refused) -> str:
    if isinstance(outcome, Refused):
        return json.dumps({"refused": outcome.code, "message": outcome.message, "details": dict(outcome.details)})
    return json.dumps({"answer": outcome})


def _read(text: str) -> KeptAnswer | Refused:
    kept = json.loads(text)
    if "answer" in kept:
        answer: KeptAnswer = kept["answer"]
        return answer
    refusals = {refusal.code: refusal for refusal in _family(Refused)}
    return refusals[kept["refused"]](kept["message"], kept["details"])


def _family(root: type[Refused]) -> Iterator[type[Refused]]:
    yield root
    for child in root.__subclasses__():
        yield from _family(child)
