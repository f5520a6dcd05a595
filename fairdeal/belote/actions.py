"""What a seat may do in a deal, its wire form, and why something is refused.

The wire form is the `do` object of protocol section 2: `{"bid": "pass"}`, `{"bid": "S"}`, `{"card": "S10"}`; in the
coinche also `{"bid": {"suit": "S", "value": 100}}`, and with announcements `{"declare": true}`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, NamedTuple, NoReturn

from fairdeal.cards import PACK, format_card, format_suit, parse_card, parse_suit
from fairdeal.errors import IllegalAction, Malformed


class Bid(StrEnum):
    """A word of the auction, in canonical order; the value is its wire form."""

    PASS = "pass"
    TAKE = "take"
    SPADES = "S"
    HEARTS = "H"
    DIAMONDS = "D"
    CLUBS = "C"


@dataclass(frozen=True, slots=True)
class Play:
    """Playing one card, 0…31."""

    card: int

    def __repr__(self) -> str:
        return f"Play({self.card})"


CAPOT: Final = 250
"""The value of a bid to win every trick, above all others."""
VALUES: Final = (*range(80, 190, 10), CAPOT)
"""What may be bid in the coinche."""


class ContractBid(NamedTuple):
    """A bid of the coinche: the points undertaken, one of VALUES, with this suit, 0…3, as trump."""

    value: int
    suit: int


class Double(StrEnum):
    """What doubles a contract of the coinche; the value is its wire form as a bid."""

    COINCHE = "coinche"
    SURCOINCHE = "surcoinche"


class Declare(StrEnum):
    """Declaring one's announcements. It names no card: the best ones are found for the player."""

    DECLARE = "declare"


Action = Bid | Play | ContractBid | Double | Declare

SUIT_BIDS: Final = (Bid.SPADES, Bid.HEARTS, Bid.DIAMONDS, Bid.CLUBS)
"""The bid that names each suit 0…3."""


class Says(StrEnum):
    """What the rules announce by themselves when roi and dame of trump are played from one hand."""

    BELOTE = "belote"
    REBELOTE = "rebelote"


class Reason(StrEnum):
    """Why an action is refused; a page shows it, so the values are stable."""

    NOT_YOUR_TURN = "not_your_turn"
    DEAL_OVER = "deal_over"
    BID_NOT_ALLOWED = "bid_not_allowed"
    NOT_BIDDING = "not_bidding"
    NOT_PLAYING = "not_playing"
    NOT_IN_HAND = "not_in_hand"
    MUST_FOLLOW = "must_follow"
    MUST_RISE = "must_rise"
    MUST_TRUMP = "must_trump"
    NOTHING_TO_DECLARE = "nothing_to_declare"
    ALREADY_DECLARED = "already_declared"
    NOT_TIME_TO_DECLARE = "not_time_to_declare"
    FALSE_ANNOUNCEMENT = "false_announcement"


_PLAYS: Final = tuple(Play(card) for card in PACK)
_PLAYS_OF: Final = tuple(
    tuple(tuple(_PLAYS[8 * suit + rank] for rank in range(8) if held >> rank & 1) for held in range(256))
    for suit in range(4)
)
_SPADES, _HEARTS, _DIAMONDS, _CLUBS = _PLAYS_OF


def plays(cards: int) -> tuple[Play, ...]:
    """Playing each card of a set, in canonical order."""
    return _SPADES[cards & 255] + _HEARTS[cards >> 8 & 255] + _DIAMONDS[cards >> 16 & 255] + _CLUBS[cards >> 24]


def refuse(reason: Reason) -> NoReturn:
    """Raise IllegalAction for this reason."""
    raise IllegalAction(f"not allowed: {reason}", {"reason": reason.value})


def to_do(action: Action) -> dict[str, Any]:
    """The wire form of an action."""
    match action:
        case Play(card):
            return {"card": format_card(card)}
        case ContractBid(value, suit):
            return {"bid": {"suit": format_suit(suit), "value": value}}
        case Declare():
            return {"declare": True}
        case _:
            return {"bid": action.value}


def from_do(do: object) -> Action:
    """The action that a `do` object writes, in whatever game. Raises Malformed on anything else."""
    match do:
        case {"card": card, **rest} if not rest:
            return _PLAYS[parse_card(card)]
        case {"bid": str(word), **rest} if not rest and word in _WORDS:
            return _WORDS[word]
        case {"bid": {"suit": suit, "value": int(value), **members}, **rest} if not members and not rest:
            if type(value) is int and value in VALUES:
                return ContractBid(value, parse_suit(suit))
        case {"declare": declare, **rest} if not rest and declare is True:
            return Declare.DECLARE
    raise Malformed("not an action")


_WORDS: Final[Mapping[str, Bid | Double]] = {word.value: word for word in (*Bid, *Double)}
