"""How the demo shows a table, a match as it goes, and the money."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import typer

from fairdeal.cards import RANKS, RANKS_FR, SUITS_FR, parse_card, parse_suit, rank_of, suit_of
from fairdeal.cli.texts import Language, say
from fairdeal.client import MatchClient
from fairdeal.match import Event, LogPart, Terms
from fairdeal.tlog import Checkpoint, Note

_WIDTH: Final = 44
"""Where the score of a deal begins, beside what was taken."""


class Show:
    """Prints to stdout in one language. `names` are the players by seat, once they sit."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._turned: str | None = None
        self._taken: str | None = None
        self._seen = 0
        self._codes_told = False
        self.names: list[str] = []

    def title(self, game: str, stake: int) -> None:
        """What is going to be played, and for how much."""
        key = "title" if game == "duel" else "title_four" if stake else "title_unstaked"
        self.head(key, stake=stake, game=say(self.language, f"game_{game}"))

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
        if not table["stake"]:
            self.text("no_stake")
            return
        self.text("shares", net=table["winner_net"], **{name: table[name] for name in shares})
        if "winner_nets" in table:
            self.text("winners", nets=" + ".join(map(str, table["winner_nets"])))
        for meaning in table["meanings"]:
            typer.echo(f"  · {meaning['text']}")

    def code(self, name: str, partner: str, code: str) -> None:
        """The first of a side sits, and lets the partner in."""
        if not self._codes_told:
            self.head("partners")
            self._codes_told = True
        self.text("code", name=name, partner=partner, code=code)

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

    def proven(self, log: LogPart) -> None:
        """Where the match stands in the log of all matches, and how long that was under the checkpoint taken away."""
        self.head("log")
        size = Checkpoint.parse(Note.parse(log.checkpoint).text).size
        self.text("proven", indexes=", ".join(str(one.index) for one in log.leaves), size=size)

    def _event(self, event: Event) -> None:
        data = event.data
        if event.type == "deal":
            self._turned = data.get("turned")
            self._taken = None
        elif event.type in ("act", "timeout") and data.get("do", {}).get("bid", "pass") != "pass":
            self._took(self.names[max(event.by, data.get("seat", 0))], data["do"]["bid"])
        elif event.type == "show":
            self._announced(data["announcements"])
        elif event.type == "score":
            self._score(data)
        elif event.type == "end":
            self._end(data)
        elif event.type == "settle":
            self.head("paid")
            for line in data["lines"]:
                typer.echo(f"  {self._account(line['account']):12}{line['amount']:>+8}")

    def _took(self, name: str, bid: str | Mapping[str, Any]) -> None:
        if not isinstance(bid, str):
            self._taken = say(
                self.language, "bid", name=name, value=bid["value"], trump=SUITS_FR[parse_suit(bid["suit"])]
            )
        elif bid in ("coinche", "surcoinche"):
            self._taken = f"{self._taken}, {say(self.language, bid, name=name)}"
        elif self._turned is not None:
            suit = suit_of(parse_card(self._turned)) if bid == "take" else parse_suit(bid)
            turned = self._card(self._turned)
            self._taken = say(self.language, "taken", name=name, trump=SUITS_FR[suit], turned=turned)

    def _announced(self, announcements: Sequence[Mapping[str, Any]]) -> None:
        for one in announcements:
            self.text("shows", name=self.names[one["seat"]], cards=" ".join(map(self._card, one["cards"])))
        if not announcements:
            self.text("shows_nothing")

    def _score(self, data: Mapping[str, Any]) -> None:
        passed = say(self.language, "void_auction")
        if self._turned is not None:
            passed = say(self.language, "void", turned=self._card(self._turned))
        what = self._taken or passed
        line = f"  {say(self.language, 'deal', deal=data['deal']):9}{what:{_WIDTH}}"
        if data["taker"] is not None:
            outcome = say(self.language, data["outcome"])
            line += f"{self._pair(data['marks'])}  {outcome:15}→ {self._pair(data['totals'])}"
            if data.get("pot"):
                line += "  " + say(self.language, "waiting", pot=data["pot"])
        typer.echo(line.rstrip())

    def _end(self, data: Mapping[str, Any]) -> None:
        reason = say(self.language, "void_match" if data["reason"] == "void" else data["reason"])
        typer.echo()
        if data["winner"] is None:
            self.text("nobody", reason=reason)
        else:
            totals = " – ".join(map(str, sorted(data["totals"], reverse=True)))
            side = self.names[data["winner"] :: 2]
            key = "won" if len(side) == 1 else "won_by_two"
            self.text(key, name=" & ".join(side), totals=totals, reason=reason)

    def _card(self, text: str) -> str:
        """The dame of hearts is D♥ in French, Q♥ in English."""
        card = parse_card(text)
        return (RANKS_FR if self.language == "fr" else RANKS)[rank_of(card)] + SUITS_FR[suit_of(card)]

    def _pair(self, marks: Sequence[int]) -> str:
        # Alice against Bruno, A&C against B&D.
        sides = [self.names[side::2] for side in range(len(marks))]
        labels = ["&".join(name[0] for name in side) if side[1:] else side[0] for side in sides]
        return " – ".join(f"{name} {mark:>3}" for name, mark in zip(labels, marks, strict=True))

    def _account(self, account: str) -> str:
        kind, _, seat = account.partition(":")
        return self.names[int(seat)] if seat else say(self.language, kind)
