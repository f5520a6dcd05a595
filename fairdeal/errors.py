"""Every error of ours, in one place, so that one table can map them to answers.

`code` is stable and machine-readable; the message is for people and never holds a secret; `details` are plain values
that a page can show.
"""

from collections.abc import Mapping
from typing import ClassVar


class FairdealError(Exception):
    """The root: whatever the library refuses is one of these."""

    code: ClassVar[str] = "error"

    def __init__(self, message: str, details: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details: Mapping[str, object] = dict(details or {})


class Malformed(FairdealError):
    """The bytes or the text are not in the one form they must have."""

    code = "malformed"


class Proof(FairdealError):
    """A cryptographic check failed."""

    code = "proof_failed"


class CommitmentMismatch(Proof):
    """The seed does not open the commitment."""

    code = "commitment_mismatch"


class Inconsistent(Proof):
    """The consistency proof does not show that the newer tree only adds to the older one."""

    code = "inconsistent"


class KeyRefused(Proof):
    """The key is weak, is of an unknown kind, or is not the one asked for."""

    code = "key_refused"


class NotIncluded(Proof):
    """The inclusion proof does not show that the leaf stands at that index under that root."""

    code = "not_included"


class QuorumMissing(Proof):
    """The checkpoint is the log's own, and too few witnesses of the policy have cosigned it."""

    code = "quorum_missing"


class SealBroken(Proof):
    """The sealed seed was altered, belongs to another match, or was sealed under another key."""

    code = "seal_broken"


class SignatureInvalid(Proof):
    """The signature is not by that key over those bytes."""

    code = "signature_invalid"


class Refused(FairdealError):
    """The rules of the game or of the table do not allow it now."""

    code = "refused"


class IllegalAction(Refused):
    """The ruleset forbids this bid or card; `details["reason"]` says which rule."""

    code = "illegal_action"


class Late(Refused):
    """The deadline has passed."""

    code = "late"


class NotYourTurn(Refused):
    """Another seat is on turn."""

    code = "not_your_turn"


class RootMismatch(Refused):
    """It was signed over another history than this one."""

    code = "root_mismatch"


class RuleBroken(Refused):
    """An event breaks a rule of the protocol; `details["reason"]` is a cause of protocol section 6.5."""

    code = "rule_broken"


class Stale(Refused):
    """The history has moved on since this was signed."""

    code = "stale"


class WrongPhase(Refused):
    """The match or the deal is not at the point where this may be done."""

    code = "wrong_phase"


class AheadOfLog(Refused):
    """The caller holds a checkpoint of more leaves than the log has: a reason to keep it as evidence."""

    code = "ahead_of_log"


class AlreadySeated(Refused):
    """The account already has a seat at this table."""

    code = "already_seated"


class BotRefused(Refused):
    """Machines do not sit at staked tables."""

    code = "bot_refused"


class CodeRefused(Refused):
    """The private table's code, or the partner's, is missing or wrong."""

    code = "code_refused"


class CommitmentReused(Refused):
    """The commitment was used before, here or in another match; one serves once, ever."""

    code = "commitment_reused"


class CredentialsRefused(Refused):
    """No account has that name and password."""

    code = "credentials_refused"


class Forbidden(Refused):
    """Who asks is known, and may not do this."""

    code = "forbidden"


class IdempotencyConflict(Refused):
    """The idempotency key was used before for something else."""

    code = "idempotency_conflict"


class InsufficientFunds(Refused):
    """The free balance is below the stake."""

    code = "insufficient_funds"


class LimitExceeded(Refused):
    """It would pass an amount or a count that the service allows."""

    code = "limit_exceeded"


class NameTaken(Refused):
    """Another account has that name."""

    code = "name_taken"


class NotLoggedYet(Refused):
    """The leaf asked for is not in the log of all matches; ask again when what makes it due has happened."""

    code = "not_logged_yet"


class NotSeated(Refused):
    """The account has no seat at this table."""

    code = "not_seated"


class SeatTaken(Refused):
    """The seat asked for is taken, or all of them are."""

    code = "seat_taken"


class StakeRefused(Refused):
    """The game is not played for a stake."""

    code = "stake_refused"


class TableClosed(Refused):
    """The table no longer takes or releases seats: it is full, or it has ended."""

    code = "table_closed"


class TermsRefused(Refused):
    """The house does not open tables on these terms."""

    code = "terms_refused"


class Unauthenticated(Refused):
    """The call needs a login, and none that is valid came with it."""

    code = "unauthenticated"


class UnknownAccount(Refused):
    """There is no such account."""

    code = "unknown_account"


class UnknownLog(Refused):
    """The witness keeps no checkpoints of a log of that origin."""

    code = "unknown_log"


class UnknownMatch(Refused):
    """There is no such match."""

    code = "unknown_match"


class UnknownPlayer(Refused):
    """Nobody sits, or sat at a table that was full, under that pseudonym."""

    code = "unknown_player"


class UnknownWithdrawal(Refused):
    """There is no such withdrawal."""

    code = "unknown_withdrawal"


class WebhookRefused(Refused):
    """The webhook's headers are not those of Standard Webhooks, too old, or not signed with our secret."""

    code = "webhook_refused"


class WithdrawalEnded(Refused):
    """The withdrawal has ended the other way; `details["result"]` is how."""

    code = "withdrawal_ended"


class WitnessConflict(Refused):
    """The witness holds another checkpoint than the request builds on; `details["size"]` is the size of its own."""

    code = "witness_conflict"


class WitnessRefused(Refused):
    """The witness gave no cosignature; `details["status"]` is the HTTP status, if it answered."""

    code = "witness_refused"


class AddressRefused(FairdealError):
    """The machine does not let the service listen there."""

    code = "address_refused"


class Broken(FairdealError):
    """The service's own records are not what they must be; never a caller's fault."""

    code = "broken"


class ClockSteppedBack(Broken):
    """The machine's clock went back: until it is right again the service signs nothing and holds nothing against
    anybody.
    """

    code = "clock_stepped_back"


class DatabaseLocked(Broken):
    """Another process serves this database file."""

    code = "database_locked"


class KeyMissing(Broken):
    """A key that the records were signed or sealed with is not among the key files at hand."""

    code = "key_missing"


class LedgerBroken(Broken):
    """Money would be made, lost or moved twice; nothing was written."""

    code = "ledger_broken"


class LogBehind(Broken):
    """Somebody outside keeps more of the log than the database has, or another one: it is an older copy."""

    code = "log_behind"


class LogStuck(Broken):
    """The log of all matches cannot append or sign; nothing is held against anybody until it can."""

    code = "log_stuck"


class RecordsBroken(Broken):
    """The database refused what would break its records; nothing was written."""

    code = "records_broken"


class SchemaMismatch(Broken):
    """The database was made by another version of the schema."""

    code = "schema_mismatch"


class StoreFailed(Broken):
    """The database could not do it: the disk is full, the file is gone or another program holds it."""

    code = "store_failed"
