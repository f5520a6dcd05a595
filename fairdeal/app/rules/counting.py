"""Counting a deal, in the five steps of the score sheet: tricks, last trick, check, belote, contract (docs/rules)."""

from dataclasses import dataclass, replace
from typing import Final

from fairdeal.app.rules.games import CAPOT_WORD, GAMES, find_game, read_cards, read_pair, read_suit
from fairdeal.app.rules.texts import say
from fairdeal.app.rules.verdict import Asked, Contract, explain
from fairdeal.belote import DealScore, Scoring, pay_pot
from fairdeal.belote import duel as duel_rules
from fairdeal.belote.actions import CAPOT, VALUES, Double
from fairdeal.belote.annonces import Annonces
from fairdeal.belote.classique import Classique, Marking
from fairdeal.belote.classique import marks as turned_marks
from fairdeal.belote.coinche import Coinche, ContractMarking
from fairdeal.belote.coinche import marks as contract_marks
from fairdeal.belote.duel import Duel
from fairdeal.belote.four import TRICKS, Made
from fairdeal.belote.presets import SHEETS
from fairdeal.belote.sheet import Contract as SheetContract
from fairdeal.belote.sheet import check_points, with_last_trick
from fairdeal.belote.values import DEAL_POINTS, LAST_TRICK, VALUE
from fairdeal.cards import PACK, format_card, format_suit
from fairdeal.errors import Malformed

Pair = tuple[int, int]
"""A number of side 0 and of side 1."""

MAX_POT: Final = 100_000
"""More than any row of litiges leaves."""


@dataclass(frozen=True, slots=True)
class Step:
    """One of the five steps: what the sides have after it, None where it is not known apart, and a sentence."""

    number: int
    name: str
    sides: Pair | None
    text: str


@dataclass(frozen=True, slots=True)
class Count:
    """The first three steps, from the cards taken; `points` have the ten of the last trick, 162 in all."""

    game: str
    trump: str
    last_trick: int
    cards: Pair
    points: Pair
    tricks: Pair
    steps: tuple[Step, ...]


