"""The ruleset `coinche@1` (protocol 4.4): an auction over the whole pack, and the marks of its contract."""

from collections.abc import Sequence

from fairdeal_verifier.cards import COINCHE, CONTRACT_BID, PASS, SURCOINCHE, VALUES, as_set
from fairdeal_verifier.four import BELOTE, CAPOT, SEATS, TRICKS, FourDeal, full_totals
from fairdeal_verifier.game import VOID, Contract, Pair, Score

OUTCOMES = ("made", "made+capot", "failed", "void")
BIDS = (PASS, *range(CONTRACT_BID, CONTRACT_BID + 4 * len(VALUES)), COINCHE, SURCOINCHE)
BARE, WITH_BID = "faits", "faits+demandés"
"""The two scorings: the points made, and these and the bid."""
FAILED = 162
"""What a contract that fails, or is doubled, is worth without the capot."""
CAPOT_VALUE = 250


def score(contract: Contract, points: Pair, tricks: Pair, belote: int | None, *, counts_bid: bool) -> Score:
    """The marks of a deal that was played out; points include the last trick."""
    mine = contract.seat & 1
    totals = full_totals(points, tricks, belote)
    all_tricks = tricks[mine] == TRICKS
    held = all_tricks if contract.value == CAPOT_VALUE else totals[mine] >= contract.value
    bid = contract.value if counts_bid else 0
    outcome = "failed" if not held else "made+capot" if all_tricks else "made"
    if held and contract.double == 1:
        marks = list(totals)
        marks[mine] += bid
    else:
        winner = mine if held else 1 - mine
        marks = [BELOTE if belote == side else 0 for side in (0, 1)]
        marks[winner] += ((CAPOT if tricks[winner] == TRICKS else FAILED) + bid) * contract.double
    return Score(contract.seat, points, tricks, belote, outcome, (marks[0], marks[1]), contract=contract)


class Coinche(FourDeal):
    """A deal of the coinche. `_silent` counts the passes since the last word that was none."""

    __slots__ = ("_high", "_silent", "contract")

    def __init__(self, deck: Sequence[int], dealer: int) -> None:
        packets = [
            as_set(*deck[3 * i : 3 * i + 3], *deck[12 + 2 * i : 14 + 2 * i], *deck[20 + 3 * i : 23 + 3 * i])
            for i in range(SEATS)
        ]
        super().__init__([packets[(seat - dealer - 1) % SEATS] for seat in range(SEATS)], dealer)
        self.contract: Contract | None = None
        self._high = CONTRACT_BID
        self._silent = 0

    def bids(self) -> list[int]:
        contract = self.contract
        if contract is None:
            return [PASS, *range(self._high, COINCHE)]
        if contract.double == 2:
            return [PASS, SURCOINCHE]
        opponent = self.turn is not None and (self.turn ^ contract.seat) & 1
        return [PASS, *range(self._high, COINCHE), *([COINCHE] if opponent else [])]

    def bid(self, action: int, seat: int) -> None:
        contract = self.contract
        if action == PASS:
            self._silent += 1
            if contract is None:
                self.turn = (seat + 1) % SEATS if self._silent < SEATS else None
            elif self._silent == (3 if contract.double == 1 else 2):
                self._take(contract.seat, contract.suit)
            else:
                # After a coinche the seats of the bidder's side alone speak.
                self.turn = (seat + (1 if contract.double == 1 else 2)) % SEATS
            return
        self._silent = 0
        self.turn = (seat + 1) % SEATS
        if contract is None or action < COINCHE:
            value, suit = divmod(action - CONTRACT_BID, 4)
            self.contract = Contract(1, seat, suit, VALUES[value])
            self._high = CONTRACT_BID + 4 * (value + 1)
        else:
            self.contract = contract._replace(double=2 * contract.double)
            if action == SURCOINCHE:
                self._take(contract.seat, contract.suit)

    def score(self, pot: int = 0, *, counts_bid: bool = False) -> Score:
        if self.contract is None:
            return VOID
        points, tricks = self.points, self.tricks
        return score(self.contract, (points[0], points[1]), (tricks[0], tricks[1]), self.belote, counts_bid=counts_bid)
