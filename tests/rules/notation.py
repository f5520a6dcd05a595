"""The notation of the cases, and a deal set up in the middle."""

from typing import Any

from fairdeal.belote import Bid, Deal, Phase, Play, Ruleset, card_set, cards_in, from_do, to_do
from fairdeal.cards import PACK, format_card, parse_card

Facts = dict[str, Any]


def action_of(word: str) -> Bid | Play:
    """The action of a case's word: `pass`, `S`, `S10`."""
    return from_do({"card": word} if word[-1] in "789JQKA0" else {"bid": word})


def word_of(action: Bid | Play) -> str:
    return next(iter(to_do(action).values()))


def cards_of(texts: list[str]) -> tuple[int, ...]:
    return tuple(map(parse_card, texts))


def texts_of(cards: int | tuple[int, ...]) -> list[str]:
    return [format_card(card) for card in (cards_in(cards) if isinstance(cards, int) else cards)]


def pack_with(turned: int) -> tuple[int, ...]:
    """A pack whose thirteenth card is this one."""
    others = [card for card in PACK if card != turned]
    return (*others[:12], turned, *others[12:])


def in_play(
    rules: Ruleset, *, seat: int, trump: int, trick: tuple[int, ...], hand: int, stock: tuple[int, ...]
) -> Deal:
    """A deal in the middle: `seat` with this hand is to play on this trick, the others hold nothing."""
    hands = [0] * rules.players
    hands[seat] = hand
    start = rules.start(PACK, 0, rules.defaults)
    return start._replace(
        turn=seat,
        taker=0,
        trump=trump,
        trick=trick,
        played=card_set(trick),
        hands=tuple(hands),
        stock=stock,
        stock_left=len(stock),
    )


def some_stock(phase: str, used: int) -> tuple[int, ...]:
    """Two cards left to draw in the free phase, none in the strict one."""
    assert phase in (Phase.FREE, Phase.STRICT)
    return cards_in(0xFFFF_FFFF ^ used)[-2:] if phase == Phase.FREE else ()
