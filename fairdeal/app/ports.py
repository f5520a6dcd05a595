"""What the use cases need of a store. One write method is one database transaction: all of it, or nothing.

Times are ms since the epoch, handed in. Ids, pseudonyms and codes are made by the caller from fresh entropy. Methods
are synchronous and safe to call from several threads. Pages are newest first: `before` is the `seq` of the last row
seen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Literal, Protocol, TypeAlias

from fairdeal.app.cashier_ports import CashierStore
from fairdeal.app.history_ports import HistoryStore
from fairdeal.app.log_ports import CommitResult as CommitResult
from fairdeal.app.log_ports import LogStore
from fairdeal.app.once import Once
from fairdeal.app.proof_ports import ProofStore
from fairdeal.app.record_ports import RecordStore
from fairdeal.app.recovery_ports import RecoveryStore
from fairdeal.app.safeguard_ports import SafeguardStore
from fairdeal.ledger import Books, Transaction

AccountKind: TypeAlias = Literal["player", "bot"]
Visibility: TypeAlias = Literal["public", "private"]


class Status(StrEnum):
    """Where a match stands for the store; all else is in its events."""

    OPEN = "open"
    """Seats can be taken and left."""
    JOINING = "joining"
    """Full; the joins are coming in."""
    LIVE = "live"
    """Every seat has joined: the pot, if any, is formed."""
    ENDED = "ended"


UNFINISHED: Final = (Status.OPEN, Status.JOINING, Status.LIVE)


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who can sit. `id` is 32 hex digits and never published; `name` is unique, whatever its capitals.

    `recovery_hash` is the SHA-256 of the code that stands in for a forgotten password. With `erased_at` (ms) the person
    is gone: nothing more is done for the account.
    """

    id: str
    name: str
    kind: AccountKind
    password_hash: str = field(repr=False)
    created_at: int
    recovery_hash: bytes | None = field(default=None, repr=False)
    erased_at: int | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """A login: the SHA-256 of its token, never the token."""

    token_hash: bytes = field(repr=False)
    account_id: str
    expires_at: int


@dataclass(frozen=True, slots=True)
class Wallet:
    """A player's free money, the stakes held at tables without a pot yet, and what waits to be paid out."""

    cash: int
    held: int
    pending: int = 0


@dataclass(frozen=True, slots=True)
class NewTable:
    """A table to open: `line` is its `open` event, `commitment` (64 hex) and `sealed_seed` the server's promise,
    `leaves` what goes into the log of all matches with it.

    `code` stands exactly when the table is private. `expires_at` is when nobody having come cancels it; it is the
    match's first due time.
    """

    match_id: str
    opener: str
    seats: int
    stake: int
    asset: str
    visibility: Visibility
    code: str | None = field(repr=False)
    line: bytes
    commitment: str
    sealed_seed: bytes = field(repr=False)
    created_at: int
    expires_at: int
    leaves: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Seat:
    """Who sits where: the account, and `player`, its pseudonym for this sitting (32 hex).

    `partner_code` stands where partners choose each other: the seat face to face is taken with it alone.
    """

    seat: int
    account_id: str
    player: str
    partner_code: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Table:
    """A match as the store knows it. `line` is its `open` event, the terms.

    `size` is its number of events, `seating` the number of times somebody sat down or stood up: together they say
    whether anything has changed. `due_at` is when the clock must look at it; None when never.
    """

    seq: int
    match_id: str
    status: Status
    opener: str
    seats: int
    stake: int
    asset: str
    visibility: Visibility
    code: str | None = field(repr=False)
    line: bytes
    expires_at: int
    due_at: int | None
    size: int
    seating: int
    seated: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Sitting:
    """Somebody sits down at `seat`, or at the lowest free one that may be taken. `money` is a `ledger.sit`; None for
    stake 0.

    When this fills the table its status becomes JOINING and its due time `full_due_at`. `partner_code` is the new code
    of this sitting, `given_code` the one of the partner, which must sit already exactly when it is given.
    """

    match_id: str
    account_id: str
    player: str
    seat: int | None
    full_due_at: int
    money: Transaction | None
    at: int
    partner_code: str | None = field(default=None, repr=False)
    given_code: str | None = field(default=None, repr=False)


