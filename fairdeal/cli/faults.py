"""What is told of an error at the terminal: a line with its code, and where there is one a hint what to do."""

from collections.abc import Iterator
from typing import Final

from fairdeal.errors import FairdealError

_HINTS: Final = {
    "database_locked": "stop every `fairdeal serve` on this database, on all machines, or name another database",
    "schema_mismatch": "`fairdeal db upgrade` makes a new schema, or brings an older one up to this program's version",
    "key_refused": "`fairdeal keys make` writes the keys that are missing; see also --keys and `chmod 600`",
    "key_missing": "`fairdeal keys list` tells which keys are at hand; put the file of the missing one back",
    "seal_broken": "a sealing key that was replaced stays as sealing-….key; put the missing one back",
    "log_behind": 'see "A database that was put back" in docs/operating.md',
    "address_refused": "another program listens there, or it may not be used; name another one with --port or --host",
    "unauthenticated": "the token is what the service was started with, in a variable of the same name",
    "forbidden": "FAIRDEAL_OPERATOR_TOKEN, or FAIRDEAL_AUDITOR_TOKEN, is to be what the service was started with",
    "unreachable": "is the service running, and is --url its address?",
    "not_found": "--url is the service's scheme, host and port; is it fairdeal that listens there?",
    "idempotency_conflict": "one --reference is of one payment; the journal has the deposit that was made under it",
    "unknown_account": "signing up answered the account's id; an account that was erased is unknown as well",
    "unknown_withdrawal": "`fairdeal operator withdrawals` lists those that wait, with their ids",
    "withdrawal_ended": "a payout that should not have been is undone by `fairdeal operator reverse`",
    "wrong_phase": "what has ended stays as it ended",
    "insufficient_funds": "the money is staked or spent; a balance never goes below zero",
}
"""By code: an error's own, or the one of the service's problem."""

_WORDS: Final = {
    "idempotency_conflict": "that --reference was used before, for another account, amount or asset",
    "terms_refused": "the service does not play for that asset",
    "wrong_phase": "the match has ended already",
}
"""Where the service speaks of its API: the same in words of the commands, by the problem's code."""


_SAID_ALREADY: Final = ("type", "title", "status", "code", "detail", "request", "faults", "why")
"""What each problem has, and what its detail says."""


def told(error: FairdealError) -> Iterator[str]:
    """The lines for stderr."""
    code, message = error.code, error.message
    if code == "api_error":
        from fairdeal.client import ApiError

        if isinstance(error, ApiError):
            code, message = error.problem, _WORDS.get(error.problem, error.detail)
            more = ", ".join(_facts(error))
            message += f" ({more})" if more else ""
            if code == "http_error":
                message = f"something before the service, or in its place, answered with status {error.status}"
    yield f"fairdeal: {code}: {message}"
    if code in _HINTS:
        yield f"hint: {_HINTS[code]}"


def _facts(error: FairdealError) -> Iterator[str]:
    """What a problem says besides, such as the assets that there are, or what is left of a player's limit."""
    for name, fact in error.details.items():
        if name not in _SAID_ALREADY and fact is not None:
            yield f"{name}: {' '.join(map(str, fact)) if isinstance(fact, list) else fact}"
