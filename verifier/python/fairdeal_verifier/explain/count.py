"""The marks of a deal as sums that can be added up by hand (protocol 4)."""

from fairdeal_verifier.annonces import DEDANS as ANNONCES_DEDANS
from fairdeal_verifier.canonical import Json
from fairdeal_verifier.cards import SUITS
from fairdeal_verifier.classique import DEDANS
from fairdeal_verifier.coinche import FAILED
from fairdeal_verifier.explain.course import PlayedDeal
from fairdeal_verifier.four import BELOTE, CAPOT, CAPOT_BONUS, TRICKS
from fairdeal_verifier.game import SIDES, Score
from fairdeal_verifier.rulesets import Ruleset

DUEL_TRICKS = 16

Terms = list[tuple[str, int]]
"""What one side marks, as (name, value); the names are keys of `words`."""


def score_facts(game: Ruleset, deal: PlayedDeal, *, counts_bid: bool) -> dict[str, Json] | None:
    """The score as computed here, step by step; None while the deal is not over."""
    score = deal.score
    if score is None:
        return None
    contract: Json = None
    if score.contract is not None:
        contract = {**score.contract._asdict(), "suit": SUITS[score.contract.suit], "bid_counts": counts_bid}
    return {
        "taker": score.taker,
        "outcome": score.outcome,
        "points": list(score.points),
        "tricks": list(score.tricks),
        "belote": score.belote,
        "contract": contract,
        "full": [_json(_full(game, score, side)) for side in range(SIDES)],
        "terms": [_json(_marks(game, score, deal.pot, side, counts_bid)) for side in range(SIDES)],
        "marks": list(score.marks),
        "pot_before": deal.pot,
        "pot_after": score.pot,
        "totals_before": list(deal.totals),
        "totals": [deal.totals[side] + score.marks[side] for side in range(SIDES)],
    }


def _json(terms: Terms) -> Json:
    return [[name, value] for name, value in terms]


def _belote(score: Score, side: int) -> Terms:
    return [("belote", BELOTE)] if score.belote == side else []


def _full(game: Ruleset, score: Score, side: int) -> Terms:
    """The full total of a side."""
    terms: Terms = [("points", score.points[side]), *_belote(score, side)]
    if score.announcements[side]:
        terms.append(("announcements", score.announcements[side]))
    if score.tricks[side] == _all_tricks(game):
        terms.append(("all_tricks", CAPOT_BONUS))
    return terms


def _all_tricks(game: Ruleset) -> int:
    return DUEL_TRICKS if game.seats == SIDES else TRICKS


def _marks(game: Ruleset, score: Score, pot: int, side: int, counts_bid: bool) -> Terms:
    if score.taker is None:
        return []
    mine = score.taker % SIDES
    if score.contract is not None:
        return _contract_marks(game, score, side, counts_bid)
    if score.outcome == "litige":
        return [] if side == mine else _full(game, score, side)
    takes = score.tricks.index(_all_tricks(game)) if score.outcome == "capot" else mine
    winner = 1 - mine if score.outcome == "dedans" else takes
    waiting: Terms = [("pot", pot)] if pot and side == winner else []
    if score.outcome == "made":
        return _full(game, score, side) + waiting
    terms: Terms = []
    if side == winner:
        dedans = ANNONCES_DEDANS if game.announces else DEDANS
        terms.append(("capot", CAPOT) if score.outcome == "capot" else ("dedans", dedans))
        if sum(score.announcements):
            terms.append(("announcements", sum(score.announcements)))
    return terms + _belote(score, side) + waiting


def _contract_marks(game: Ruleset, score: Score, side: int, counts_bid: bool) -> Terms:
    contract = score.contract
    assert contract is not None, "asked for a deal of the coinche alone"
    mine = contract.seat % SIDES
    bid: Terms = [("bid", contract.value)] if counts_bid else []
    if score.outcome != "failed" and contract.double == 1:
        return _full(game, score, side) + (bid if side == mine else [])
    winner = 1 - mine if score.outcome == "failed" else mine
    if side != winner:
        return _belote(score, side)
    terms: Terms = [("capot", CAPOT) if score.tricks[side] == TRICKS else ("contract", FAILED), *bid]
    # Doubled is adding the same once more, or thrice.
    if contract.double > 1:
        terms.append((f"times_{contract.double}", (contract.double - 1) * sum(value for _, value in terms)))
    return terms + _belote(score, side)