SignificantKind: TypeAlias = Literal[
    "clock",
    "erasure",
    "exclusion",
    "identify",
    "key",
    "limit",
    "proof",
    "refused_start",
    "reset",
    "reversal",
    "schedule",
    "switch",
    "void",
]


@dataclass(frozen=True, slots=True)
class SignificantEvent:
    """Something that was done or found, and that an auditor is shown. `seq` orders and pages; None until it is kept.

    `data` of "clock": `beat`, the heartbeat before it, `why`; of "erasure": `account`, `reason`; of "exclusion":
    `account`, `stop`, `until`; of "identify": `player`, `reason`, and `m` and `seat`, both None where nobody had that
    pseudonym; of "key": `key`, which one, `old`, None at the first start, `new`; of "limit": `account`, `asset`,
    `limit`, `period`, `old`, `amount`, `from`; of "proof": `transactions`, `root`, `matches`, and `fault`, None where
    the books hold; of "refused_start": `beat`, `code`, `why`; of "reset": `account`, `reason`; of "reversal":
    `account`, `transaction`, the one that it undoes, `reason`; of "schedule": `asset`, `old`, None at its first start,
    `new`; of "switch": `account`, None for everybody, `play`, `reason`; of "void": `m`.
    """

    at: int
    kind: SignificantKind
    data: Mapping[str, str | int | None | Mapping[str, str | int]]
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class SeatedPlayer:
    """On the operator's word: whose the pseudonym `player` was, and where it sat."""

    account_id: str
    match_id: str
    player: str
    seat: int


@dataclass(frozen=True, slots=True)
class Append:
    """Everything that one step of a match changes. `size` and `seating` are those it was decided on.

    `lines` are the events n = size, size+1, …; none when only the due time moves. `commitment` is a join's, to be
    reserved for ever. `money` moves in the same transaction: `ledger.form_pot`, `ledger.pay_out` or `ledger.cancel`.
    `significant` is kept with it, `leaves` are queued for the log of all matches. Who is not `patient` is told
    StoreBusy when somebody else has the match in hand, who may be standing still.
    """

    match_id: str
    size: int
    seating: int
    lines: tuple[bytes, ...]
    status: Status
    due_at: int | None
    at: int
    commitment: str | None = None
    money: Transaction | None = None
    significant: SignificantEvent | None = None
    leaves: tuple[bytes, ...] = ()
    patient: bool = True


