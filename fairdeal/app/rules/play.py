"""Questions about bidding and play: legal cards, the winner of a trick, what may be said, what a hand announces."""

from dataclasses import dataclass

from fairdeal.app.rules.games import CAPOT_WORD, Game, find_game, read_card, read_cards, read_list, read_suit
from fairdeal.app.rules.texts import say
from fairdeal.belote import NO_CARD, Action, ContractBid, Deal, Phase, Play, card_set, to_do
from fairdeal.belote import announcements as found
from fairdeal.belote.actions import CAPOT
from fairdeal.belote.duel import Duel
from fairdeal.belote.values import BELOTE_PAIR, LAST_TRICK, cards_in, trick_result
from fairdeal.cards import PACK, SUITS_FR, format_card, format_card_fr, format_suit, suit_of
from fairdeal.errors import IllegalAction, Malformed


@dataclass(frozen=True, slots=True)
class Refused:
    """A held card that may not be played; `reason` is stable."""

    card: str
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class Legal:
    """What of a hand may be played on a trick."""

    game: str
    trump: str
    trick: tuple[str, ...]
    legal: tuple[str, ...]
    refused: tuple[Refused, ...]


def legal(game: str, trump: str, hand: str, trick: str = "", phase: str | None = None, french: bool = False) -> Legal:
    """Which cards of `hand` may be played on `trick`, and why not the others; an empty trick is one to lead.

    `phase` is free or strict in the duel, and None elsewhere. Raises Malformed.
    """
    asked = find_game(game)
    suit, down, held = read_suit("trump", trump), read_cards("trick", trick), read_cards("hand", hand)
    if len(down) >= asked.rules.players:
        raise Malformed("trick: it is full already")
    if not 1 <= len(held) <= 8:
        raise Malformed("hand: one to eight cards")
    if set(held) & set(down):
        raise Malformed("hand: a card is in the trick too")
    deal = _in_play(asked, suit, down, held, _is_free(asked, phase))
    legal_cards, refused = [], []
    for card in sorted(held):
        try:
            asked.rules.check(deal, Play(card))
            legal_cards.append(format_card(card))
        except IllegalAction as refusal:
            refused.append(_refused(card, str((refusal.details or {})["reason"]), down, suit, french))
    return Legal(asked.name, format_suit(suit), _texts(down), tuple(legal_cards), tuple(refused))


def _is_free(game: Game, phase: str | None) -> bool:
    if not isinstance(game.rules, Duel):
        if phase is not None:
            raise Malformed("phase: only the duel has free and strict tricks")
        return False
    if phase not in (Phase.FREE, Phase.STRICT):
        raise Malformed("phase: free or strict, as the trick is in the duel")
    return phase == Phase.FREE


def _in_play(game: Game, trump: int, trick: tuple[int, ...], hand: tuple[int, ...], free: bool) -> Deal:
    """A deal in the middle: seat 0 has led, and whoever is on turn holds this hand."""
    seat = len(trick)
    hands = tuple(card_set(hand) if other == seat else 0 for other in range(game.rules.players))
    stock = tuple(card for card in PACK if card not in hand and card not in trick)[-2:] if free else ()
    start = game.rules.start(PACK, game.rules.players - 1, game.options)
    return start._replace(
        turn=seat,
        taker=0,
        trump=trump,
        trick=trick,
        played=card_set(trick),
        hands=hands,
        stock=stock,
        stock_left=len(stock),
    )


def _refused(card: int, reason: str, trick: tuple[int, ...], trump: int, french: bool) -> Refused:
    best = trick[trick_result(trick, trump)[0]]
    signs = {"led": SUITS_FR[suit_of(trick[0])], "trump": SUITS_FR[trump], "best": card_text(best, french)}
    return Refused(format_card(card), reason, say(reason, french, **signs))


def card_text(card: int, french: bool) -> str:
    """A card as a sentence in that language writes it."""
    return format_card_fr(card) if french else format_card(card)


