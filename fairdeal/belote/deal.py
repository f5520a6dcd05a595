"""One deal as an immutable value, and the steps that every game of belote shares.

Seats are 0…k−1 in order of play; side = seat mod 2. Nothing here knows how many seats there are, how cards are dealt,
or which cards may be played: that is each ruleset's own file.
"""

from enum import StrEnum
from typing import Final, NamedTuple

from fairdeal.belote.actions import SUIT_BIDS, Action, Bid, Double, Play, Reason, Says, from_do, refuse
from fairdeal.belote.scoring import Options
from fairdeal.belote.values import ALL_CARDS, BELOTE_PAIR, LAST_TRICK, trick_result
from fairdeal.cards import PACK, suit_of
from fairdeal.errors import Malformed, NotYourTurn

SIDES: Final = 2


class Phase(StrEnum):
    """Where a deal stands; `free` and `strict` say whether the duties of following, rising and trumping bind."""

    AUCTION = "bid"
    FIRST_ROUND = "bid1"
    SECOND_ROUND = "bid2"
    FREE = "free"
    STRICT = "strict"
    OVER = "over"


NO_CARD: Final = -1
"""What `Deal.turned` is in a game that turns no card up."""


class Contract(NamedTuple):
    """The highest bid of a coinche so far: points (250 is the capot), trump suit, the seat that bid it."""

    value: int
    suit: int
    seat: int
    double: Double | None


class Announcing(NamedTuple):
    """Where a deal stands with its announcements."""

    declared: int
    """The seats that declared, a bit each."""
    counted: tuple[int, int] | None
    """What the announcements bring each side; None until they are shown."""
    piles: tuple[tuple[int, ...], tuple[int, ...]]
    """The tricks each side won, in the order won, cards in the order played."""


class Deal(NamedTuple):
    """A deal between two actions.

    `hands` (a set of cards per seat) and `stock` are None in the outside view, the one of somebody who was not given
    the pack; everything else is public and exact in both.
    """

    dealer: int
    turned: int
    """The card turned up."""
    stock: tuple[int, ...] | None
    """The undealt cards after the turned one, the next to be dealt first; of them `stock_left` remain, at the end."""
    stock_left: int
    hands: tuple[int, ...] | None
    turn: int | None
    """The seat that acts next; None when the deal is over."""
    passes: int
    taker: int | None
    trump: int | None
    """The trump suit; None until somebody takes, and for ever in a void deal."""
    trick: tuple[int, ...]
    """The cards on the table in the order played, the last of them by the seat before `turn`."""
    played: int
    """The set of all cards played so far, those on the table included."""
    points: tuple[int, int]
    """Card points and last trick, per side; belote is outside."""
    tricks: tuple[int, int]
    """Tricks won, per side."""
    belote: int | None
    """The seat that announced belote."""
    options: Options
    contract: Contract | None = None
    """In the coinche alone."""
    announcing: Announcing | None = None
    """In games with announcements alone."""

    @property
    def over(self) -> bool:
        """Nobody is left to act: all tricks are played, or everybody passed."""
        return self.turn is None


class Layout(NamedTuple):
    """A pack as dealt: hands by seat in the order received, the turned card, the stock with its next card first."""

    hands: tuple[tuple[int, ...], ...]
    turned: int
    stock: tuple[int, ...]


def new_deal(
    dealer: int,
    players: int,
    options: Options,
    hands: tuple[int, ...] | None,
    turned: int = NO_CARD,
    stock: tuple[int, ...] | None = (),
    stock_left: int = 0,
) -> Deal:
    """A deal before the first bid, the seat after the dealer on turn."""
    return Deal(
        dealer=dealer,
        turned=turned,
        stock=stock,
        stock_left=stock_left,
        hands=hands,
        turn=(dealer + 1) % players,
        passes=0,
        taker=None,
        trump=None,
        trick=(),
        played=0,
        points=(0, 0),
        tricks=(0, 0),
        belote=None,
        options=options,
    )


def check_turn(deal: Deal, seat: int) -> None:
    """Raises NotYourTurn unless `seat` acts next."""
    if deal.turn != seat:
        raise NotYourTurn("another seat is on turn", {"reason": Reason.NOT_YOUR_TURN.value})


def check_pack(pack: tuple[int, ...]) -> None:
    """Raises Malformed unless these are the 32 cards, each once."""
    if len(pack) != len(PACK) or set(pack) != _PACK_SET:
        raise Malformed("not a pack of 32 cards")


