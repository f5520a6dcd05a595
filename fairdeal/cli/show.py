"""How the demo shows a table, a match as it goes, and the money."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import typer

from fairdeal.cards import RANKS, RANKS_FR, SUITS_FR, parse_card, parse_suit, rank_of, suit_of
from fairdeal.cli.texts import Language, say
from fairdeal.client import MatchClient
from fairdeal.match import Event, Terms

_WIDTH: Final = 44
"""Where the score of a deal begins, beside what was taken."""


class Show:
    """Prints to stdout in one language. `names` are the players by seat, once they sit."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._turned = ""
        self._taken: str | None = None
        self._seen = 0
        self.names: list[str] = []

    def head(self, key: str, **values: object) -> None:
        """A heading, after an empty line."""
        typer.echo()
        typer.secho(say(self.language, key, **values), bold=True)

    def text(self, key: str, **values: object) -> None:
        """A line under a heading."""
        typer.echo("  " + say(self.language, key, **values))

    def line(self, line: str) -> None:
        """What is the same in every language: a path, a command."""
        typer.echo(f"  {line}")

    def table(self, table: Mapping[str, Any]) -> None:
        """What is known before sitting down: the promise, the money, and what each ending means."""
        self.head("terms")
        self.text("promise", commitment=Terms.parse(Event.parse(table["open"].encode()).data).commitment)
        shares = ("pot", "commission", "tax")
        self.text("shares", net=table["winner_net"], **{name: table[name] for name in shares})
        for meaning in table["meanings"]:
            typer.echo(f"  · {meaning['text']}")

    def wallet(self, name: str, wallet: Mapping[str, Any]) -> None:
        """A player's money."""
        cash, held = (f"{wallet[part]} {wallet['asset']}" for part in ("cash", "held"))
        self.text("wallet", name=f"{name:6}", cash=cash, held=held)

    def watch(self, client: MatchClient) -> None:
        """Shows what has been added to the match since the last call."""
        lines = client.lines()
        for line in lines[self._seen :]:
            self._event(Event.parse(line))
        self._seen = len(lines)

    def _event(self, event: Event) -> None:
        data = event.data
        if event.type == "deal":
            self._turned = data["turned"]
            self._taken = None
        elif event.type in ("act", "timeout") and data.get("do", {}).get("bid", "pass") != "pass":
            self._took(self.names[max(event.by, data.get("seat", 0))], data["do"]["bid"])
        elif event.type == "score":
            self._score(data)
        elif event.type == "end":
            self._end(data)
        elif event.type == "settle":
            self.head("paid")
            for line in data["lines"]:
                typer.echo(f"  {self._account(line['account']):12}{line['amount']:>+8}")

    def _took(self, name: str, bid: str) -> None:
        suit = suit_of(parse_card(self._turned)) if bid == "take" else parse_suit(bid)
        turned = self._card(self._turned)
        self._taken = say(self.language, "taken", name=name, trump=SUITS_FR[suit], turned=turned)

    def _score(self, data: Mapping[str, Any]) -> None:
        what = self._taken or say(self.language, "void", turned=self._card(self._turned))
        line = f"  {say(self.language, 'deal', deal=data['deal']):9}{what:{_WIDTH}}"
        if data["taker"] is not None:
            outcome = say(self.language, data["outcome"])
            line += f"{self._pair(data['marks'])}  {outcome:15}→ {self._pair(data['totals'])}"
        typer.echo(line.rstrip())

    def _end(self, data: Mapping[str, Any]) -> None:
        reason = say(self.language, "void_match" if data["reason"] == "void" else data["reason"])
        typer.echo()
        if data["winner"] is None:
            self.text("nobody", reason=reason)
        else:
            totals = " – ".join(map(str, sorted(data["totals"], reverse=True)))
            self.text("won", name=self.names[data["winner"]], totals=totals, reason=reason)

    def _card(self, text: str) -> str:
        """The dame of hearts is D♥ in French, Q♥ in English."""
        card = parse_card(text)
        return (RANKS_FR if self.language == "fr" else RANKS)[rank_of(card)] + SUITS_FR[suit_of(card)]

    def _pair(self, marks: Sequence[int]) -> str:
        return " – ".join(f"{name} {mark:>3}" for name, mark in zip(self.names, marks, strict=True))

    def _account(self, account: str) -> str:
        kind, _, seat = account.partition(":")
        return self.names[int(seat)] if seat else say(self.language, kind)
