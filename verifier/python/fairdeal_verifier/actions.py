"""The `do` of an act and the cards of an event: their JSON, and the numbers of `cards` for them."""

from collections.abc import Container

from fairdeal_verifier import canonical
from fairdeal_verifier.canonical import Json
from fairdeal_verifier.cards import (
    BID_NAMES,
    CARD_NAMES,
    CARDS,
    COINCHE,
    CONTRACT_BID,
    DECLARE,
    PASS,
    RESIGN,
    SUITS,
    VALUES,
)
from fairdeal_verifier.errors import SchemaRefused
from fairdeal_verifier.fields import choice, integer, members

_CARDS = {name: card for card, name in enumerate(CARD_NAMES)}
_WORDS = {name: bid for bid, name in BID_NAMES.items()}


def do_of(action: int) -> dict[str, Json]:
    """The `do` of an action."""
    if action < CARDS:
        return {"card": CARD_NAMES[action]}
    if action in BID_NAMES:
        return {"bid": BID_NAMES[action]}
    if action < COINCHE:
        value, suit = divmod(action - CONTRACT_BID, 4)
        return {"bid": {"suit": SUITS[suit], "value": VALUES[value]}}
    return {"declare": True} if action == DECLARE else {"resign": True}


DO_TEXT = tuple(canonical.encode(do_of(action)) for action in range(RESIGN + 1))
"""The cj1 text of the `do` of each action."""
ANY_BID = range(PASS, DECLARE)
"""Those of all games."""


def card(value: Json) -> int:
    """A card by its name."""
    found = _CARDS.get(value) if type(value) is str else None
    if found is None:
        raise SchemaRefused("not a card")
    return found


def suit(value: Json) -> int:
    """A suit by its letter."""
    return SUITS.index(choice(value, *SUITS))


def contract_value(value: Json) -> int:
    """The value of a bid of the coinche."""
    found = integer(value)
    if found not in VALUES:
        raise SchemaRefused("not the value of a bid")
    return found


def bid(value: Json) -> int:
    """A bid of any game."""
    if type(value) is str:
        if value not in _WORDS:
            raise SchemaRefused("not a bid")
        return _WORDS[value]
    of_suit, worth = members(value, "suit", "value")
    return CONTRACT_BID + 4 * VALUES.index(contract_value(worth)) + suit(of_suit)


def action(do: Json, bids: Container[int], *, declares: bool) -> int:
    """The action of a `do`: exactly one of bid (one of `bids`), card, resign and, where a game has it, declare."""
    if type(do) is dict and len(do) == 1:
        [(kind, value)] = do.items()
        if kind == "card":
            return card(value)
        if kind == "bid":
            said = bid(value)
            if said in bids:
                return said
        elif value is True and kind == "resign":
            return RESIGN
        elif value is True and kind == "declare" and declares:
            return DECLARE
    raise SchemaRefused("not an action")
