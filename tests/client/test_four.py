"""The games for four through the client: honest matches, and what four seats' hands tell of a server that lies."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fairdeal import canonical
from fairdeal.belote import (
    Action,
    Bid,
    Deal,
    Declare,
    Double,
    Shown,
    announcement_of,
    card_set,
    find_ruleset,
    show_due,
    to_show,
)
from fairdeal.belote.announcements import Announcement
from fairdeal.cards import PACK, format_card, parse_card
from fairdeal.client import Contradiction, Finding, Turn, prefer_winning_tricks
from fairdeal.client.hand import OwnHand, check_declare, check_show
from fairdeal.match import Event, view
from tests.client.server import Table

GAMES = ("classique@1", "coinche@1", "annonces@1")
Choice = Callable[[Turn], Action]


def four(folder: Path, game: str) -> Table:
    return Table(folder, 1, 0 if game == "annonces@1" else 100, game, {"target": 501}).seeded()


def play(table: Table, until: Callable[[Table], bool], choose: Choice = prefer_winning_tricks) -> None:
    while table.server.state.turn is not None and not until(table):
        turn = table.on_turn.turn
        assert turn is not None
        table.take(table.on_turn.act(choose(turn)))


def never(_: Table) -> bool:
    return False


def bid_first(turn: Turn) -> Action:
    """Somebody takes as soon as anybody can, and nothing is doubled."""
    bids = [action for action in turn.legal if action is not Bid.PASS and not isinstance(action, Double)]
    return bids[0] if turn.deal.trump is None and turn.deal.contract is None and bids else turn.legal[0]


@pytest.mark.parametrize("game", GAMES)
def test_a_match_of_four_is_played_to_its_target(tmp_path: Path, game: str) -> None:
    table = four(tmp_path, game)
    play(table, never)
    for client in table.clients:
        assert client.over
        assert client.state.ending is not None
        assert client.state.ending.reason == "target"
        assert client.lines() == table.server.lines
    said = b"\n".join(table.server.lines)
    assert (b'"declare":true' in said) == (b'"type":"show"' in said) == (game == "annonces@1")
    table.close()


@pytest.mark.parametrize("game", GAMES)
def test_a_client_that_was_away_follows_what_the_clock_did(tmp_path: Path, game: str) -> None:
    """Its bids and cards were the clock's; its last three cards came unseen, and it was told of all at once."""
    table = four(tmp_path, game)
    away = table.clients[3]
    table.clients.pop()
    for _ in range(40):
        state = table.server.state
        assert state.deal is not None
        if state.turn != 3:
            turn = table.on_turn.turn
            assert turn is not None
            table.take(table.on_turn.act(bid_first(turn)))
        elif state.overruns[3] < 2:
            table.server.run_out()
            table.tell()
        else:
            away.receive(table.server.answer(3, away.size))
            turn = away.turn
            assert turn is not None
            table.take(away.act(bid_first(turn)))
    away.receive(table.server.answer(3, away.size))
    assert away.state.overruns[3] == 2
    table.close()


@pytest.mark.parametrize("game", GAMES)
def test_a_program_of_four_that_starts_again_goes_on_where_it_was(tmp_path: Path, game: str) -> None:
    table = four(tmp_path, game)
    play(table, lambda table: table.server.state.size > 50)
    for seat, before in enumerate(table.clients):
        again = table.client(seat)
        assert (again.state, again.hand, again.turn) == (before.state, before.hand, before.turn)
    table.close()


def untold(folder: Path, game: str) -> Table:
    """The first deal is there, and nobody has been told yet."""
    table = Table(folder, 1, 0, game).joined()
    for client in table.clients[:3]:
        table.take(client.seed())
    table.server.take(table.clients[3].seed() or b"")
    return table


def lie(table: Table, seat: int, shown: dict[str, Any]) -> Finding:
    """What the client of that seat finds when it is told the truth with this view."""
    client = table.clients[seat]
    with pytest.raises(Contradiction) as error:
        client.receive(table.server.say(seat, client.size, table.server.lines, shown))
    return error.value.finding


@pytest.mark.parametrize(("game", "dealt"), [("classique@1", 5), ("coinche@1", 8), ("annonces@1", 5)])
def test_a_hand_of_another_size_is_found(tmp_path: Path, game: str, dealt: int) -> None:
    table = untold(tmp_path, game)
    honest = view(table.server.state, 0)
    assert len(honest["hand"]) == dealt
    assert lie(table, 0, {**honest, "hand": honest["hand"][1:]}) is Finding.SHOWN_HAND
    table.close()


@pytest.mark.parametrize("game", GAMES)
def test_a_bid_or_card_greyed_out_is_found(tmp_path: Path, game: str) -> None:
    table = untold(tmp_path, game)
    seat = table.server.state.turn
    assert seat is not None
    honest = view(table.server.state, seat)
    assert lie(table, seat, {**honest, "legal": honest["legal"][:-1]}) is Finding.SHOWN_LEGAL
    table.close()


