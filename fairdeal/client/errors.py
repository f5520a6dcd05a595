"""What can go wrong on a player's side, beyond what any parser refuses."""

from collections.abc import Mapping
from enum import StrEnum
from typing import ClassVar

from fairdeal.errors import FairdealError


class Finding(StrEnum):
    """What contradicts what; the values are stable, and where protocol section 6.5 has a word for it, are that word."""

    ANSWER = "answer"
    """The answer is not of the form it must have."""
    TERMS = "terms"
    """Event 0, its fees or its keys are not what was shown before sitting."""
    SCHEMA = "schema"
    ORDER = "order"
    CLOCK = "clock"
    TURN = "turn"
    TIMEOUT = "timeout"
    RESUME = "resume"
    ILLEGAL = "illegal"
    SAYS = "says"
    DEAL = "deal"
    SHOW = "show"
    SCORE = "score"
    END = "end"
    SETTLE = "settle"
    COMMITMENT = "commitment"
    SEAT_KEY = "seat_key"
    SEAT_SEED = "seat_seed"
    DUPLICATE = "duplicate"
    """Two seats with one key or one commitment."""
    SEAT_SIGNATURE = "seat_signature"
    SIGNED_ROOT = "signed_root"
    OWN_ACTION = "own_action"
    """An event by our own seat that is not what this memory signed."""
    ROOT = "root"
    """The receipt's root is not the root of the events that came with it."""
    FORK = "fork"
    """An event, receipt or view differs from the one seen before at that place."""
    RECEIPT = "receipt"
    """The receipt is not signed by the key the match was opened with, or is for something else."""
    VIEW = "view"
    """The view is not signed by that key, or is for something else."""
    SHOWN_HAND = "shown_hand"
    SHOWN_LEGAL = "shown_legal"
    CHECKPOINT = "checkpoint"
    """The log's checkpoint has a wrong signature of a key that our policy lists, is no checkpoint or another log's."""
    INCLUSION = "inclusion"
    """A leaf is not proven to stand in the log."""
    CONSISTENCY = "consistency"
    """The log is not proven to begin with what we, or another seat of the match, have seen of it."""
    LOG_ORDER = "log_order"
    LEAF = "leaf"
    """A leaf of the match does not say what its events say."""
    LOG_FORK = "log_fork"
    """Another root for a size of the log, or another leaf than the one proven before."""


class ClientError(FairdealError):
    """The root of what a client of the service raises by itself."""

    code = "client_error"


class ApiError(ClientError):
    """The service answered with a problem; `problem` is its stable code, `status` the HTTP status."""

    code = "api_error"

    def __init__(self, problem: str, status: int, detail: str, details: Mapping[str, object] | None = None) -> None:
        super().__init__(f"{problem} ({status}): {detail}", details)
        self.problem = problem
        self.status = status
        self.detail = detail


class Unreachable(ClientError):
    """No answer after every attempt; a signed action may be sent again as it is."""

    code = "unreachable"


class AlreadySigned(ClientError):
    """This memory holds another action for that match and size: one is signed, ever."""

    code = "already_signed"


class EventsMissing(ClientError):
    """The answer begins after the events seen so far; it is to be asked for again from there."""

    code = "events_missing"


class NotLogged(ClientError):
    """What must be proven of the log before this is signed has not been yet; nothing was signed, but can be later."""

    code = "not_logged"


class UnknownLogKey(ClientError):
    """The log's checkpoint is signed by no key that our policy lists for it, as after a key was replaced.

    That contradicts nothing: nothing was signed, and with a policy that lists the old key and the new one it goes on.
    """

    code = "unknown_log_key"


class CheckpointMoved(ClientError):
    """Another program with this memory has learnt of a newer checkpoint meanwhile; the log is to be asked again."""

    code = "checkpoint_moved"


class NotRemembered(ClientError):
    """This memory does not know the match, so it has no key, and signs nothing for it."""

    code = "not_remembered"


class Unacceptable(ClientError):
    """The table's terms are not those the player asked for; nothing was signed and nothing is staked."""

    code = "unacceptable"


class Contradiction(ClientError):
    """The server's word contradicts itself or the rules. No further action is signed in this match, ever.

    `place` is the index of the event, or one less than the size of the receipt or view; None when there is none.
    """

    code: ClassVar[str] = "contradiction"

    def __init__(self, finding: Finding, place: int | None, message: str) -> None:
        where = "" if place is None else f" at event {place}"
        super().__init__(f"{finding.value}{where}: {message}", {"finding": finding.value, "place": place})
        self.finding = finding
        self.place = place