class Store(CashierStore, HistoryStore, LogStore, ProofStore, RecordStore, RecoveryStore, SafeguardStore, Protocol):
    """Everything that outlives the process. Any method can raise an error of the family `Broken`."""

    def create_account(self, account: Account) -> None:
        """Raises NameTaken."""

    def account(self, account_id: str) -> Account | None: ...

    def account_named(self, name: str) -> Account | None: ...

    def erase(self, account_id: str, password_hash: str, reason: str, at: int, kept_ms: int) -> None:
        """Takes name, password (`password_hash` is nobody's), code and logins away, with a significant event; the id
        stays. Raises UnknownAccount, AccountInUse: with money, an unfinished match or table, an exclusion in force, or
        used within `kept_ms`.
        """

    def open_session(self, session: Session, now: int, password_hash: str) -> None:
        """Keeps a login, and drops everybody's expired ones. Raises UnknownAccount, CredentialsRefused when the
        account's password is no longer the one that was checked.
        """

    def session_account(self, token_hash: bytes, now: int) -> Account | None:
        """Whose login this is; None when there is none, or it expired."""

    def session_accounts(self, token_hashes: Sequence[bytes], now: int) -> Mapping[bytes, Account]:
        """The same of several, by the hash; without those that are no login, or expired."""

    def close_session(self, token_hash: bytes) -> None:
        """Ends a login, if there is one."""

    def close_sessions(self, account_id: str) -> None:
        """Ends every login of the account."""

    def wallet(self, account_id: str, asset: str) -> Wallet: ...

    def books(self, asset: str) -> Books:
        """One moment of the whole ledger, for `ledger.check_books`."""

    def open_table(self, table: NewTable, most: int) -> None:
        """Event 0, the sealed seed and the commitment, reserved for ever.

        Raises UnknownAccount, PlayStopped, Excluded, CommitmentReused, LimitExceeded when `most` tables of this opener
        are unfinished already.
        """

    def table(self, match_id: str) -> Table | None: ...

    def table_with_code(self, code: str) -> Table | None:
        """The private table of that code, whatever its status."""

    def open_tables(self, before: int | None, limit: int) -> tuple[Table, ...]:
        """Public tables that still take players."""

    def sit(self, sitting: Sitting, once: Once) -> Seat:
        """Raises UnknownMatch, UnknownAccount, AlreadySeated, TableClosed, SeatTaken, CodeRefused for a partner's code
        that is missing or wrong, PlayStopped, Excluded, PlayerLimitReached, InsufficientFunds,
        IdempotencyConflict.
        """

    def stand_up(self, match_id: str, seat: Seat | None, money: Transaction | None, once: Once) -> None:
        """Ends that sitting; `money` is its `ledger.stand_up`. None when nobody was found there: refused, unless the
        key has an answer already. Raises UnknownMatch, NotSeated, TableClosed, IdempotencyConflict.
        """

    def commit(self, append: Append) -> CommitResult:
        """Raises CommitmentReused, or of the family `Broken` when the money does not fit; nothing is written then."""

    def events(self, match_id: str, start: int = 0) -> tuple[bytes, ...]:
        """The event lines from index `start` on, verbatim; none for an unknown match."""

    def oldest_open(self) -> bytes | None:
        """Event 0 of the match that was opened first; None before there is any."""

    def held_assets(self) -> frozenset[str]:
        """The codes of all assets that somebody has money in."""

    def newest_open(self, asset: str) -> bytes | None:
        """Event 0 of the match that was opened last for that asset; None when there is none."""

    def sealed_seed(self, match_id: str) -> bytes:
        """Raises UnknownMatch."""

    def due_matches(self, now: int, limit: int) -> tuple[str, ...]:
        """Matches whose due time has come, the longest overdue first."""

    def unfinished_matches(self) -> tuple[str, ...]:
        """Every match that has not ended, the oldest first."""

    def count_unfinished(self) -> Mapping[Status, int]:
        """How many matches there are of each status but ENDED."""

    def journal(self, start: int, limit: int) -> tuple[bytes, ...]:
        """The canonical lines of the transactions from index `start` on, in the order in which they were written."""

    def roster(self, start: int, limit: int) -> tuple[SeatedPlayer, ...]:
        """Every seat of the matches that all seats joined, from index `start` on, in the order in which they did."""

    def identify(self, player: str, reason: str, at: int) -> SeatedPlayer | None:
        """Who sits, or sat at a full table, under that pseudonym. That it was asked, and why, is kept either way."""

    def keep_significant(self, event: SignificantEvent) -> None:
        """One that comes with no step of a match."""

    def significant_events(
        self, before: int | None, limit: int, kind: SignificantKind | None = None
    ) -> tuple[SignificantEvent, ...]:
        """Those of one kind where one is named."""

    def last_significant(self, kind: SignificantKind, about: Mapping[str, str | int | None]) -> SignificantEvent | None:
        """The newest one of that kind whose data has all of `about`; None when there is none."""

    def beat(self, now: int) -> None:
        """Writes the heartbeat, unless a later one stands there."""

    def last_beat(self) -> int | None:
        """The last heartbeat; None when there never was one."""

    def check_ready(self) -> None:
        """Raises when the schema is not this version's or the store cannot write."""
