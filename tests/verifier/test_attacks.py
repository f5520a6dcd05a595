"""What an operator with every key but the honest seat's tries, against the held file of that seat."""

from typing import Literal

import pytest

from fairdeal_verifier import verify
from tests.verifier.builder import ENDINGS, Match, Server, target


def ended_before_the_last_act(won: Match) -> tuple[Match, int]:
    """The same match, declared void where its last act was still to come; and how many events that copy has."""
    last_act = max(n for n, event in enumerate(won.events) if event["type"] == "act")
    void = won.copy()
    del void.events[last_act:]
    t, totals = void.events[-1]["t"], void.events[[n for n in range(last_act) if won.events[n]["type"] == "score"][-1]]
    stake = won.events[0]["data"]["stake"]
    paid = {"pot": -2 * stake, "seat:0": stake, "seat:1": stake, "commission": 0, "tax": 0}
    tail = (
        ("end", {"cause": "operator", "reason": "void", "totals": totals["data"]["totals"], "winner": None}),
        ("reveal", won.events[won.find("reveal")]["data"]),
        ("settle", {"lines": [{"account": name, "amount": amount} for name, amount in paid.items()]}),
    )
    for kind, data in tail:
        void.events.append({"by": -1, "data": data, "n": len(void.events), "t": t, "type": kind})
    return void, len(void.events)


@pytest.mark.parametrize("signatures", ["all", "last"])
def test_a_win_turned_into_a_void_match_that_is_shorter(signatures: Literal["all", "last"]) -> None:
    """The held file has no receipt between the cut and the new end; the one of the true end says that it went on."""
    won = target(3)
    void, have = ended_before_the_last_act(won)
    report = verify(void.bundle(), won.policy(), won.held_file(), signatures=signatures)
    assert (report.verdict, report.step, report.cause, report.broken_at) == ("cheated", 3, "fork", have)
    assert report.suspects is None
    # Without the receipts beyond it nothing tells: the operator may end a match at any time.
    won.held[0][:] = [line for line in won.held[0] if line["view"]["size"] <= have]
    assert verify(void.bundle(), won.policy(), won.held_file()).verdict == "verified"


def test_a_line_beyond_the_end_accuses_by_its_own_signature_alone() -> None:
    won = target(3)
    void, _ = ended_before_the_last_act(won)
    won.held[0][-1]["sig"] = won.held[0][-2]["sig"]
    report = verify(void.bundle(), won.policy(), won.held_file())
    assert (report.verdict, report.cause) == ("altered", "held_signature")


def test_a_copy_that_is_not_closed_may_be_shorter_than_what_was_held() -> None:
    match = Server(4).begin().steps(9).match
    policy, held = match.policy(), match.held_file()
    del match.events[-3:]
    assert verify(match.bundle(), policy, held).verdict == "pending"


@pytest.mark.parametrize("name", ENDINGS)
def test_no_honest_match_is_accused_for_its_own_last_receipt(name: str) -> None:
    match = ENDINGS[name](6)
    assert verify(match.bundle(), match.policy(), match.held_file()).verdict in ("verified", "unchecked")