def test_a_card_of_ours_played_by_another_seat_is_found(tmp_path: Path) -> None:
    """The one on turn plays a card of the next seat, and the server takes it."""
    table = four(tmp_path, "coinche@1")
    play(table, playing, bid_first)
    seat = table.server.state.turn
    assert seat is not None
    victim, server = table.clients[(seat + 1) % 4], table.server
    signed: Any = canonical.decode(table.clients[seat]._sign({"card": format_card(victim.hand[0])}, server.state.size))
    data = {name: signed[name] for name in ("do", "root", "sig")}
    line = Event.make(server.state.size, server.now, seat, "act", data).line
    with pytest.raises(Contradiction) as error:
        victim.receive(server.say(victim.seat, victim.size, [*server.lines, line]))
    assert error.value.finding is Finding.ILLEGAL
    table.close()


def playing(table: Table) -> bool:
    deal = table.server.state.deal
    return deal is not None and deal.trump is not None


ANNONCES = find_ruleset("annonces@1")
Scene = tuple[Deal, Shown, tuple[int, ...]]
"""A deal from outside when announcements are to be shown, what is shown honestly, and the true hands."""


def scenes(count: int) -> Iterator[Scene]:
    """Random deals: the first speaker takes, and everybody declares all there is."""
    rng = random.Random(5)
    while count:
        pack = tuple(rng.sample(PACK, len(PACK)))
        deal = ANNONCES.start(pack, 3, ANNONCES.defaults)
        public = ANNONCES.start_public(deal.turned, 3, ANNONCES.defaults)
        while sum(deal.tricks) == 0 or not deal.trick:
            actions = ANNONCES.actions(deal)
            action = Bid.TAKE if Bid.TAKE in actions else Declare.DECLARE if Declare.DECLARE in actions else actions[0]
            public = ANNONCES.apply_public(public, action, ANNONCES.says(deal, action))
            deal = ANNONCES.apply(deal, action)
        if show_due(public):
            count -= 1
            assert deal.hands is not None
            yield public, to_show(public._replace(hands=deal.hands)), deal.hands


def test_an_honest_show_contradicts_nobody() -> None:
    for deal, shown, hands in scenes(300):
        for seat, held in enumerate(hands):
            check_show(OwnHand(seat, held), deal, ANNONCES, shown)
            check_show(OwnHand(seat, 0, 7), deal, ANNONCES, shown)


def test_a_false_show_is_found_by_the_seats_that_can_know() -> None:
    """Our side's announcements kept back for weaker ones of the others; ours cut short; a card of ours in another's."""
    found = dict.fromkeys(("weaker", "short", "stolen"), 0)
    for deal, shown, hands in scenes(300):
        for seat, one in shown:
            for name, lie in false_shows(deal, shown, hands, seat, one):
                found[name] += 1
                with pytest.raises(Contradiction) as error:
                    check_show(OwnHand(seat, hands[seat]), deal, ANNONCES, lie)
                assert error.value.finding is Finding.SHOW
    assert all(count > 5 for count in found.values()), found


def false_shows(
    deal: Deal, shown: Shown, hands: tuple[int, ...], seat: int, one: Announcement
) -> Iterator[tuple[str, Shown]]:
    """What may be shown falsely when `seat` has this one to show."""

    def declared_by(seats: int) -> Shown:
        assert deal.announcing is not None
        by = deal.announcing.declared & seats
        return to_show(deal._replace(hands=hands, announcing=deal.announcing._replace(declared=by))) if by else ()

    others = 0b1010 if seat % 2 == 0 else 0b0101
    weaker = declared_by(others)
    if weaker and declared_by(others | 1 << seat) != weaker:
        yield "weaker", weaker
    if one.value == 50:
        short = announcement_of(one.cards & one.cards - 1)
        yield "short", tuple((other, short if each is one else each) for other, each in shown)
    if one.cards & hands[seat]:
        yield "stolen", (*(pair for pair in shown if pair[0] != seat), ((seat + 1) % 4, one))


def test_declaring_nothing_is_found_by_the_seat_itself() -> None:
    deal = ANNONCES.apply_public(ANNONCES.start_public(parse_card("S9"), 3, ANNONCES.defaults), Bid.TAKE, None)
    nothing = card_set(map(parse_card, ("S7", "S9", "H8", "H10", "D7", "D9", "C8", "C10")))
    tierce = card_set(map(parse_card, ("S7", "S8", "S9", "H10", "D7", "D9", "C8", "C10")))
    check_declare(OwnHand(0, tierce), deal, ANNONCES, 0)
    check_declare(OwnHand(0, 0, 8), deal, ANNONCES, 0)
    check_declare(OwnHand(1, nothing), deal, ANNONCES, 0)
    with pytest.raises(Contradiction) as error:
        check_declare(OwnHand(0, nothing), deal, ANNONCES, 0)
    assert error.value.finding is Finding.ILLEGAL
