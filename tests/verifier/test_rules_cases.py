"""The cases of the `--cases` file against the verifier's own rules: a second implementation of the same text."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from fairdeal_verifier import actions, canonical, classique, coinche, duel, four
from fairdeal_verifier.annonces import DEDANS, Annonces, Found, best_side, find_announcements, total
from fairdeal_verifier.cards import BEATS, CARD_NAMES, CARDS, DECLARE, RANKS, ROYALS, SUITS, as_set, members
from fairdeal_verifier.errors import IllegalAction, SchemaRefused
from fairdeal_verifier.events import parse_event
from fairdeal_verifier.fold import Fold
from fairdeal_verifier.game import Contract, replay, winner
from fairdeal_verifier.merkle import roots
from fairdeal_verifier.rulesets import RULESETS, Ruleset
from fairdeal_verifier.shuffle import cut_at, deal_pack
from tests.verifier.builder import Server

SOME_DECK = list(range(CARDS))
Given = dict[str, Any]
Facts = dict[str, Any]

GAMES = {
    "duel": "duel@1",
    "classique": "classique@1",
    "coinche": "coinche@1",
    "coinche-demandes": "coinche@1",
    "annonces": "annonces@1",
}
"""The games a case may name, and the ruleset that plays them; other names are customs that no match is played by."""
RISE_AND_FORCED = {"classique": (False, True), "annonces": (True, False), "classique-ffb": (True, True)}
"""The two options of the duties, by the name in a case."""
PROSE = {"error", "computed_on", "pot_lost"}
"""What a case says in words, or of a match that is over."""


def cards(names: list[str]) -> list[int]:
    return [CARD_NAMES.index(name) for name in names]


def names(found: int) -> list[str]:
    return [CARD_NAMES[card] for card in members(found)]


def hand_of(given: list[str]) -> int:
    return as_set(*cards(given))


def action_of(word: str) -> int:
    """`pass`, `S`, `S10`, `100S`, `capotS`; raises SchemaRefused."""
    value = word.rstrip("SHDCAT") if word[0].isdigit() else "capot" if word.startswith("capot") else ""
    if value:
        return actions.bid({"suit": word[len(value) :], "value": 250 if value == "capot" else int(value)})
    return CARD_NAMES.index(word) if word in CARD_NAMES else actions.bid(word)


def ruleset_of(given: Given) -> Ruleset:
    return RULESETS[GAMES[given["ruleset"]]]


# --- games for two and for four alike


def match(given: Given) -> Facts:
    totals = (given["before"][0], given["before"][1])
    for marks in given["deal_marks"]:
        totals = totals if marks == "void" else (totals[0] + marks[0], totals[1] + marks[1])
    won_by = winner(totals, given["target"])
    state = "won" if won_by is not None else "extra_deal" if max(totals) >= given["target"] else "continue"
    return {"totals": list(totals), "state": state, "winner": won_by}


def auction(given: Given) -> Facts:
    ruleset, dealer, deck = ruleset_of(given), given["dealer"], list(SOME_DECK)
    if "turnup" in given:
        turned = CARD_NAMES.index(given["turnup"])
        deck.remove(turned)
        deck.insert(12 if ruleset.seats == 2 else 20, turned)
    deal = ruleset.start(deck, dealer)
    for index, (seat, word) in enumerate(given["actions"]):
        try:
            if seat != deal.turn:
                raise IllegalAction("turn")
            deal.act(action_of(word))
        except (IllegalAction, SchemaRefused):
            return {"illegal_at": index}
    next_dealer = (dealer + 1) % ruleset.seats
    if deal.taker is None or deal.trump is None:
        score = deal.score(given.get("pot", 0), counts_bid=False)
        kept = score.pot == given.get("pot", 0)
        void = deal.turn is None and score.outcome == "void"
        return {"void": void, "next_dealer": next_dealer, "deal_number_increment": 1, "pot_kept": kept}
    facts: Facts = {
        "trump": SUITS[deal.trump],
        "taker": deal.taker,
        "leader": deal.turn,
        "hands": [hand.bit_count() for hand in deal.hands],
    }
    if isinstance(deal, duel.Duel):
        facts["stock"] = CARDS - deal._stock
    if isinstance(deal, coinche.Coinche) and deal.contract is not None:
        value, double = deal.contract.value, deal.contract.double
        facts["contract"] = ("capot" if value == 250 else str(value)) + SUITS[deal.contract.suit]
        facts["double"] = {1: None, 2: "coinche", 4: "surcoinche"}[double]
    if deal.turned is not None:
        facts["turnup_owner"] = next(seat for seat, hand in enumerate(deal.hands) if hand >> deal.turned & 1)
    return facts


def replayed(given: Given) -> Facts:
    ruleset, deck = ruleset_of(given), cards(given["deck"])
    deal, said, done = ruleset.start(deck, given["dealer"]), [], []
    for seat, name in given["actions"]:
        assert deal.turn == seat
        if "declare" in given and deal.legal()[-1] == DECLARE:
            deal.act(DECLARE)
            done.append(DECLARE)
        done.append(action_of(name))
        says = deal.act(done[-1])
        said += [[seat, says, name]] if says else []
    counts_bid = given["ruleset"] == "coinche-demandes"
    found = deal.score(0, counts_bid=counts_bid)
    assert replay(ruleset.start(deck, given["dealer"]), done).score(0, counts_bid=counts_bid) == found
    return {
        "trump": None if deal.trump is None else SUITS[deal.trump],
        "taker": found.taker,
        "points": list(found.points),
        "tricks": list(found.tricks),
        "belote_side": found.belote,
        "announcements": said,
        "annonces": list(found.announcements),
        "outcome": found.outcome,
        "marks": list(found.marks),
        "pot": found.pot,
    }


def perft(given: Given) -> Facts:
    ruleset, deck = ruleset_of(given), cards(given["deck"])

    def count(done: list[int], depth: int) -> int:
        deal = ruleset.start(deck, given["dealer"])
        for action in done:
            deal.act(action)
        # The cases count bids and cards.
        choices = [action for action in deal.legal() if action != DECLARE]
        return len(choices) if depth == 1 else sum(count([*done, action], depth - 1) for action in choices)

    return {"count": count([action_of(name) for _, name in given["actions"]], given["depth"])}


def deal_layout(given: Given) -> Facts:
    ruleset, deck = ruleset_of(given), cards(given["deck"])
    deal = ruleset.start(deck, given["dealer"])

    def hands() -> list[list[str]]:
        return [[CARD_NAMES[card] for card in deck if hand >> card & 1] for hand in deal.hands]

    facts: Facts = {"hands": hands()}
    facts["turnup"] = facts["turned"] = None if deal.turned is None else CARD_NAMES[deal.turned]
    if isinstance(deal, duel.Duel):
        facts |= {"stock_top": CARD_NAMES[deck[deal._stock]], "stock_size": CARDS - deal._stock}
    if "taker" in given:
        while deal.turn != given["taker"]:
            deal.act(actions.bid("pass"))
        deal.act(actions.bid("take"))
        facts["hands_after_take"] = hands()
    return facts


# --- the duel


def duel_legal(given: Given) -> Facts:
    led = CARD_NAMES.index(given["trick"][0][1]) if given["trick"] else None
    trump = SUITS.index(given["trump"])
    return {"legal": names(duel.legal_cards(hand_of(given["hand"]), led, trump, free=given["phase"] == "free"))}


def duel_score(given: Given) -> Facts:
    points, tricks = given["points"], given["tricks"]
    found = duel.score(given["taker"], (points[0], points[1]), (tricks[0], tricks[1]), given.get("belote"))
    return {"outcome": found.outcome, "marks": list(found.marks), "pot": found.pot}


def belote(given: Given) -> Facts:
    deal = duel.Duel(SOME_DECK, 0)
    deal.trump, deal.hands = SUITS.index(given["trump"]), [0, 0]
    announced = []
    for kind, seat, what in given["events"]:
        if kind in ("play", "timeout_play"):
            deal.turn, deal._led = seat, None
            says = deal.act(CARD_NAMES.index(what))
            announced += [[seat, says, what]] if says else []
        else:
            deal.hands[seat] |= hand_of(what if isinstance(what, list) else [what])
    return {"announced": announced, "belote_side": deal.belote}


# --- games for four


def trick(given: Given) -> Facts:
    """Each seat holds one card, and plays it; in a game for four that is the last trick, which brings 10 more."""
    ruleset, down = ruleset_of(given), given["trick"]
    deal = ruleset.start(SOME_DECK, 0)
    deal.trump, deal.turn = SUITS.index(given["trump"]), down[0][0]
    deal.hands = [0] * ruleset.seats
    for seat, name in down:
        deal.hands[seat] = hand_of([name])
    for _, name in down:
        deal.act(CARD_NAMES.index(name))
    points, side = sum(deal.points), deal.tricks.index(1)
    if ruleset.seats == 2:
        return {"winner": side, "points": points}
    assert isinstance(deal, four.FourDeal)
    assert deal.leader & 1 == side
    return {"winner": deal.leader, "points": points - 10}


def legal(given: Given) -> Facts:
    rise, forced = RISE_AND_FORCED[given["ruleset"]]
    down, trump = [(seat, CARD_NAMES.index(name)) for seat, name in given["trick"]], SUITS.index(given["trump"])
    holder, best = down[0] if down else (0, 0)
    for seat, card in down[1:]:
        if BEATS[trump][best] >> card & 1:
            holder, best = seat, card
    allowed = four.legal_cards(
        hand_of(given["hand"]),
        down[0][1] if down else None,
        best,
        trump,
        partner_holds=(holder ^ given["seat"]) == 2,
        rise=rise,
        forced=forced,
    )
    return {"legal": names(allowed)}


def deal_score(given: Given) -> Facts:
    points, tricks = (given["points"][0], given["points"][1]), (given["tricks"][0], given["tricks"][1])
    if "bid" in given:
        value = 250 if given["bid"] == "capot" else given["bid"]
        double = {None: 1, "coinche": 2, "surcoinche": 4}[given.get("double")]
        counts_bid = given["ruleset"] == "coinche-demandes"
        contract = Contract(double, given["taker"], 0, value)
        found = coinche.score(contract, points, tricks, given.get("belote"), counts_bid=counts_bid)
    else:
        announcing = given["ruleset"] == "annonces"
        counted = given.get("annonces", (0, 0))
        found = classique.score(
            given["taker"],
            points,
            tricks,
            given.get("belote"),
            given.get("pot", 0),
            dedans=DEDANS if announcing else classique.DEDANS,
            announcements=(counted[0], counted[1]),
        )
    return {"outcome": found.outcome, "marks": list(found.marks), "pot": found.pot}


# --- announcements, and the pack that is not shuffled


def told(found: Found) -> str:
    """As the cases name an announcement."""
    strength, held = found
    highest = members(held)[-1]
    if strength.square:
        return f"carre {RANKS[highest & 7]}"
    kind = {20: "tierce", 50: "cinquante", 100: "cent"}[strength.value]
    return f"{kind} {SUITS[highest >> 3]} to {RANKS[highest & 7]}"


def annonces_detect(given: Given) -> Facts:
    facts = []
    for trump in range(4):
        found = find_announcements(hand_of(given["hand"]), trump)
        facts.append({"total": total(found), "annonces": sorted(map(told, found), key=given["names"].index)})
    assert facts[1:] == facts[:-1]
    return facts[0]


def annonces_compare(given: Given) -> Facts:
    trump = SUITS.index(given["trump"])
    deal = Annonces(SOME_DECK, 3)
    deal.trump, deal._dealt = trump, [hand_of(hand) for hand in given["hands"]]
    for seat, speaks in enumerate(given.get("declared", [True] * 4)):
        found = find_announcements(deal._dealt[seat], trump)
        if speaks and found:
            deal._declared[seat] = found
    shown = deal.shown()
    counted = deal.counted()
    side = best_side(deal._declared)
    assert {one.seat & 1 for one in shown} == ({side} if side is not None else set())
    return {"side": side, "points": list(counted)}


def annonces_belote(given: Given) -> Facts:
    hand, trump = hand_of(given["hand"]), SUITS.index(given["trump"])
    found = total(find_announcements(hand, trump))
    both = hand & ROYALS[trump] == ROYALS[trump]
    return {"annonces_total": found, "belote": both, "total_if_best": found + 20 * both}


def annonces_timing(given: Given) -> Facts:
    """Every seat has a tierce as dealt; `first` plays first."""
    deal = Annonces(SOME_DECK, 3)
    events = given["events"]
    deal.trump, deal._dealt = 3, [0b111 << 8 * seat for seat in range(4)]
    deal.first = deal.turn = next((event[1] for event in events if event[0] == "play"), 0)
    for kind, seat, *what in events:
        if kind == "trick":
            deal._played = SOME_DECK[: 4 * seat]
        elif kind == "play":
            deal.turn, deal._led = seat, None
            deal.hands[seat] |= hand_of(what)
            deal.act(CARD_NAMES.index(what[0]))
        elif kind.startswith("declare"):
            try:
                deal.declare(seat)
            except IllegalAction:
                return {"valid": False}
    return {"valid": True}


def deck_cut(given: Given) -> Facts:
    return {"deck": [CARD_NAMES[card] for card in cut_at(cards(given["deck"]), given["cut"])]}


def deck_gather(given: Given) -> Facts:
    deal = Annonces(SOME_DECK, 0)
    deal.taker = given["taker_side"]
    for side, down in given["tricks"]:
        deal._winners.append(side)
        deal._played += cards(down)
    return {"order": [CARD_NAMES[card] for card in deal.gathered()]}


def deck_policy(given: Given) -> Facts:
    """A match with these deals, and the pack that the fold takes for the deal after them."""
    server = Server(1, "annonces@1", target=2001).begin()
    for word in given.get("deals", ["void"] * len(given.get("void_streak", ()))):
        number = server.number
        while server.number == number:
            server.act(actions.bid("pass") if word == "void" else None)
    root = roots(server.match.leaves)[5]
    ruleset = RULESETS["annonces@1"]
    parsed = [parse_event(event, ruleset)[1] for event in map(canonical.decode, server.match.leaves)]
    fold = Fold(parsed[0], server.server_seed, root)  # type: ignore[arg-type]
    for event in parsed[1:]:
        fold.apply(event)
    assert isinstance(fold._deal, Annonces)
    shuffled = deal_pack(server.server_seed, root, server.seat_seeds, server.number)
    streak = fold._voids_in_row
    return {"shuffle": fold._deal._deck == shuffled, "streak": streak, "streak_after": streak}


FACTS: dict[str, Callable[[Given], Facts]] = {
    "legal": legal,
    "trick": trick,
    "deal_score": deal_score,
    "match": match,
    "deal_layout": deal_layout,
    "auction": auction,
    "replay": replayed,
    "perft": perft,
    "annonces_detect": annonces_detect,
    "annonces_compare": annonces_compare,
    "annonces_belote": annonces_belote,
    "annonces_timing": annonces_timing,
    "deck_cut": deck_cut,
    "deck_gather": deck_gather,
    "deck_policy": deck_policy,
}
OF_THE_DUEL = {"legal": duel_legal, "deal_score": duel_score, "belote": belote}


def facts_of(case: Given) -> Callable[[Given], Facts] | None:
    """What answers a case, if it is of our games and of the rules of a deal."""
    kind, game = case["type"], case["ruleset"]
    if game == "duel":
        return OF_THE_DUEL.get(kind, FACTS.get(kind))
    # Two customs share one rule each with our games.
    known = game in GAMES or (game, kind) in {("classique-ffb", "legal"), ("feuille", "deal_score")}
    return FACTS.get(kind) if known else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        document = json.loads(metafunc.config.getoption("--cases").read_text(encoding="utf-8"))
        metafunc.parametrize(
            "case", [pytest.param(case, id=case["id"]) for case in document["cases"] if facts_of(case)]
        )


def test_case(case: Given) -> None:
    answer = facts_of(case)
    assert answer is not None
    expected = {name: value for name, value in case["expect"].items() if name not in PROSE}
    assert expected
    given = case["given"] | {"ruleset": case["ruleset"], "names": case["expect"].get("annonces")}
    facts = answer(given)
    assert {name: facts[name] for name in expected} == expected
