"""An explanation: its numbers are those that hashlib, hmac and long division give, its cards those of the match."""

import hmac
import json
import math
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from itertools import chain, pairwise, product
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from fairdeal_verifier import classique, coinche, duel
from fairdeal_verifier.cards import CARD_NAMES
from fairdeal_verifier.explain import explain, render
from fairdeal_verifier.explain.count import score_facts
from fairdeal_verifier.explain.course import PlayedDeal, replay
from fairdeal_verifier.explain.play import choice_facts
from fairdeal_verifier.explain.words import DUTIES, TERMS, WORDS, show_card
from fairdeal_verifier.files import Bundle
from fairdeal_verifier.game import Contract, Score
from fairdeal_verifier.merkle import roots
from fairdeal_verifier.rulesets import RULESETS
from fairdeal_verifier.sentences import Language
from tests.verifier.builder import GAMES, Match, target

Facts = dict[str, Any]
LANGUAGES: tuple[Language, ...] = ("en", "fr")
SCORINGS = [("duel@1", {}), ("classique@1", {}), ("annonces@1", {}), ("coinche@1", {"scoring": "faits+demandés"})]


@cache
def played(game: str, seed: int = 0) -> Match:
    return target(seed, game, **dict(SCORINGS)[game])


def deals(match: Match) -> range:
    return range(1, 1 + sum(event["type"] == "deal" for event in match.events))


@cache
def told(game: str, seed: int = 0) -> list[Facts]:
    match = played(game, seed)
    return [explain(match.bundle(), number) for number in deals(match)]


def drawn(match: Match, label: bytes, number: int | None) -> tuple[bytes, bytes]:
    """A message and its HMAC, from the events alone."""
    seats = len(match.seats)
    seeds = {e["by"]: bytes.fromhex(e["data"]["do"]["seed"]) for e in match.events if e["type"] == "seed"}
    message = b"fairdeal/1 %b\n" % label + roots(match.leaves)[seats + 1] + b"".join(seeds[s] for s in range(seats))
    message += b"" if number is None else number.to_bytes(4, "big")
    key = bytes.fromhex(match.events[match.find("reveal")]["data"]["server_seed"])
    return message, hmac.new(key, message, sha256).digest()


def text(facts: Facts, language: Language) -> str:
    return render(facts, language)


@pytest.mark.parametrize("game", GAMES)
def test_the_seeds_and_the_dealer(game: str) -> None:
    match = played(game)
    opened = match.events[0]["data"]
    message, mac = drawn(match, b"dealer", None)
    first = int.from_bytes(mac, "big") % len(match.seats)
    for number, facts in enumerate(told(game), 1):
        seeds = facts["seeds"]
        assert seeds["server"]["commitment"] == opened["commitment"]
        joins = {e["by"]: e["data"]["do"]["join"]["seed_commitment"] for e in match.events if e["type"] == "join"}
        assert [one["commitment"] for one in seeds["seats"]] == [joins[seat] for seat in sorted(joins)]
        for one in (seeds["server"], *seeds["seats"]):
            assert sha256(bytes.fromhex(one["seed"])).hexdigest() == one["sha256"] == one["commitment"]
            assert one["opens"]
        assert facts["dealer"]["message"] == message.hex()
        assert facts["dealer"]["hmac"] == mac.hex()
        assert facts["dealer"]["first"] == first
        assert facts["dealer"]["dealer"] == match.events[match.find("deal", number - 1)]["data"]["dealer"]
        for language in LANGUAGES:
            lines = text(facts, language)
            for value in (opened["commitment"], seeds["table_root"], message.hex(), mac.hex(), seeds["server"]["seed"]):
                assert value in lines
            assert f"printf {seeds['server']['seed']} | xxd -r -p | sha256sum" in lines


