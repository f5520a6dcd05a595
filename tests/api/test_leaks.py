"""Every byte sent to each seat, and to strangers, in whole matches: no card that is not theirs to know, no seed.

What a seat may know at a moment is computed from the server's own seed, which the test takes out of custody: the cards
in its hand, and those that the events have shown to all.
"""

import json
import logging
import random
import re
from collections.abc import Callable
from typing import Any

import pytest

from fairdeal.api.json_logging import JsonLines
from fairdeal.app.matches import Matches
from fairdeal.belote import NO_CARD, cards_in
from fairdeal.cards import format_card
from fairdeal.commit import Seed
from fairdeal.match import Event, MatchState, evolve
from tests.api.table import Player, Service, ok, on_turn, start_four, start_two

CARD = re.compile(r"(?<![A-Za-z0-9])[SHDC](?:10|[789JQKA])(?![A-Za-z0-9])")


def server_seed(service: Service, m: str) -> Seed:
    matches: Matches = service.app.state.services.matches
    return matches._seed(m)


def cards_said(text: str) -> set[str]:
    return set(CARD.findall(text))


class Listener:
    """Checks every answer on its way out: what is left of it without the event lines says no card but its reader's."""

    def __init__(self, service: Service, players: tuple[Player, ...]) -> None:
        self.service = service
        self.m = players[0].m
        self.secret = server_seed(service, self.m)
        self.state: MatchState | None = None
        self.lines: set[str] = set()
        self.over = False
        self.checked = 0

    def follow(self) -> None:
        """Folds with the true packs. An event line names the card turned, the card played or announcements shown, no
        other.
        """
        for line in self.service.store.events(self.m, self.state.size if self.state else 0):
            event = Event.parse(line)
            named = {event.data.get("turned"), event.data.get("do", {}).get("card")}
            for one in event.data["announcements"] if event.type == "show" else ():
                named |= set(one["cards"])
            assert cards_said(line.decode()) <= named
            self.state = evolve(self.state, event, self.secret)
            self.over = self.over or event.type == "reveal"
            self.lines.add(line.decode())

    def check(self, response: Any, seat: int | None) -> Any:
        self.follow()
        text = response.text
        if not self.over:
            assert self.secret.hex() not in text
        for line in self.lines:
            text = text.replace(json.dumps(line), "").replace(line, "").replace(json.dumps(line)[1:-1], "")
        assert self.state is not None
        deal = self.state.deal
        allowed: set[str] = set()
        if deal is not None:
            shown = {deal.turned, *deal.trick} | (set(cards_in(deal.hands[seat])) if seat is not None else set())
            allowed = {format_card(card) for card in shown - {NO_CARD}}
        said = cards_said(text + str(response.headers))
        assert said <= allowed, (seat, said - allowed, text)
        self.checked += len(said)
        return response


def test_no_answer_tells_a_card_that_its_reader_may_not_know(service: Service) -> None:
    """Several deals, and the end."""
    overhear(service, start_two(service), random.Random(0), 150)


@pytest.mark.soak
@pytest.mark.parametrize("number", range(3))
def test_no_answer_of_a_whole_match_tells_a_card_that_its_reader_may_not_know(service: Service, number: int) -> None:
    overhear(service, start_two(service), random.Random(number), 10_000)


@pytest.mark.parametrize("game", ["classique", "coinche", "annonces"])
def test_no_answer_at_a_table_of_four_tells_a_card_that_its_reader_may_not_know(service: Service, game: str) -> None:
    """Two deals and more: of every seat's answers, its partner's as well."""
    players = start_four(service, game, 0)
    overhear(service, players, random.Random(3), 120)
    shown = [line for line in service.store.events(players[0].m) if b'"type":"show"' in line]
    assert bool(shown) == (game == "annonces")


