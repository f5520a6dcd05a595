"""A staked duel over HTTP, from the empty table to the bundle."""

from fairdeal.match import Event, parse_bundle, replay
from tests.api.table import Service, join_two, play_out, sit_two, start_two


def test_a_duel_is_played_and_paid(service: Service) -> None:
    players = start_two(service)
    service.check_money()
    play_out(players)
    service.check_money()
    state = players[0].state
    assert state is not None
    assert state.ending is not None
    assert state.ending.reason == "target"
    winner = state.ending.winner
    assert winner is not None
    assert players[winner].person.wallet == (1_000 - 100 + 190, 0)
    assert players[1 - winner].person.wallet == (900, 0)

    stranger = service.http
    bundle = parse_bundle(stranger.get(f"/v1/matches/{players[0].m}/bundle").content)
    assert [event.line.decode() for event in bundle.events] == [
        line for answer in players[0].received for line in answer["events"]
    ] or bundle.events[-1].type == "settle"
    assert replay(bundle.events, None).root == state.root
