"""What the product says about a case of a game for four, one function per case type; `facts.py` is the duel's."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from fairdeal.belote import Action, Deal, Outcome, Play, card_set, check_turn
from fairdeal.belote import annonces as announcing
from fairdeal.belote.actions import CAPOT, VALUES, Declare, Double
from fairdeal.belote.announcements import Announcement, Kind, best_announcements, counted, points, total
from fairdeal.belote.coinche import Coinche
from fairdeal.belote.coinche import layout as coinche_layout
from fairdeal.belote.deal import Contract
from fairdeal.belote.four import FourPlayers, Made
from fairdeal.belote.pack import after_deal, cut_pack, pile_up
from fairdeal.belote.presets import PRESETS, Preset
from fairdeal.belote.rulesets import RULESETS
from fairdeal.belote.scoring import VOID_SCORE, DealScore, Scoring, pay_pot
from fairdeal.belote.sheet import Contract as SheetContract
from fairdeal.belote.sheet import Sheet, check_points, round_to_ten, with_last_trick
from fairdeal.belote.turned_card import last_cards, layout
from fairdeal.belote.values import BELOTE, BELOTE_PAIR
from fairdeal.cards import PACK, RANKS, SUITS, format_card, parse_card, parse_suit
from fairdeal.errors import IllegalAction, Malformed, NotYourTurn, WrongPhase
from tests.rules import facts
from tests.rules.notation import Facts, cards_of, texts_of

FOUR_PLAYERS = {name: rules for name, rules in RULESETS.items() if isinstance(rules, FourPlayers)}
GAMES: dict[str, Preset] = {
    **{name.partition("@")[0]: Preset(rules, rules.defaults) for name, rules in FOUR_PLAYERS.items()},
    **PRESETS,
}
"""Every game for four that a case may name."""


class AnyOrder(list[Any]):
    """Equal to a list of the same things in any order."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list) and sorted(self) == sorted(other)

    __hash__ = None  # type: ignore[assignment]


def action_in(game: Preset, word: str) -> Action:
    """The action of a case's word: `pass`, `S`, `S10`, `100S`, `capotS`. Raises Malformed."""
    value = word.rstrip("SHDCAT") if word[0].isdigit() else "capot" if word.startswith("capot") else None
    if value is not None:
        do: Any = {"bid": {"suit": word[len(value) :], "value": CAPOT if value == "capot" else int(value)}}
    else:
        do = {"card": word} if len(word) > 1 and word[0] in SUITS else {"bid": word}
    return game.rules.from_do(do)


def set_up(game: Preset, *, seat: int, trump: str, trick: list[list[Any]], hand: list[str]) -> Deal:
    """A deal in the middle: `seat` with this hand is to play on this trick, the others hold nothing."""
    down = cards_of([card for _, card in trick])
    start = game.rules.start(PACK, (seat - len(trick) - 1) % 4, game.options)
    hands = tuple(card_set(cards_of(hand)) if other == seat else 0 for other in range(4))
    return start._replace(
        turn=seat,
        taker=0,
        trump=parse_suit(trump),
        trick=down,
        played=card_set(down),
        hands=hands,
        stock=(),
        stock_left=0,
    )


def cards_among(actions: tuple[Action, ...]) -> list[str]:
    return [format_card(action.card) for action in actions if isinstance(action, Play)]


def legal(game: Preset, *, hand: list[str], trump: str, seat: int, trick: list[list[Any]]) -> Facts:
    assert [other for other, _ in trick] == [(seat - len(trick) + place) % 4 for place in range(len(trick))]
    deal = set_up(game, seat=seat, trump=trump, trick=trick, hand=hand)
    accepted = []
    for card in sorted(cards_of(hand)):
        try:
            game.rules.check(deal, Play(card))
        except IllegalAction:
            continue
        accepted.append(format_card(card))
    assert accepted == cards_among(game.rules.actions(deal))
    return {"legal": accepted}


def trick(game: Preset, *, trump: str, trick: list[list[Any]]) -> Facts:
    *before, (seat, last) = trick
    assert len(before) == 3
    deal = set_up(game, seat=seat, trump=trump, trick=before, hand=[last])
    after = game.rules.apply(deal, Play(parse_card(last)))
    return {"winner": after.turn, "points": sum(after.points)}