def count(game: str, trump: str, taken: str, last_trick: int, other: str | None = None, french: bool = False) -> Count:
    """The count of a deal in which side 0 took these cards, and side 1 the rest; `other` are its cards, to check.

    `last_trick` is the side that won it. Raises Malformed when cards are missing, there twice, or no whole tricks.
    """
    asked = find_game(game)
    suit, own = read_suit("trump", trump), read_cards("taken", taken)
    theirs = tuple(card for card in PACK if card not in own)
    if other is not None:
        stated = read_cards("other", other)
        if both := set(stated) & set(own):
            raise Malformed(f"other: {_named(both)} on both sides")
        if missing := set(theirs) - set(stated):
            raise Malformed(f"other: {_named(missing)} on neither side")
    players = asked.rules.players
    if len(own) % players:
        raise Malformed(f"taken: {len(own)} cards are no whole tricks of {players}")
    tricks = (len(own) // players, len(theirs) // players)
    if not tricks[last_trick]:
        raise Malformed("last_trick: won by the side that has no trick")
    cards = (sum(VALUE[suit][card] for card in own), sum(VALUE[suit][card] for card in theirs))
    points = with_last_trick(cards, last_trick)
    steps = _first_steps(points, cards, last_trick, french)
    return Count(asked.name, format_suit(suit), last_trick, cards, points, tricks, steps)


def _named(cards: set[int]) -> str:
    return " ".join(map(format_card, sorted(cards)))


def _first_steps(points: Pair, cards: Pair | None, last_trick: int | None, french: bool) -> tuple[Step, ...]:
    if cards is None:
        counted = Step(1, "tricks", None, say("tricks_with_last", french, *points))
        last = Step(2, "last_trick", points, say("last_trick_counted", french))
    else:
        counted = Step(1, "tricks", cards, say("tricks", french, *cards))
        last = Step(2, "last_trick", points, say("last_trick", french, *points, side=last_trick))
    return counted, last, Step(3, "check", points, say("check", french, *points, sum=sum(points)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A played deal as it is entered; pairs are those of side 0 and side 1, as `82,80`.

    `game` may be a score sheet too, with or without a contract. Either `points`, the ten of the last trick in them, or
    `cards` and the side that won the last trick. `tricks` are needed when a side has every point: a capot counts them.
    `pot` is what earlier litiges left; `bid` is 80 to 180 or capot; `rounding` is for score sheets.
    """

    game: str
    taker: int
    points: str | None = None
    cards: str | None = None
    last_trick: int | None = None
    tricks: str | None = None
    belote: int | None = None
    announcements: str | None = None
    pot: int = 0
    bid: str | None = None
    double: str | None = None
    scoring: str | None = None
    rounding: bool = False


@dataclass(frozen=True, slots=True)
class Marks:
    """What a deal brings: `taker` and `belote` are sides, `pot` is what waits afterwards, `steps` are all five."""

    game: str
    taker: int
    outcome: str
    points: Pair
    tricks: Pair | None
    belote: int | None
    announcements: Pair
    marks: Pair
    pot: int
    steps: tuple[Step, ...]


def marks(line: Line, french: bool = False) -> Marks:
    """The marks of a deal, each of the five steps spelled out. Raises Malformed for a line that cannot be."""
    name = line.game if line.game in SHEETS else find_game(line.game).name
    points, cards = _points(line)
    total = duel_rules.TRICKS if name in GAMES and isinstance(GAMES[name].rules, Duel) else TRICKS
    tricks = _tricks(line, points, total)
    announced = _announcements(line, name)
    asked = Asked(name, _contract(line, name), _pot(line, name), _rounding(line, name))
    made = Made(line.taker, points, tricks or (total // 2, total // 2), line.belote, announced)
    marking, score = _decide(asked, made)
    fourth, fifth = explain(asked, made, marking, score, french)
    steps = (
        *_first_steps(points, cards, line.last_trick, french),
        Step(4, "belote", fourth.sides, fourth.text),
        Step(5, "contract", fifth.sides, fifth.text),
    )
    return Marks(
        name, line.taker, score.outcome.value, points, tricks, line.belote, announced, score.marks, score.pot, steps
    )


def _points(line: Line) -> tuple[Pair, Pair | None]:
    """The points with the last trick, and the cards alone where they were given."""
    if (line.points is None) == (line.cards is None):
        raise Malformed("points or cards: one of them")
    if line.points is not None:
        points = read_pair("points", line.points)
        check_points(points, line.last_trick)
        if line.last_trick is None:
            return points, None
        return points, _without_last_trick(points, line.last_trick)
    assert line.cards is not None
    if line.last_trick is None:
        raise Malformed("last_trick: the side that won it, when the cards are counted without it")
    cards = read_pair("cards", line.cards)
    return with_last_trick(cards, line.last_trick), cards


def _without_last_trick(points: Pair, side: int) -> Pair:
    return (points[0] - LAST_TRICK, points[1]) if side == 0 else (points[0], points[1] - LAST_TRICK)


def _tricks(line: Line, points: Pair, total: int) -> Pair | None:
    if line.tricks is None:
        if DEAL_POINTS in points:
            raise Malformed("tricks: needed when a side has every point, since a capot counts tricks")
        return None
    tricks = read_pair("tricks", line.tricks)
    if sum(tricks) != total or min(tricks) < 0:
        raise Malformed(f"tricks: {total} in all")
    for side in (0, 1):
        if not tricks[side] and (points[side] or line.last_trick == side):
            raise Malformed("tricks: a side without a trick has no points and not the last one")
    return tricks


def _announcements(line: Line, name: str) -> Pair:
    if line.announcements is None:
        return (0, 0)
    if name not in GAMES or not GAMES[name].rules.features.announcements:
        raise Malformed("announcements: this game has none")
    announced = read_pair("announcements", line.announcements)
    if min(announced) < 0 or 0 not in announced:
        raise Malformed("announcements: one side counts all of its own, the other none")
    return announced


def _pot(line: Line, name: str) -> int:
    if line.pot and name in GAMES and not GAMES[name].rules.features.litige:
        raise Malformed("pot: this game has no litige")
    if not 0 <= line.pot <= MAX_POT:
        raise Malformed(f"pot: 0 to {MAX_POT}")
    return line.pot


def _rounding(line: Line, name: str) -> bool:
    if line.rounding and name not in SHEETS:
        raise Malformed("rounding: for score sheets alone")
    return line.rounding


def _contract(line: Line, name: str) -> Contract | None:
    """The contract, which a coinche needs and a score sheet may have."""
    contracted = name in GAMES and GAMES[name].rules.features.contract
    if line.bid is None:
        if contracted:
            raise Malformed("bid: 80 to 180 by tens, or capot")
        if line.double is not None or line.scoring is not None:
            raise Malformed("double and scoring: only with a bid")
        return None
    if name in GAMES and not contracted:
        raise Malformed("bid: this game has no contract")
    words = {CAPOT_WORD if value == CAPOT else str(value): value for value in VALUES}
    if line.bid not in words:
        raise Malformed("bid: 80 to 180 by tens, or capot")
    usual = GAMES[name].options.scoring if contracted else Scoring.MADE
    try:
        scoring = usual if line.scoring is None else Scoring(line.scoring)
        return Contract(words[line.bid], None if line.double is None else Double(line.double), scoring)
    except ValueError:
        raise Malformed("double: coinche or surcoinche; scoring: faits or faits+demandés") from None


def _decide(asked: Asked, made: Made) -> tuple[Marking | ContractMarking, DealScore]:
    """How the game marks, and the score with pot and rounding, as its rules have it."""
    if asked.game in SHEETS:
        sheet = replace(SHEETS[asked.game], rounding=asked.rounding)
        bid = asked.contract
        if bid is None:
            return Marking(capot=sheet.capot), sheet.line(made, asked.pot)
        contract = SheetContract(bid.value, bid.double, bid.scoring)
        return ContractMarking(capot=sheet.capot), sheet.line(made, asked.pot, contract)
    rules = GAMES[asked.game].rules
    marking: Marking | ContractMarking
    aside = 0
    match rules:
        case Coinche():
            marking = rules.marking
            assert asked.contract is not None
            outcome, written = contract_marks(made, *asked.contract, marking)
        case Classique() | Annonces():
            marking = rules.marking
            outcome, written, aside = turned_marks(made, marking)
        case _:
            assert isinstance(rules, Duel)
            marking = Marking()
            outcome, written = duel_rules.marks(made.taker, made.points, made.tricks, made.belote)
    score = DealScore(made.taker, made.points, made.tricks, made.belote, outcome, written, made.announcements, aside)
    return marking, pay_pot(score, asked.pot)
