"""The lobby: opening tables, finding them, sitting down, standing up, calling off."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from fairdeal import ledger
from fairdeal.app.codes import new_code, spelled
from fairdeal.app.house import Entropy, House
from fairdeal.app.kept import Match
from fairdeal.app.matches import Matches
from fairdeal.app.once import Once, intent
from fairdeal.app.ports import Account, NewTable, Seat, Sitting, Status, Store, Table
from fairdeal.app.right_clock import RightClock
from fairdeal.belote import find_ruleset
from fairdeal.commit import Seed, commitment
from fairdeal.errors import (
    BotRefused,
    CodeRefused,
    Forbidden,
    StakeRefused,
    TableClosed,
    TermsRefused,
    UnknownMatch,
)
from fairdeal.ids import match_id, pseudonym
from fairdeal.limits import CUSTODY_NONCE_BYTES, MATCH_ID_BYTES, PSEUDONYM_BYTES, SEED_BYTES
from fairdeal.match.decide import Cancel, Command, open_match
from fairdeal.match.evolve import evolve
from fairdeal.match.leaves import due_leaves
from fairdeal.match.terms import Terms

RULESETS: Final = {"duel": "duel@1", "classique": "classique@1", "coinche": "coinche@1", "annonces": "annonces@1"}
"""The games that tables are opened for."""
CLOSE_MS: Final = 48 * 3_600_000
"""Past the waiting time and this much more, an auditor lists a match that has not closed."""
_CODE_LENGTH: Final = 8
"""40 bits: nobody finds a table by trying."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an opener chooses; all else is the house's. `options` are those of the ruleset that are not its usual ones;
    `decision_ms` is one of the house's times and `asset` one of its assets, None for the usual one.
    """

    game: str
    stake: int
    private: bool = False
    decision_ms: int | None = None
    options: Mapping[str, int | str] = field(default_factory=dict)
    asset: str | None = None


class Tables:
    """The use cases of the lobby. Safe to call from several threads."""

    def __init__(self, store: Store, house: House, matches: Matches, clock: RightClock, entropy: Entropy) -> None:
        self._store = store
        self._house = house
        self._matches = matches
        self._clock = clock
        self._entropy = entropy

    def open(self, opener: Account, wanted: Wanted) -> Match:
        """A new table, with the server's seed committed to and sealed; its opener does not sit yet.

        Raises TermsRefused, StakeRefused, LimitExceeded when the opener has as many unfinished tables as one may have,
        Malformed for a stake out of range or an option that the game has not.
        """
        house = self._house
        clock = house.clock if wanted.decision_ms is None else replace(house.clock, decision_ms=wanted.decision_ms)
        if wanted.game not in RULESETS or clock.decision_ms not in house.decisions_ms:
            raise TermsRefused("the house does not open such tables", {"decisions_ms": list(house.decisions_ms)})
        ruleset, asset = find_ruleset(RULESETS[wanted.game]), house.asset(wanted.asset)
        if wanted.stake and not ruleset.features.shuffled:
            raise StakeRefused("a game whose pack is not shuffled between the deals is played for nothing")
        now = self._clock.now_ms()
        m = match_id(self._entropy.take(MATCH_ID_BYTES))
        seed = Seed(self._entropy.take(SEED_BYTES))
        terms = Terms(
            log=house.log,
            m=m,
            ruleset=ruleset,
            options=ruleset.parse_options({**ruleset.format_options(ruleset.defaults), **wanted.options}),
            stake=wanted.stake,
            asset=asset,
            fees=house.fees[asset.code],
            clock=clock,
            deals_max=house.deals_max,
            close_by=now + house.table_wait_ms + CLOSE_MS,
            receipt_key=house.receipts.verifier_key.public,
            commitment=commitment(seed),
        )
        opened = open_match(terms, now)
        self._store.open_table(
            NewTable(
                match_id=m,
                opener=opener.id,
                seats=terms.seats,
                stake=wanted.stake,
                asset=asset.code,
                visibility="private" if wanted.private else "public",
                code=new_code(self._entropy, _CODE_LENGTH) if wanted.private else None,
                line=opened.line,
                commitment=terms.commitment,
                sealed_seed=house.custody.seal(seed, m, self._entropy.take(CUSTODY_NONCE_BYTES)),
                created_at=now,
                expires_at=now + house.table_wait_ms,
                leaves=due_leaves(None, evolve(None, opened, seed), seed),
            ),
            house.tables_max,
        )
        return self._matches.load(m)

    def now(self) -> int:
        """The service's time, to be sent beside every deadline."""
        return self._clock.unchecked_ms()

    def public(self, before: int | None, limit: int) -> tuple[Table, ...]:
        """Public tables that still take players, newest first."""
        return self._store.open_tables(before, limit)

    def with_code(self, code: str) -> Match:
        """The private table of that code. Raises UnknownMatch."""
        table = self._store.table_with_code(spelled(code))
        if table is None:
            raise UnknownMatch("there is no table of that code")
        return self._matches.load(table.match_id)

    def sit(
        self,
        account: Account,
        m: str,
        key: str,
        code: str | None = None,
        seat: int | None = None,
        partner_code: str | None = None,
    ) -> Match:
        """Takes a seat, the lowest that may be taken if none is named, and holds the stake; the seat that fills the
        table starts the time to join.

        `code` is the private table's. Where two share what they win or lose, they choose each other: with the first of
        a side comes a code, and `partner_code` is that of who sits face to face. Raises UnknownMatch, CodeRefused,
        BotRefused, AlreadySeated, TableClosed, SeatTaken, InsufficientFunds, IdempotencyConflict.
        """
        match = self._matches.load(m)
        table, terms = match.table, match.state.terms
        if table.code is not None and (code is None or spelled(code) != table.code):
            raise CodeRefused("the private table's code is missing or wrong")
        if account.kind == "bot" and table.stake:
            raise BotRefused("machines do not sit at staked tables")
        now = self._clock.now_ms()
        player = pseudonym(self._entropy.take(PSEUDONYM_BYTES))
        stake = table.stake
        money = ledger.sit(m, account.id, player, stake, asset=table.asset, at=now) if stake else None
        own_code = new_code(self._entropy, _CODE_LENGTH) if stake and terms.seats > terms.ruleset.sides else None
        given_code = None if partner_code is None else spelled(partner_code)
        full_due_at = now + terms.clock.join_ms
        sitting = Sitting(m, account.id, player, seat, full_due_at, money, now, own_code, given_code)
        self._store.sit(sitting, Once(account.id, key, intent("sit", m=m, seat=seat, partner=given_code)))
        return self._matches.changed(m)

    def stand_up(self, account: Account, m: str, key: str) -> Match:
        """Leaves the seat, with the whole stake back, as long as the table is not full.

        Raises UnknownMatch, NotSeated, TableClosed, IdempotencyConflict.
        """
        table = self._matches.load(m).table
        mine = next((seat for seat in table.seated if seat.account_id == account.id), None)
        return self._free(table, mine, Once(account.id, key, intent("stand", m=m)))

    def remove(self, account: Account, m: str, number: int, key: str) -> Match:
        """Frees a seat, with the whole stake back to who sat there. The table's opener may, until it is full.

        Raises UnknownMatch, Forbidden, NotSeated when nobody sits there, TableClosed, IdempotencyConflict.
        """
        table = self._matches.load(m).table
        if table.opener != account.id:
            raise Forbidden("only who opened the table may free a seat of somebody else")
        theirs = next((seat for seat in table.seated if seat.seat == number), None)
        return self._free(table, theirs, Once(account.id, key, intent("remove", m=m, seat=number)))

    def _free(self, table: Table, seat: Seat | None, once: Once) -> Match:
        """Ends a sitting; None when there is none, or no longer: then the first answer under the key still stands."""
        m, stake = table.match_id, table.stake
        money = None
        if stake and seat is not None:
            now = self._clock.now_ms()
            money = ledger.stand_up(m, seat.account_id, seat.player, stake, asset=table.asset, at=now)
        self._store.stand_up(m, seat, money, once)
        return self._matches.changed(m)

    def cancel(self, account: Account, m: str) -> Match:
        """Calls the table off, everything held goes back whole. Its opener may, until it is full.

        Asked again of a table that was called off, it answers the same. Raises UnknownMatch, Forbidden, TableClosed.
        """

        def choose(match: Match) -> Command | None:
            if match.table.opener != account.id:
                raise Forbidden("only who opened the table may call it off")
            ending = match.state.ending
            if ending is not None and ending.reason == "cancelled":
                return None
            if match.table.status is not Status.OPEN:
                raise TableClosed("the table is full, or has ended")
            return Cancel()

        return self._matches.step(m, self._clock.now_ms(), choose)