def deal_layout(game: Preset, *, deck: list[str], dealer: int, taker: int | None = None) -> Facts:
    pack = cards_of(deck)
    deal = game.rules.start(pack, dealer, game.options)
    if isinstance(game.rules, Coinche):
        hands = coinche_layout(pack, dealer)
        assert deal.hands == tuple(map(card_set, hands))
        return {"hands": [texts_of(hand) for hand in hands], "turned": None}
    hands, turned, stock = layout(pack, dealer)
    assert (deal.hands, deal.turned, deal.stock) == (tuple(map(card_set, hands)), turned, stock)
    found: Facts = {
        "hands": [texts_of(hand) for hand in hands],
        "turned": format_card(turned),
        "stock": texts_of(stock),
    }
    if taker is not None:
        full = [hand + more for hand, more in zip(hands, last_cards(turned, stock, dealer, taker), strict=True)]
        while deal.turn != taker:
            deal = game.rules.apply(deal, action_in(game, "pass"))
        deal = game.rules.apply(deal, action_in(game, "take"))
        assert deal.hands == tuple(map(card_set, full))
        found["hands_after_take"] = [texts_of(hand) for hand in full]
    return found


def auction(
    game: Preset, *, dealer: int, actions: list[list[Any]], turnup: str | None = None, pot: int | None = None
) -> Facts:
    pack = PACK
    if turnup is not None:
        others = [card for card in PACK if card != parse_card(turnup)]
        pack = (*others[:20], parse_card(turnup), *others[20:])
    deal = game.rules.start(pack, dealer, game.options)
    for index, (seat, word) in enumerate(actions):
        try:
            check_turn(deal, seat)
            deal = game.rules.apply(deal, action_in(game, word))
        except (IllegalAction, NotYourTurn, Malformed):
            return {"illegal_at": index}
    if deal.over:
        assert game.rules.score(deal) == VOID_SCORE
        kept = pay_pot(VOID_SCORE, pot or 0)
        assert kept.marks == (0, 0)
        return {"void": True, "next_dealer": game.rules.next_dealer(dealer), "pot_kept": kept.pot == pot}
    assert deal.trump is not None, "the auction is not over"
    assert deal.hands is not None
    found: Facts = {
        "trump": SUITS[deal.trump],
        "taker": deal.taker,
        "leader": deal.turn,
        "hands": [hand.bit_count() for hand in deal.hands],
    }
    if deal.contract is not None:
        value = "capot" if deal.contract.value == CAPOT else str(deal.contract.value)
        double = None if deal.contract.double is None else deal.contract.double.value
        return {**found, "contract": value + SUITS[deal.contract.suit], "double": double}
    found["turnup_owner"] = next(seat for seat, hand in enumerate(deal.hands) if hand >> deal.turned & 1)
    return found


def score_facts(score: DealScore) -> Facts:
    return {"outcome": score.outcome.value, "marks": list(score.marks), "pot": score.pot}


def made_of(
    taker: int, points: list[int], tricks: list[int], belote: int | None = None, annonces: list[int] | None = None
) -> Made:
    counts = annonces or [0, 0]
    return Made(taker, (points[0], points[1]), (tricks[0], tricks[1]), belote, (counts[0], counts[1]))


def contract_of(bid: int | str, seat: int, double: str | None) -> Contract:
    """A contract as an auction leaves it."""
    value = CAPOT if bid == "capot" else bid
    assert value in VALUES
    return Contract(int(value), 0, seat, None if double is None else Double(double))


def deal_score(game: Preset, *, pot: int = 0, bid: Any = None, double: str | None = None, **given: Any) -> Facts:
    made = made_of(**given)
    # The seat of a side's number is on that side.
    deal = game.rules.start(PACK, 0, game.options)._replace(
        turn=None, taker=made.taker, trump=0, points=made.points, tricks=made.tricks, belote=made.belote
    )
    if isinstance(game.rules, Coinche):
        deal = deal._replace(contract=contract_of(bid, made.taker, double))
    else:
        assert (bid, double) == (None, None)
    if deal.announcing is not None:
        deal = deal._replace(announcing=deal.announcing._replace(declared=15, counted=made.announcements))
    else:
        assert made.announcements == (0, 0)
    return score_facts(pay_pot(game.rules.score(deal), pot))


def match(game: Preset, *, target: int, before: list[int], deal_marks: list[Any]) -> Facts:
    """As in every game. Nothing for one side, and less than a dedans for the other, are the marks of a litige."""
    pot = 0
    for written in deal_marks:
        if written != "void":
            litige = min(written) == 0 < max(written) < 160
            outcome = Outcome.LITIGE if litige else Outcome.MADE
            made = DealScore(0, (0, 0), (4, 4), None, outcome, (0, 0), pot=max(written) if litige else 0)
            pot = pay_pot(made, pot).pot
    found = facts.match(game.rules, target=target, before=before, deal_marks=deal_marks)
    return {**found, "pot_lost": pot if found["state"] == "won" else 0}


