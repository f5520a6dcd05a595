"""Rules cases as questions to `fairdeal rules` and `/v1/rules`, and the same question on the command line."""

from collections.abc import Callable
from typing import Any, NamedTuple


class Question(NamedTuple):
    """`asked` are the members of the query; `expect` names members of the answer."""

    name: str
    asked: dict[str, Any]
    expect: dict[str, Any]


def _cards(trick: list[list[Any]]) -> str:
    return ",".join(card for _, card in trick)


def _pair(numbers: list[int]) -> str:
    return ",".join(map(str, numbers))


def legal(*, trump: str, trick: list[list[Any]], hand: list[str], seat: int, phase: str | None = None) -> Any:
    players = 2 if phase else 4
    assert [other for other, _ in trick] == [(seat - len(trick) + place) % players for place in range(len(trick))]
    return "legal", {"trump": trump, "trick": _cards(trick), "hand": ",".join(hand), "phase": phase}


def trick(*, trump: str, trick: list[list[Any]]) -> Any:
    return "trick", {"trump": trump, "trick": _cards(trick), "leader": trick[0][0]}


def deal_score(**given: Any) -> Any:
    names = {"annonces": "announcements"}
    asked = {names.get(name, name): _pair(value) if isinstance(value, list) else value for name, value in given.items()}
    return "marks", asked | ({"bid": str(given["bid"])} if "bid" in given else {})


def rounding(*, value: int | None = None, **given: Any) -> Any:
    """A bare number is what side 0 made, and writes."""
    if value is None:
        return "marks", deal_score(**given)[1] | {"rounding": True}
    return "marks", {"taker": 0, "points": _pair([value, 162 - value]), "tricks": "7,1", "rounding": True}


QUESTIONS: dict[str, Callable[..., Any]] = {
    "legal": legal,
    "trick": trick,
    "deal_score": deal_score,
    "rounding": rounding,
}


def question_of(case: dict[str, Any]) -> Question:
    """Raises TypeError when a case gives what no question has."""
    name, asked = QUESTIONS[case["type"]](**case["given"])
    asked = {"game": case["ruleset"]} | {key: value for key, value in asked.items() if value is not None}
    return Question(name, asked, dict(case["expect"]))


def facts(question: Question, answer: dict[str, Any]) -> dict[str, Any]:
    """What the answer says of each fact that the case expects."""
    known = answer | {"rounded": answer.get("marks", [None])[0]}
    return {name: known[name] for name in question.expect}


POSITIONAL = {"legal": "hand", "trick": "trick", "bids": "auction", "announcements": "hand", "count": "taken"}


def arguments_of(name: str, asked: dict[str, Any]) -> list[str]:
    """The question as arguments of `fairdeal`."""
    positions = [key for key in ("game", POSITIONAL.get(name)) if key in asked]
    options = []
    for key, value in asked.items():
        if key not in positions and value is not False:
            option = f"--{key.replace('_', '-')}"
            options.append(option if value is True else f"{option}={value}")
    return ["rules", name, *options, *(str(asked[key]) for key in positions)]
