"""A match replayed with its deals kept: what was dealt, who moved with which choice, what the deal brought."""

from dataclasses import dataclass, field

from fairdeal_verifier.cards import members
from fairdeal_verifier.errors import Broken, NotRevealed
from fairdeal_verifier.events import Act, Dealt, Join, Reveal, Seed, Timeout
from fairdeal_verifier.files import Bundle
from fairdeal_verifier.fold import Fold
from fairdeal_verifier.game import Deal, Pair, Score
from fairdeal_verifier.merkle import EMPTY_ROOT, roots


@dataclass(frozen=True, slots=True)
class Move:
    """A bid, card or word, with what its seat held and might have done; `legal` is empty off its turn."""

    n: int
    seat: int
    action: int
    says: str | None
    by_timeout: bool
    hand: list[int]
    legal: list[int]


@dataclass(slots=True)
class PlayedDeal:
    """One deal: `pack` in the order dealt, cut from `gathered` unless that is None; `score` once it is over."""

    number: int
    dealer: int
    start: int
    pack: list[int]
    gathered: list[int] | None
    after_void: bool
    state: Deal
    hands: list[list[int]]
    pot: int
    totals: Pair
    full_hands: list[list[int]] | None = None
    moves: list[Move] = field(default_factory=list)
    score: Score | None = None


@dataclass(frozen=True, slots=True)
class Course:
    """The whole match; `stopped` is where the replay broke off, if it did, `refused` the move there, if it was one."""

    bundle: Bundle
    roots: list[bytes]
    server_seed: bytes
    table_root: bytes
    joins: dict[int, Join]
    seeds: dict[int, bytes]
    deals: list[PlayedDeal]
    stopped: Broken | None
    refused: Move | None


class _Recorder(Fold):
    """A fold that keeps its deals."""

    def __init__(self, bundle: Bundle, server_seed: bytes, table_root: bytes) -> None:
        super().__init__(bundle.open, server_seed, table_root)
        self._events = bundle.events
        self.deals: list[PlayedDeal] = []
        self.refused: Move | None = None
        self._packed: tuple[list[int], list[int] | None] = ([], None)

    def take(self, n: int) -> None:
        """Applies event n; raises Broken, with the deal kept as far as it came."""
        event, deal, known = self._events[n], self._deal, self._number
        after_void = bool(self._voids_in_row)
        move = None
        if deal is not None and isinstance(event, Act | Timeout) and event.action is not None:
            seat = event.by if isinstance(event, Act) else event.seat
            legal = deal.legal() if seat == deal.turn else []
            hand = members(deal.hands[seat])
            move = Move(n, seat, event.action, event.says, isinstance(event, Timeout), hand, legal)
        self.refused = move
        try:
            self.apply(event)
            self.refused = None
        finally:
            # A deal whose event lies is kept too, as it ought to be.
            if isinstance(event, Dealt) and self._number > known and self._deal is not None:
                self._keep(n, self._deal, after_void)
        if move is not None and deal is not None:
            self._moved(move, deal)

    def _pack(self) -> list[int]:
        gathered, voids = self._gathered, self._voids_in_row
        pack = super()._pack()
        # The fold counts void deals anew when it shuffles.
        shuffled = not self._terms.ruleset.announces or self._number == 1 or (voids > 0 and self._voids_in_row == 0)
        self._packed = pack, None if shuffled else gathered
        return pack

    def _keep(self, n: int, deal: Deal, after_void: bool) -> None:
        pack, gathered = self._packed
        dealer = (self._first_dealer + self._number - 1) % self._terms.seats
        hands = [members(hand) for hand in deal.hands]
        self.deals.append(
            PlayedDeal(self._number, dealer, n, pack, gathered, after_void, deal, hands, self._pot, self._totals)
        )

    def _moved(self, move: Move, deal: Deal) -> None:
        played = self.deals[-1]
        played.moves.append(move)
        if played.full_hands is None and deal.trump is not None:
            played.full_hands = [members(hand) for hand in deal.hands]
        if deal.turn is None:
            played.score = deal.score(played.pot, counts_bid=self._terms.counts_bid)


def replay(bundle: Bundle) -> Course:
    """Replays a match with its secrets out; raises NotRevealed. Signatures and money are not looked at."""
    server_seed = next((event.server_seed for event in bundle.events if isinstance(event, Reveal)), None)
    if server_seed is None and bundle.close is not None and bundle.close.is_lost:
        server_seed = bundle.close.server_seed
    if server_seed is None:
        raise NotRevealed("no reveal")
    tree, full = roots(bundle.lines), bundle.open.seats + 1
    table_root = tree[full] if len(tree) > full else EMPTY_ROOT
    joins: dict[int, Join] = {}
    seeds: dict[int, bytes] = {}
    for event in bundle.events:
        if isinstance(event, Join):
            joins.setdefault(event.by, event)
        elif isinstance(event, Seed):
            seeds.setdefault(event.by, event.seed)
    recorder = _Recorder(bundle, server_seed, table_root)
    stopped = None
    try:
        for n in range(1, len(bundle.events)):
            recorder.take(n)
    except Broken as broken:
        stopped = broken
    return Course(bundle, tree, server_seed, table_root, joins, seeds, recorder.deals, stopped, recorder.refused)