def replayed(game: Preset, deck: list[str], dealer: int, actions: list[list[Any]], declare: bool = False) -> list[Deal]:
    """The deal at its start and after each action; `declare`: whoever holds an announcement declares it."""
    deals = [game.rules.start(cards_of(deck), dealer, game.options)]
    for seat, word in actions:
        check_turn(deals[-1], seat)
        if declare and Declare.DECLARE in game.rules.actions(deals[-1]):
            deals.append(game.rules.apply(deals[-1], Declare.DECLARE))
        deals.append(game.rules.apply(deals[-1], action_in(game, word)))
    return deals


def replay(
    game: Preset, *, deck: list[str], dealer: int, actions: list[list[Any]], declare: str | None = None, pot: int = 0
) -> Facts:
    assert declare in (None, "every seat that holds an announcement")
    deal = replayed(game, deck, dealer, actions, declare is not None)[-1]
    score = pay_pot(game.rules.score(deal), pot)
    return {
        **score_facts(score),
        "trump": None if deal.trump is None else SUITS[deal.trump],
        "taker": score.taker,
        "points": list(score.points),
        "tricks": list(score.tricks),
        "belote_side": score.belote,
        "annonces": list(score.announcements),
    }


def count_sequences(game: Preset, deal: Deal, depth: int) -> int:
    """How many legal sequences of exactly `depth` bids and cards there are; declaring is no turn and not counted."""
    if depth == 0:
        return 1
    actions = [action for action in game.rules.actions(deal) if not isinstance(action, Declare)]
    return sum(count_sequences(game, game.rules.apply(deal, action), depth - 1) for action in actions)


def perft(game: Preset, *, deck: list[str], dealer: int, actions: list[list[Any]], depth: int) -> Facts:
    return {"count": count_sequences(game, replayed(game, deck, dealer, actions)[-1], depth)}


def name_of(one: Announcement) -> str:
    rank = RANKS[one.top % 8]
    return f"carre {rank}" if one.kind is Kind.CARRE else f"{one.kind.value} {SUITS[one.top // 8]} to {rank}"


def annonces_detect(game: Preset, *, hand: list[str], trump: str | None = None) -> Facts:
    found = best_announcements(card_set(cards_of(hand)), None if trump is None else parse_suit(trump))
    return {"total": total(found), "annonces": AnyOrder(map(name_of, found))}


def annonces_belote(game: Preset, *, hand: list[str], trump: str) -> Facts:
    cards = card_set(cards_of(hand))
    worth = total(best_announcements(cards, parse_suit(trump)))
    pair = BELOTE_PAIR[parse_suit(trump)]
    belote = cards & pair == pair
    return {"annonces_total": worth, "belote": belote, "total_if_best": worth + belote * BELOTE}


def annonces_compare(game: Preset, *, trump: str, hands: list[list[str]], declared: list[bool] | None = None) -> Facts:
    suit = parse_suit(trump)
    said = [
        (seat, one)
        for seat, (hand, speaks) in enumerate(zip(hands, declared or [True] * 4, strict=True))
        for one in best_announcements(card_set(cards_of(hand)), suit)
        if speaks
    ]
    shown = counted(said, suit)
    return {"side": shown[0][0] % 2 if shown else None, "points": list(points(shown))}


def hands_for(events: list[list[Any]]) -> list[int]:
    """Eight cards for each seat, the named ones in the order played, with which each seat that declares may."""
    hands = [card_set(cards_of([event[2] for event in events if event[:2] == ["play", seat]])) for seat in range(4)]
    for kind, seat, *what in events:
        if kind.startswith("declare"):
            named = [text for text in (what[0].split() if what else []) if text[0] in SUITS and text[1:] in RANKS]
            hands[seat] |= card_set(cards_of(named))
    free = [card for card in PACK if not sum(hands) >> card & 1]
    for kind, seat, *_ in events:
        if kind.startswith("declare") and not best_announcements(hands[seat]):
            run = next(one for one in pairwise_runs(free) if hands[seat].bit_count() <= 5)
            hands[seat] |= card_set(run)
            free = [card for card in free if card not in run]
    for seat in range(4):
        while hands[seat].bit_count() < 8:
            hands[seat] |= 1 << free.pop()
    return hands


def pairwise_runs(cards: list[int]) -> Iterator[tuple[int, int, int]]:
    """Three cards that follow each other in a suit, the last ones first."""
    for low in reversed(cards):
        if low % 8 < 6 and low + 1 in cards and low + 2 in cards:
            yield low, low + 1, low + 2