@pytest.mark.parametrize("game", GAMES)
def test_the_pack(game: str) -> None:
    match, before = played(game), None
    for number, facts in enumerate(told(game), 1):
        pack = facts["pack"]
        cut = pack["how"].startswith("cut")
        assert cut == (game == "annonces@1" and number > 1)
        message, mac = drawn(match, b"cut" if cut else b"deal", number)
        integer = int.from_bytes(mac, "big")
        assert (pack["message"], pack["hmac"], pack["integer"]) == (message.hex(), mac.hex(), str(integer))
        if cut:
            count = 3 + integer % 27
            assert pack["cut"] == count
            assert pack["pack"] == pack["gathered"][count:] + pack["gathered"][:count]
            assert pack["gathered"] == gathered(before)
        else:
            assert pack["index"] == str(integer % math.factorial(32))
            assert pack["pack"] == shuffled(integer % math.factorial(32), pack["swaps"])
        before = facts
        for language in LANGUAGES:
            lines = text(facts, language)
            order = " ".join(show_card(card, language) for card in pack["pack"])
            for value in (message.hex(), mac.hex(), str(integer), pack.get("index", ""), order):
                assert value in lines
            assert all(f"{i}:{j}" in lines for i, j in pack.get("swaps", ()))


def shuffled(index: int, swaps: list[list[int]]) -> list[str]:
    """The order of that number, by the mixed-radix digits of the index."""
    assert [i for i, _ in swaps] == list(range(31, 0, -1))
    weight = 1
    for i, j in swaps:
        assert j == index // weight % (i + 1)
        weight *= i + 1
    cards = list(CARD_NAMES)
    for i, j in swaps:
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def gathered(before: Facts | None) -> list[str]:
    """The pack after a deal, from what was told of it."""
    assert before is not None
    if before["taker"] is None:
        first = [one["seat"] for one in before["dealing"]["packets"][:4]]
        hands = [[c for p in before["dealing"]["packets"] if p["seat"] == seat for c in p["cards"]] for seat in first]
        return [*chain.from_iterable(hands), before["dealing"]["turned"], *before["dealing"]["stock"]]
    side = before["taker"] % 2
    ordered = sorted(before["tricks"], key=lambda trick: trick["winner"] % 2 != side)
    return [one["card"] for trick in ordered for one in trick["cards"]]


@pytest.mark.parametrize("game", GAMES)
def test_hands_tricks_and_marks_are_the_matchs(game: str) -> None:
    match = played(game)
    for number, facts in enumerate(told(game), 1):
        start = match.find("deal", number - 1)
        event = match.events[start]["data"]
        dealing = facts["dealing"]
        assert facts["events"][0] == (0 if number == 1 else start)
        assert dealing["turned"] == event.get("turned")
        for seat, lines in enumerate(match.held):
            shown = next(one["view"]["hand"] for one in lines if one["view"]["size"] == start + 1)
            assert dealing["hands"][seat] == shown
            got = [c for one in dealing["packets"] if one["seat"] == seat for c in one["cards"]]
            assert sorted(got, key=CARD_NAMES.index) == shown
            if dealing["after"]:
                got += [c for one in dealing["after"] if one["seat"] == seat for c in one["cards"]]
                got += [dealing["turned"]] if seat == facts["taker"] else []
                assert sorted(got, key=CARD_NAMES.index) == dealing["full_hands"][seat]
        tricks = facts["tricks"]
        cards = [one for trick in tricks for one in trick["cards"]]
        for one in cards:
            acted = match.events[one["n"]]
            assert acted["data"]["do"] == {"card": one["card"]}
            assert one["seat"] == (acted["data"]["seat"] if one["timeout"] else acted["by"])
            assert one["says"] == acted["data"].get("says")
        assert all(trick["winner"] == then["cards"][0]["seat"] for trick, then in pairwise(tricks))
        check_score(match.events[match.find("score", number - 1)]["data"], facts)
        for language in LANGUAGES:
            lines = text(facts, language)
            assert lines.splitlines()[0] == WORDS["no_verdict"][language == "fr"]
            assert all(f"[{one['n']}]" in lines and show_card(one["card"], language) in lines for one in cards)
            assert all(str(value) in lines for value in facts["score"]["totals"])


