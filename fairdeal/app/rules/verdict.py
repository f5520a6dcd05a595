"""The last two steps of counting in words: the belote, and what the contract makes of the totals."""

from typing import NamedTuple

from fairdeal.app.rules.texts import say
from fairdeal.belote import DealScore, Outcome, Scoring
from fairdeal.belote.actions import CAPOT, Double
from fairdeal.belote.classique import Marking
from fairdeal.belote.coinche import ContractMarking
from fairdeal.belote.four import Made


class Contract(NamedTuple):
    """What was bid: 80…180, or coinche.CAPOT."""

    value: int
    double: Double | None
    scoring: Scoring


class Asked(NamedTuple):
    """What is agreed for a deal beside what was made in it."""

    game: str
    contract: Contract | None
    pot: int
    rounding: bool


class Told(NamedTuple):
    """A step in words, with what the sides have after it."""

    sides: tuple[int, int]
    text: str


def explain(
    asked: Asked, made: Made, marking: Marking | ContractMarking, score: DealScore, french: bool
) -> tuple[Told, Told]:
    """Steps four and five of this score, which was decided by these very values."""
    winner = score.winner
    capot = _winner_of_all(score)
    points = list(made.points)
    if isinstance(marking, ContractMarking) and capot is not None:
        points[capot] = marking.capot
    with_belote = (points[0] + made.bonus[0], points[1] + made.bonus[1])
    totals = (with_belote[0] + made.announcements[0], with_belote[1] + made.announcements[1])
    fourth = []
    if points != list(made.points):
        fourth.append(say("capot_counts", french, *points, capot=max(points)))
    belote = "no_belote" if made.belote is None else "belote"
    fourth.append(say(belote, french, *with_belote, side=made.belote))
    if any(made.announcements):
        fourth.append(say("announced", french, *totals))
    if isinstance(marking, ContractMarking):
        assert asked.contract is not None
        fifth = _contract(asked.contract, made, marking, score, totals, french)
    else:
        fifth = _turned_card(made, marking, score, totals, french)
    if winner is not None and asked.pot:
        fifth.append(say("pot_won", french, side=winner, pot=asked.pot))
    if score.pot:
        fifth.append(say("pot_kept", french, pot=score.pot))
    if asked.rounding:
        fifth.append(say("rounded", french))
    fifth.append(say("written", french, *score.marks))
    return Told(totals, " ".join(fourth)), Told(score.marks, " ".join(fifth))


def _winner_of_all(score: DealScore) -> int | None:
    """The side that won every trick."""
    return 1 - score.tricks.index(0) if 0 in score.tricks else None


def _turned_card(made: Made, marking: Marking, score: DealScore, totals: tuple[int, int], french: bool) -> list[str]:
    """The contract where a card is turned: to have more than the other side."""
    other = 1 - made.taker
    values = {"own": totals[made.taker], "other": totals[other]}
    match score.outcome:
        case Outcome.CAPOT:
            winner, base = score.winner, marking.capot
        case Outcome.DEDANS:
            winner, base = other, marking.dedans
        case Outcome.LITIGE:
            return [say("litige", french, winner=other, **values)]
        case _:
            return [say("made", french, **values)]
    told = [say(score.outcome.value, french, winner=winner, base=base, **values)]
    if any(made.announcements):
        told.append(say("all_announcements", french, sum=sum(made.announcements), winner=winner))
    if made.belote is not None:
        told.append(say("belote_stays", french, side=made.belote))
    return told


def _contract(
    contract: Contract, made: Made, marking: ContractMarking, score: DealScore, totals: tuple[int, int], french: bool
) -> list[str]:
    """The contract of a coinche: to reach what was bid."""
    taker, other = made.taker, 1 - made.taker
    won = score.outcome is not Outcome.FAILED
    values = {"bid": contract.value, "own": totals[taker], "other": totals[other]}
    if contract.value == CAPOT:
        key = "capot_made" if won else "capot_failed"
    elif not won and totals[taker] >= contract.value:
        key = "contract_beaten"
    else:
        key = "contract_made" if won else "contract_failed"
    told = [say(key, french, **values)]
    bid = marking.capot_bid if contract.value == CAPOT else contract.value
    if contract.scoring is Scoring.MADE:
        bid = 0
    if won and contract.double is None:
        told.append(say("each_its_own", french))
        return [*told, say("and_bid", french, bid=bid)] if bid else told
    winner = taker if won else other
    base = marking.capot if _winner_of_all(score) == winner else marking.failed
    told.append(say("winner_writes", french, winner=winner, sum=_formula(base, bid, contract.double, marking)))
    if made.belote is not None:
        key, side = ("belote_won", winner) if marking.belote_to_winner else ("belote_stays", made.belote)
        told.append(say(key, french, side=side))
    return told


def _formula(base: int, bid: int, double: Double | None, marking: ContractMarking) -> str:
    """What a failed or doubled contract brings, written out: `(162 + 100) × 2 = 524`."""
    factor = marking.factor(double)
    result = (base + bid) * factor if marking.multiply_all else base + bid * factor
    times = "" if factor == 1 else f" × {factor}"
    if not bid:
        shown = f"{base}{times if marking.multiply_all else ''}"
    elif marking.multiply_all and times:
        shown = f"({base} + {bid}){times}"
    else:
        shown = f"{base} + {bid}{times}"
    return shown if shown == str(result) else f"{shown} = {result}"