def _texts(cards: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(map(format_card, cards))


@dataclass(frozen=True, slots=True)
class Trick:
    """Who wins a trick, with which card, and its points; the ten of the last trick are in them when it is the last."""

    game: str
    winner: int
    card: str
    points: int
    text: str


def trick(game: str, trump: str, trick: str, leader: int = 0, last: bool = False, french: bool = False) -> Trick:
    """The seat that wins a full trick, its cards in the order played from `leader` on. Raises Malformed."""
    asked = find_game(game)
    suit, down = read_suit("trump", trump), read_cards("trick", trick)
    players = asked.rules.players
    if len(down) != players:
        raise Malformed(f"trick: {players} cards, in the order played")
    if not 0 <= leader < players:
        raise Malformed(f"leader: a seat, 0 to {players - 1}")
    place, points = trick_result(down, suit)
    card, seat = down[place], (leader + place) % players
    key = "wins_trump" if suit_of(card) == suit else "wins_led"
    text = say(key, french, seat=seat, card=card_text(card, french))
    return Trick(asked.name, seat, format_card(card), points + (LAST_TRICK if last else 0), text)


@dataclass(frozen=True, slots=True)
class ContractOut:
    """The highest bid of a coinche so far; 250 is the capot."""

    value: int
    suit: str
    seat: int
    double: str | None


@dataclass(frozen=True, slots=True)
class Bids:
    """What may be said after an auction so far; nothing when it is over. `turn` speaks, or leads once it is over."""

    game: str
    phase: str
    turn: int | None
    bids: tuple[str, ...]
    trump: str | None
    taker: int | None
    contract: ContractOut | None
    text: str


def bids(
    game: str, auction: str = "", turned: str | None = None, dealer: int | None = None, french: bool = False
) -> Bids:
    """What may be said after these words, each by the seat whose turn it was, from the one after the dealer on.

    Words: pass, take, a suit; in the coinche a value and a suit (`100S`, `capotH`), coinche, surcoinche. `turned` is
    the card turned up, where one is; the dealer is the last seat unless told. Raises Malformed; IllegalAction with
    `at`, the index of the first word that may not be said.
    """
    asked = find_game(game)
    rules, words = asked.rules, read_list(auction)
    if (turned is None) == rules.features.turned:
        raise Malformed("turned: the card turned up, in a game that turns one")
    last = rules.players - 1
    if dealer is not None and not 0 <= dealer <= last:
        raise Malformed(f"dealer: a seat, 0 to {last}")
    card = NO_CARD if turned is None else read_card("turned", turned)
    deal = rules.start_public(card, last if dealer is None else dealer, asked.options)
    for at, word in enumerate(words):
        try:
            deal = rules.apply_public(deal, _action(asked, word), None)
        except IllegalAction as refusal:
            reason = str((refusal.details or {})["reason"])
            text = f"{word[:12]}: {say(reason, french)}"
            raise IllegalAction(text, {"reason": reason, "at": at}) from None
    over = deal.over or deal.trump is not None
    allowed = () if over else tuple(map(_word, rules.actions(deal)))
    trump = None if deal.trump is None else format_suit(deal.trump)
    contract = None
    if deal.contract is not None:
        value, suit, seat, double = deal.contract
        contract = ContractOut(value, format_suit(suit), seat, None if double is None else double.value)
    phase = rules.phase(deal).value
    return Bids(asked.name, phase, deal.turn, allowed, trump, deal.taker, contract, _stands(deal, french))


def _action(game: Game, word: str) -> Action:
    """The action of a word. Raises Malformed."""
    value, suit = (word[:-1], word[-1:])
    do: object = {"bid": word}
    try:
        if value == CAPOT_WORD or (value.isascii() and value.isdecimal() and len(value) <= 3):
            number = CAPOT if value == CAPOT_WORD else int(value)
            do = {"bid": {"suit": format_suit(read_suit("auction", suit)), "value": number}}
        elif word in SUITS_FR:
            do = {"bid": format_suit(SUITS_FR.index(word))}
        return game.rules.from_do(do)
    except Malformed:
        raise Malformed(f"auction: {word[:12]!r} is not a word of this game") from None


def _word(action: Action) -> str:
    if isinstance(action, ContractBid):
        return f"{CAPOT_WORD if action.value == CAPOT else action.value}{format_suit(action.suit)}"
    return str(to_do(action)["bid"])


def _stands(deal: Deal, french: bool) -> str:
    if deal.over:
        return say("void", french)
    if deal.trump is None:
        return say("speaks", french, seat=deal.turn)
    if deal.contract is None:
        return say("taken", french, seat=deal.taker, trump=SUITS_FR[deal.trump])
    double = deal.contract.double
    value = CAPOT_WORD if deal.contract.value == CAPOT else str(deal.contract.value)
    key = "contracted" if double is None else f"contracted_{double.value}"
    return say(key, french, seat=deal.taker, contract=f"{value} {SUITS_FR[deal.trump]}")


@dataclass(frozen=True, slots=True)
class AnnouncementOut:
    """One announcement: tierce, cinquante, cent or carré."""

    kind: str
    cards: tuple[str, ...]
    value: int


@dataclass(frozen=True, slots=True)
class Announcements:
    """What a hand announces; `belote` is None while trump is not known."""

    announcements: tuple[AnnouncementOut, ...]
    total: int
    belote: bool | None


def announcements(hand: str, trump: str | None = None) -> Announcements:
    """The best that eight cards as dealt announce, and whether they hold the belote. Raises Malformed."""
    cards = card_set(read_cards("hand", hand))
    if cards.bit_count() != 8:
        raise Malformed("hand: the eight cards as dealt")
    suit = None if trump is None else read_suit("trump", trump)
    best = found.best_announcements(cards, suit)
    return Announcements(
        tuple(AnnouncementOut(one.kind.value, _texts(cards_in(one.cards)), one.value) for one in best),
        found.total(best),
        None if suit is None else cards & BELOTE_PAIR[suit] == BELOTE_PAIR[suit],
    )