def test_the_stock_is_drawn_by_winner_and_loser() -> None:
    match = played("duel@1")
    hands = {(one["view"]["seat"], one["view"]["size"]): one["view"]["hand"] for lines in match.held for one in lines}
    for facts in told("duel@1"):
        drawn = [trick for trick in facts["tricks"] if trick["drawn"]]
        assert len(drawn) in (0, 9)
        for trick in drawn:
            n = trick["cards"][-1]["n"]
            for seat, card in zip((trick["winner"], 1 - trick["winner"]), trick["drawn"], strict=True):
                assert card in hands[seat, n + 1]
                assert card not in hands[seat, n]


def check_score(written: Facts, facts: Facts) -> None:
    score = facts["score"]
    assert {name: score[name] for name in ("taker", "outcome", "points", "tricks", "belote", "marks", "totals")} == {
        name: written[name] for name in ("taker", "outcome", "points", "tricks", "belote", "marks", "totals")
    }
    for side in (0, 1):
        assert sum(value for _, value in score["terms"][side]) == score["marks"][side]
        if facts["tricks"]:
            points = sum(sum(trick["values"]) for trick in facts["tricks"] if trick["winner"] % 2 == side)
            last = 10 if facts["tricks"][-1]["winner"] % 2 == side else 0
            assert points + last == score["points"][side]


def scores(game: str) -> Iterator[tuple[Score, int, bool]]:
    """Every kind of score that a game has, with the pot that waited and whether the bid counts."""
    ruleset = RULESETS[game]
    tricks = 16 if ruleset.seats == 2 else 8
    for taker, points, belote in product(range(ruleset.seats), (0, 40, 71, 81, 91, 122, 162), (None, 0, 1)):
        won = {0: 0, 162: tricks}.get(points, 3)
        sides = ((points, 162 - points), (won, tricks - won))
        if game == "duel@1":
            yield duel.score(taker, *sides, belote), 0, False
        elif ruleset.auction:
            for value, double, counts in product((80, 120, 250), (1, 2, 4), (False, True)):
                contract = Contract(double, taker, 2, value)
                yield coinche.score(contract, *sides, belote, counts_bid=counts), 0, counts
        else:
            for pot, announced in product((0, 91), ((0, 0), (50, 0), (0, 120)) if ruleset.announces else ((0, 0),)):
                dedans = 160 if ruleset.announces else 162
                score = classique.score(taker, *sides, belote, pot, dedans=dedans, announcements=announced)
                yield score, pot, False


@pytest.mark.parametrize("game", GAMES)
def test_the_terms_add_up_to_the_marks(game: str) -> None:
    state = RULESETS[game].start(list(range(32)), 0)
    outcomes, names = set(), set()
    for score, pot, counts in scores(game):
        deal = PlayedDeal(1, 0, 5, list(range(32)), None, False, state, [], pot, (7, 9), score=score)
        facts: Any = score_facts(RULESETS[game], deal, counts_bid=counts)
        assert [sum(value for _, value in terms) for terms in facts["terms"]] == list(score.marks), (score, pot)
        assert facts["totals"] == [7 + score.marks[0], 9 + score.marks[1]]
        outcomes.add(score.outcome)
        names |= {name for terms in (*facts["terms"], *facts["full"]) for name, _ in terms}
    assert outcomes == set(RULESETS[game].outcomes) - {"void"}
    assert names <= set(TERMS)


@pytest.mark.parametrize("game", GAMES)
def test_every_event_belongs_to_one_deal(game: str) -> None:
    spans = [facts["events"] for facts in told(game)]
    assert [n for first, last in spans for n in range(first, last + 1)] == list(range(len(played(game).events)))


def signed_by_hand(match: Match, n: int) -> tuple[int, bytes]:
    event = match.events[n]
    size = {"join": 1, "seed": len(match.seats) + 1}.get(event["type"], n)
    data = event["data"]
    member = {"do": data["do"], "m": match.m, "root": data["root"], "seat": event["by"], "size": size}
    return size, b"fairdeal/1 action\n" + json.dumps(member, sort_keys=True, separators=(",", ":")).encode()