def overhear(service: Service, players: tuple[Player, ...], choice: random.Random, longest: int) -> None:
    """A match of random moves; the one on turn resigns when it has so many events."""
    listener = Listener(service, players)
    m, path = players[0].m, f"/v1/matches/{players[0].m}"
    while True:
        size = len(service.store.events(m))
        for player in players:
            start = choice.randrange(max(0, size - 4), size + 1)
            listener.check(player.person.get(path, params={"from": start}), player.seat)
        listener.check(players[0].person.get(f"/v1/tables/{m}"), players[0].seat)
        public = choice.choice(["/v1/tables", f"{path}/transcript", f"{path}/bundle", path, f"{path}/stream"])
        for about in (public, f"/v1/tables/{m}"):
            listener.check(service.http.get(about), None)
        player = on_turn(players)
        other = players[(player.seat + choice.randrange(1, len(players))) % len(players)]
        for card in choice.sample(["S7", "HA", "D10", "CJ", "SQ", "H9"], 2):
            # A refusal may say no more than what was asked.
            refused = other.send(other.sign({"card": card}))
            assert not cards_said(refused.text)
            assert refused.status_code in (409, 422)
        if size > longest:
            listener.check(player.send(player.sign({"resign": True})), player.seat)
        elif {"declare": True} in player.view["legal"] and choice.random() < 0.8:
            listener.check(player.send(player.sign({"declare": True})), player.seat)
        elif choice.random() < 0.05:
            service.tick(34_250)
        else:
            listener.check(player.send(player.sign(choice.choice(player.view["legal"]))), player.seat)
        listener.follow()
        if listener.over:
            break
    for player in players:
        listener.check(player.person.get(path), player.seat)
    assert listener.checked > 300


@pytest.mark.parametrize("start", [start_two, start_four])
def test_the_leak_test_sees_a_leak(service: Service, start: Callable[[Service], tuple[Player, ...]]) -> None:
    """Planted: an answer with another seat's hand."""
    players = start(service)
    listener = Listener(service, players)

    answer = players[0].person.get(f"/v1/matches/{players[0].m}")
    listener.check(answer, 0)
    for reader in [*range(1, len(players)), None]:
        with pytest.raises(AssertionError):
            listener.check(answer, reader)


def test_answers_do_not_depend_on_cards_that_their_reader_does_not_hold(service: Service) -> None:
    """A card that is refused is refused in the same words whether it is the other's, in the stock or gone."""
    players = start_two(service)
    taker = on_turn(players)
    taker.do({"bid": "take"})
    player = on_turn(players)
    other = players[1 - player.seat]
    pack = [f"{suit}{rank}" for suit in "SHDC" for rank in ("7", "8", "9", "10", "J", "Q", "K", "A")]
    hidden = [card for card in pack if card not in player.view["hand"]]
    assert set(other.view["hand"]) < set(hidden)
    player.person.headers["X-Request-Id"] = "one-and-the-same"
    answers = {player.send(player.sign({"card": card})).text for card in hidden}
    assert len(answers) == 1


def test_the_seed_of_a_live_match_is_nowhere_in_clear(service: Service, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        players = start_two(service)
        secret = server_seed(service, players[0].m)
        on_turn(players).do({"bid": "take"})
        matches: Matches = service.app.state.services.matches
        match = matches.load(players[0].m)
        service.http.get("/v1/nothing")
        try:
            raise RuntimeError(f"{match!r} {service.app.state.services!r} {secret!r} {vars(matches)!r}")
        except RuntimeError as crash:
            logging.getLogger("fairdeal").exception("crash: %s", crash)
    written = "\n".join(JsonLines().format(record) for record in caplog.records) + caplog.text
    assert "crash" in written
    needles = [secret.reveal(), secret.hex().encode(), secret.hex().upper().encode(), repr(secret.reveal()).encode()]
    keys = [(service.folder / "keys" / name).read_text().strip() for name in ("receipts.key", "sealing.key")]
    needles += [bytes.fromhex(key) for key in keys] + [key.encode() for key in keys]
    needles += [b"correct horse", players[0].person.headers["Authorization"].removeprefix("Bearer ").encode()]
    files = {path.name: path.read_bytes() for path in service.folder.glob("fairdeal.db*")}
    assert sum(len(data) for data in files.values()) > 50_000
    for needle in needles:
        for name, data in files.items():
            assert needle not in data, name
        assert needle not in written.encode()
    players[0].look()
    ok(players[0].send(players[0].sign({"resign": True})))
    after = b"".join(path.read_bytes() for path in service.folder.glob("fairdeal.db*"))
    assert secret.hex().encode() in after  # the reveal: the scan above would have found it