def annonces_timing(game: Preset, *, events: list[list[Any]]) -> Facts:
    """Who may declare and show when. `trick` says how many tricks are over; what they were does not matter."""
    leader = next((event[1] for event in events if event[0] == "play"), 0)
    hands = hands_for(events)
    deal = game.rules.start(PACK, (leader - 1) % 4, game.options)
    deal = deal._replace(taker=0, trump=3, hands=tuple(hands), stock=(), stock_left=0)
    found: Facts = {"valid": True}
    for kind, *what in events:
        try:
            match kind, what:
                case "trick", [tricks]:
                    deal = deal._replace(tricks=(tricks, 0), turn=leader)
                case "play", [seat, card]:
                    deal = game.rules.apply(deal._replace(turn=seat), Play(parse_card(card)))
                case "declare" | "declare_after_own_card", [seat, *_]:
                    held = deal.hands[seat] if deal.hands else 0
                    deal = announcing.declare(deal, seat)
                    if held != hands[seat]:
                        found["computed_on"] = "hand before the first card"
                case "reveal", [seat]:
                    # Shown with the first card of the second trick, by all of the winning side.
                    assert deal.announcing is not None
                    if deal.announcing.counted is None or not deal.announcing.counted[seat % 2]:
                        return {"valid": False, "error": "nothing is shown"}
                case _:
                    raise AssertionError(f"unknown event {kind}")
        except (IllegalAction, WrongPhase):
            return {"valid": False, "error": f"too late: trick {sum(deal.tricks) + 1}"}
    return found


def deck_cut(game: Preset, *, deck: list[str], cut: int) -> Facts:
    return {"deck": texts_of(cut_pack(cards_of(deck), cut))}


def deck_policy(game: Preset, *, void_streak: list[int] | None = None, deals: list[str] | None = None) -> Facts:
    """Either the count of void deals in a row as it grows, or how the deals ended."""
    streak, shuffle = 0, False
    for expected in void_streak or []:
        before = streak
        streak, shuffle = after_deal(streak, void=True)
        assert before + 1 == expected
    for ending in deals or []:
        streak, shuffle = after_deal(streak, void=ending == "void")
    return {"shuffle": shuffle, "streak": streak, "streak_after": streak}


def deck_gather(game: Preset, *, tricks: list[list[Any]], taker_side: int) -> Facts:
    return {"order": texts_of(pile_up([(winner % 2, cards_of(cards)) for winner, cards in tricks], taker_side))}


def shared(fact: Callable[..., Facts]) -> Callable[..., Facts]:
    """A fact that is the same in every game."""
    return lambda game, **given: fact(game.rules, **given)


FOUR_FACTS: dict[str, Callable[..., Facts]] = {
    "legal": legal,
    "trick": trick,
    "deal_layout": deal_layout,
    "auction": auction,
    "belote": shared(facts.belote),
    "dealer": shared(facts.dealer),
    "deal_score": deal_score,
    "match": match,
    "replay": replay,
    "perft": perft,
    "annonces_detect": annonces_detect,
    "annonces_belote": annonces_belote,
    "annonces_compare": annonces_compare,
    "annonces_timing": annonces_timing,
    "deck_cut": deck_cut,
    "deck_policy": deck_policy,
    "deck_gather": deck_gather,
}


def sheet_deal_score(
    sheet: Sheet, *, pot: int = 0, bid: Any = None, double: str | None = None, scoring: str = "faits", **given: Any
) -> Facts:
    contract = None
    if bid is not None:
        found = contract_of(bid, 0, double)
        contract = SheetContract(found.value, found.double, Scoring(scoring))
    return score_facts(sheet.line(made_of(**given), pot, contract))


def rounding(sheet: Sheet, *, value: int | None = None, **given: Any) -> Facts:
    if value is not None:
        return {"rounded": round_to_ten(value)}
    return sheet_deal_score(replace(sheet, rounding=True), **{"tricks": [4, 4], **given})


def sheet_validation(
    sheet: Sheet,
    *,
    points: list[int] | None = None,
    cards: list[int] | None = None,
    der: int | None = None,
    tricks: list[int] | None = None,
) -> Facts:
    try:
        if cards is not None:
            assert der is not None
            points = list(with_last_trick((cards[0], cards[1]), der))
        assert points is not None
        check_points((points[0], points[1]), der, None if tricks is None else (tricks[0], tricks[1]))
    except Malformed as error:
        return {"ok": False, "error": error.message}
    return {"ok": True, "points": points}


SHEET_FACTS: dict[str, Callable[..., Facts]] = {
    "deal_score": sheet_deal_score,
    "rounding": rounding,
    "sheet_validation": sheet_validation,
}