@pytest.mark.parametrize("game", GAMES)
def test_every_event_of_two_deals(game: str) -> None:
    match = played(game)
    tree = roots(match.leaves)
    keys = {e["by"]: e["data"]["do"]["join"]["key"] for e in match.events if e["type"] == "join"}
    views = {(one["view"]["seat"], one["view"]["size"]): one["view"] for lines in match.held for one in lines}
    for number in (1, len(deals(match))):
        first, last = told(game)[number - 1]["events"]
        for n in range(first, last + 1):
            event, facts = match.events[n], explain(match.bundle(), number, n)
            found: Any = facts["event"]
            assert found["line"].encode() == match.leaves[n]
            assert found["leaf"] == sha256(b"\0" + match.leaves[n]).hexdigest()
            assert found["root_after"] == tree[n + 1].hex()
            assert (found["signed"] is None) == (event["by"] < 0)
            if found["signed"]:
                size, message = signed_by_hand(match, n)
                signed = found["signed"]
                assert (signed["seat"], signed["size"], signed["key"]) == (event["by"], size, keys[event["by"]])
                assert signed["root"] == signed["computed_root"] == tree[size].hex()
                assert bytes.fromhex(signed["bytes"]) == message
                assert signed["verifies"]
                Ed25519PublicKey.from_public_bytes(bytes.fromhex(signed["key"])).verify(
                    bytes.fromhex(signed["signature"]), message
                )
            choice = found["choice"]
            assert (choice is not None) == (event["type"] == "act" or "overrun" in event["data"])
            if choice:
                view = views[choice["seat"], n]
                assert (choice["hand"], choice["legal"]) == (view["hand"], view["legal"])
                assert choice["allowed"]
            for language in LANGUAGES:
                lines = text(facts, language)
                assert found["line"] in lines
                assert found["leaf"] in lines
                assert not found["signed"] or found["signed"]["signature"] in lines


def suits(choice: Facts) -> tuple[str, str, set[str], set[str]]:
    """The suit led, trump, the suits in hand, those allowed."""
    legal = {do["card"][0] for do in choice["legal"] if "card" in do}
    return choice["on_table"][0]["card"][0], choice["trump"], {card[0] for card in choice["hand"]}, legal


HOLDS: dict[str, Callable[[str, str, set[str], set[str], bool], bool]] = {
    "follow": lambda led, trump, hand, legal, free: led != trump and legal == {led},
    "rise": lambda led, trump, hand, legal, free: led == trump and legal == {trump},
    "no_higher": lambda led, trump, hand, legal, free: led == trump and legal == {trump},
    "partner_trump": lambda led, trump, hand, legal, free: led == trump and legal == {trump},
    "partner": lambda led, trump, hand, legal, free: led not in hand and free,
    "ruff": lambda led, trump, hand, legal, free: led not in hand and legal == {trump},
    "overruff": lambda led, trump, hand, legal, free: led not in hand and legal == {trump},
    "underruff": lambda led, trump, hand, legal, free: led not in hand and legal == {trump},
    "no_underruff": lambda led, trump, hand, legal, free: led not in hand and trump in hand and free,
    "discard": lambda led, trump, hand, legal, free: not hand & {led, trump} and free,
    "stock": lambda led, trump, hand, legal, free: free,
}
"""What is true of the suits under each duty; `free` when the whole hand is allowed."""


def test_the_duty_told_is_the_one_that_held() -> None:
    seen = set()
    for game, seed in [(game, seed) for game in GAMES for seed in (0, 1)]:
        for deal in replay(Bundle.parse(played(game, seed).bundle())).deals:
            for move in deal.moves:
                choice: Any = choice_facts(RULESETS[game], deal, move, True)
                duty = choice["duty"]
                seen.add(duty)
                if duty in ("lead", "bid", "declare"):
                    assert not choice["on_table"] or duty == "declare"
                    assert ("card" in choice["do"]) == (duty == "lead")
                    continue
                free = len([do for do in choice["legal"] if "card" in do]) == len(choice["hand"])
                assert HOLDS[duty](*suits(choice), free), choice
    assert seen == set(DUTIES) - {"resign"}
