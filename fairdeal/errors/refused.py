"""What the rules, of a game or of the house, do not allow."""

from fairdeal.errors.root import FairdealError


class Refused(FairdealError):
    """The rules of the game or of the table do not allow it now."""

    code = "refused"


class IllegalAction(Refused):
    """The rules forbid this bid or card, or a join that names another player than the seat's, or a checkpoint that is
    not of this log; `details["reason"]` says which rule.
    """

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


class AccountInUse(Refused):
    """The account cannot be erased yet; `details["why"]` is `money`, `match`, `exclusion` or `too_soon`."""

    code = "account_in_use"


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


class Excluded(Refused):
    """The account's owner has stopped its play; `details["until"]` is for how long, None for good."""

    code = "excluded"


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


class NotReversible(Refused):
    """There is nothing to reverse; `details["why"]` is `unknown`, `kind` (neither a deposit nor a payout) or `reversed`
    already.
    """

    code = "not_reversible"


class NotSeated(Refused):
    """The account has no seat at this table."""

    code = "not_seated"


class PlayStopped(Refused):
    """The operator has stopped play, the account's or everybody's: what has begun goes on, nothing new begins."""

    code = "play_stopped"


class PlayerLimitReached(Refused):
    """It would pass a limit that the account's owner has set; `details` say which, and what is left of it."""

    code = "player_limit_reached"


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
    """The house has no such asset, or opens no tables on these terms; `details` says which there are."""

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