_PACK_SET: Final = frozenset(PACK)


def turned_up_bids(deal: Deal, players: int) -> tuple[Bid, ...]:
    """What may be said when a card is turned up: take its suit or pass; in the second round another suit or pass."""
    return _FIRST_ROUND if deal.passes < players else _SECOND_ROUND[suit_of(deal.turned)]


_FIRST_ROUND: Final = (Bid.PASS, Bid.TAKE)
_SECOND_ROUND: Final = tuple(
    (Bid.PASS, *(bid for suit, bid in enumerate(SUIT_BIDS) if suit != turned)) for turned in range(4)
)


def turned_up_action(do: object) -> Bid | Play:
    """The action that a `do` object writes in a game with a turned card: its words, or a card. Raises Malformed."""
    action = from_do(do)
    if not isinstance(action, Bid | Play):
        raise Malformed("no action of this game")
    return action


def passed(deal: Deal, players: int) -> Deal:
    """After one more pass in two rounds of bidding; when all have passed twice the deal is void."""
    passes = deal.passes + 1
    assert deal.turn is not None
    return deal._replace(passes=passes, turn=None if passes == 2 * players else (deal.turn + 1) % players)


def announcement(hand: int, card: int, trump: int, announced: bool) -> Says | None:
    """What playing `card` from `hand` announces by itself; `announced`: this seat has already said belote.

    Belote needs roi and dame of trump in the hand together when the first of them, either one, is played.
    """
    pair = BELOTE_PAIR[trump]
    if not pair >> card & 1:
        return None
    if announced:
        return Says.REBELOTE
    return Says.BELOTE if hand & pair == pair else None


def check_claim(deal: Deal, action: Action, says: Says | None) -> None:
    """Raises IllegalAction when what was announced with an action is impossible whatever the hidden hands are."""
    possible: tuple[Says | None, ...] = (None,)
    if isinstance(action, Play) and deal.trump is not None and 1 << action.card & BELOTE_PAIR[deal.trump]:
        if deal.belote is not None and deal.belote == deal.turn:
            possible = (Says.REBELOTE,)
        elif not deal.played & BELOTE_PAIR[deal.trump]:
            possible = (None, Says.BELOTE)
    if says not in possible:
        refuse(Reason.FALSE_ANNOUNCEMENT)


def played_card(deal: Deal, card: int, says: Says | None, players: int) -> Deal:
    """After the seat on turn has put `card` on the table; nothing is checked.

    The winner of a full trick leads the next one, and while the stock lasts draws first, the others after in order.
    """
    (
        dealer,
        turned,
        stock,
        stock_left,
        hands,
        turn,
        passes,
        taker,
        trump,
        trick,
        played,
        points,
        tricks,
        belote,
        options,
        contract,
        announcing,
    ) = deal
    assert turn is not None
    assert trump is not None
    bit = 1 << card
    played |= bit
    held = None if hands is None else list(hands)
    if held is not None:
        held[turn] ^= bit
    if says is Says.BELOTE:
        belote = turn
    trick = (*trick, card)
    following: int | None = (turn + 1) % players
    if len(trick) == players:
        place, won = trick_result(trick, trump)
        following = winner = (turn + 1 + place) % players
        if played == ALL_CARDS:
            won += LAST_TRICK
            following = None
        if winner % SIDES:
            points, tricks = (points[0], points[1] + won), (tricks[0], tricks[1] + 1)
        else:
            points, tricks = (points[0] + won, points[1]), (tricks[0] + 1, tricks[1])
        if announcing is not None:
            own, theirs = announcing.piles
            piles = (own, theirs + trick) if winner % SIDES else (own + trick, theirs)
            announcing = Announcing(announcing.declared, announcing.counted, piles)
        trick = ()
        if stock_left:
            if held is not None and stock is not None:
                for drawn in stock[-stock_left:][:players]:
                    held[winner] |= 1 << drawn
                    winner = (winner + 1) % players
            stock_left -= players
    hands = None if held is None else tuple(held)
    # Not Deal(…): one call less on the path of every card played.
    return tuple.__new__(
        Deal,
        (
            dealer,
            turned,
            stock,
            stock_left,
            hands,
            following,
            passes,
            taker,
            trump,
            trick,
            played,
            points,
            tricks,
            belote,
            options,
            contract,
            announcing,
        ),
    )
