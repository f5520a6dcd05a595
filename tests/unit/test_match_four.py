"""What the games for four add to a match, with the cards and from outside (protocol sections 2.5–2.7, 4.2–4.5)."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from fairdeal.belote.announcements import holds_any
from fairdeal.errors import FairdealError, IllegalAction, Late, Malformed, NotYourTurn, RuleBroken
from fairdeal.match import Event, MatchState, Resume, evolve, replay, table_view, view
from fairdeal.shuffle import cut_place, deal_pack
from tests.simulator import Played, Table, new_table, play
from tests.simulator.steps import may_declare

CLOCK = {"decision_ms": 30_000, "overruns": 3, "grace_ms": 250, "pause_ms": 4_000, "outage_ms": 5_000}
FOUR = ("classique@1", "coinche@1", "annonces@1")
BOTH = pytest.mark.parametrize("inside", [True, False], ids=["with cards", "from outside"])
DECLARE = {"declare": True}


def dealt(game: str, seed: int = 7, **options: Any) -> Table:
    """A table at its first bid."""
    it = new_table(random.Random(seed), {"game": game, "target": 501, "clock": CLOCK, **options})
    for seat in it.seats:
        it.join(seat)
    for seat in it.seats:
        it.send_seed(seat)
    return it


def turn(it: Table) -> int:
    assert it.state.turn is not None
    return it.state.turn


def passes(it: Table, count: int) -> None:
    for _ in range(count):
        it.act(turn(it), {"bid": "pass"})


def declaring(seats: int = 1) -> Table:
    """A table of `annonces@1` in the first trick, at which at least so many seats hold an announcement."""
    for seed in range(1_000):
        it = dealt("annonces@1", seed)
        it.act(turn(it), {"bid": "take"})
        if len(holders(it)) >= seats:
            return it
    raise AssertionError


def holders(it: Table) -> list[int]:
    """Who has something to declare: asked before any card is played."""
    assert it.state.deal is not None
    assert it.state.deal.hands is not None
    return [seat for seat, hand in enumerate(it.state.deal.hands) if holds_any(hand)]


def first_card(it: Table) -> None:
    """The seat on turn plays its first legal card."""
    it.act(turn(it), view(it.state, turn(it))["legal"][0])


def other(event: Event, **members: Any) -> Event:
    """The event with members of its data changed; None takes one out."""
    left_out = {name for name, value in members.items() if value is None}
    data = {name: value for name, value in {**event.data, **members}.items() if name not in left_out}
    return Event.make(event.n, event.t, event.by, event.type, data)


def before(match: Played, n: int, inside: bool) -> MatchState:
    return replay(match.events[:n], match.keys.server_seed if inside else None)


def refused(match: Played, event: Event, inside: bool, error: type[FairdealError] = RuleBroken) -> None:
    with pytest.raises(error):
        evolve(before(match, event.n, inside), event, match.keys.server_seed if inside else None)


def find(match: Played, wanted: Callable[[Event], bool]) -> Event:
    return next(event for event in match.events if wanted(event))


class TestForms:
    @BOTH
    @pytest.mark.parametrize(("game", "turned"), [("coinche@1", "H7"), ("classique@1", None), ("annonces@1", None)])
    def test_a_card_is_turned_in_the_games_that_turn_one(self, game: str, turned: str | None, inside: bool) -> None:
        match = play(1, "resigned", game)
        refused(match, other(find(match, lambda event: event.type == "deal"), turned=turned), inside)

    @pytest.mark.parametrize(
        ("game", "do"),
        [
            ("classique@1", {"bid": "coinche"}),
            ("classique@1", {"bid": {"suit": "S", "value": 80}}),
            ("classique@1", DECLARE),
            ("coinche@1", {"bid": "take"}),
            ("coinche@1", {"bid": "H"}),
            ("coinche@1", DECLARE),
            ("annonces@1", {"bid": "surcoinche"}),
        ],
    )
    def test_the_words_of_another_game_are_malformed(self, game: str, do: dict[str, Any]) -> None:
        it = dealt(game)
        with pytest.raises(Malformed):
            it.act(turn(it), do)

    def test_nothing_is_staked_on_an_unshuffled_pack(self) -> None:
        with pytest.raises(Malformed):
            dealt("annonces@1", stake=1)

    @BOTH
    @pytest.mark.parametrize("game", FOUR)
    @pytest.mark.parametrize("member", ["pot", "contract", "announcements"])
    def test_a_score_says_what_its_game_says(self, game: str, member: str, inside: bool) -> None:
        """One member more or less, or another one, is refused."""
        match = play(2, "target", game, log=False)
        score = find(match, lambda event: event.type == "score" and event.data["outcome"] != "void")
        lies = {"pot": 7, "contract": {"double": 1, "seat": 0, "suit": "S", "value": 90}, "announcements": [20, 0]}
        assert score.data.get(member) != lies[member]
        refused(match, other(score, **{member: lies[member]}), inside)
        if member in score.data:
            refused(match, other(score, **{member: None}), inside)

    def test_nobody_declares_by_timeout(self) -> None:
        with pytest.raises(Malformed):
            Event.make(9, 0, -1, "timeout", {"seat": 0, "overrun": 1, "do": DECLARE})


class TestDeclaring:
    def test_it_changes_no_turn_and_no_deadline(self) -> None:
        it = declaring()
        (seat,) = holders(it)[:1]
        while turn(it) != seat:
            first_card(it)
        state = it.state
        assert view(state, seat)["legal"][-1] == DECLARE
        it.now += 5_000
        it.act(seat, DECLARE)
        assert (it.state.turn, it.state.deadline, it.state.since) == (state.turn, state.deadline, state.since)
        assert DECLARE not in view(it.state, seat)["legal"]
        assert table_view(it.state)["declared"] == [seat]

    def test_off_turn_after_ones_own_card_until_the_trick_is_full(self) -> None:
        it = declaring()
        seat = next(seat for seat in holders(it) if (seat - turn(it)) % 4 < 3)
        while turn(it) != seat:
            first_card(it)
        first_card(it)
        assert view(it.state, seat)["legal"] == []
        deadline = it.state.deadline
        it.act(seat, DECLARE)
        assert it.state.deadline == deadline
        with pytest.raises(IllegalAction):
            it.act(seat, DECLARE)

    def test_not_before_ones_turn_nor_after_the_trick(self) -> None:
        it = declaring()
        seat = holders(it)[0]
        if turn(it) != seat:
            with pytest.raises(IllegalAction):
                it.act(seat, DECLARE)
        for _ in range(4):
            first_card(it)
        with pytest.raises(IllegalAction) as refusal:
            it.act(seat, DECLARE)
        assert refusal.value.details == {"reason": "not_time_to_declare"}

    def test_not_without_an_announcement(self) -> None:
        it = declaring()
        silent = next(seat for seat in it.seats if seat not in holders(it))
        while turn(it) != silent:
            first_card(it)
        with pytest.raises(IllegalAction) as refusal:
            it.act(silent, DECLARE)
        assert refusal.value.details == {"reason": "nothing_to_declare"}

    def test_in_time_by_the_deadline_of_the_seat_on_turn(self) -> None:
        it = declaring()
        seat = next(seat for seat in holders(it) if (seat - turn(it)) % 4 < 3)
        while turn(it) != seat:
            first_card(it)
        first_card(it)
        assert it.state.deadline is not None
        it.now = it.state.deadline + 1
        with pytest.raises(Late):
            it.act(seat, DECLARE)

    def test_a_card_off_turn_is_still_refused(self) -> None:
        it = declaring()
        with pytest.raises(NotYourTurn):
            it.act((turn(it) + 1) % 4, {"card": "S7"})


class TestShowing:
    def showing(self, declared: int) -> Played:
        """A match just after its `show`."""
        it = declaring(declared)
        while it.events[-1].type != "show":
            for seat in may_declare(it):
                it.act(seat, DECLARE)
            first_card(it)
        return it.played(0, "")

    def test_it_follows_the_first_card_of_the_second_trick(self) -> None:
        match = self.showing(1)
        card, shown = match.events[-2:]
        assert (shown.type, shown.t) == ("show", card.t)
        assert match.state.deal is not None
        assert (len(match.state.deal.trick), sum(match.state.deal.tricks)) == (1, 1)
        assert match.state.deadline == card.t + 30_000

    def test_nothing_is_shown_when_nobody_declared(self) -> None:
        it = declaring()
        for _ in range(5):
            first_card(it)
        assert it.events[-1].type == "act"

    @pytest.mark.parametrize("declared", [1, 2, 3])
    def test_only_one_side_shows_and_in_order(self, declared: int) -> None:
        match = self.showing(declared)
        seats = [one["seat"] for one in match.events[-1].data["announcements"]]
        assert seats == sorted(seats)
        assert len({seat % 2 for seat in seats}) <= 1

    @BOTH
    def test_another_show_is_refused(self, inside: bool) -> None:
        match = self.showing(1)
        shown = match.events[-1]
        said = shown.data["announcements"]
        assert said
        (one, *_) = said
        lies: list[Any] = [
            [],
            [{**one, "seat": (one["seat"] + 1) % 4}],
            [{**one, "cards": one["cards"][::-1]}],
            [*said, *said],
            [{**one, "cards": ["S7", "S8", "H9"]}],
        ]
        for lie in lies:
            refused(match, other(shown, announcements=lie), inside)

    @BOTH
    def test_what_two_seats_show_stands_in_order(self, inside: bool) -> None:
        match = next(
            match
            for match in (play(number, "target", "annonces@1") for number in range(30))
            if any(event.type == "show" and len(event.data["announcements"]) > 1 for event in match.events)
        )
        shown = find(match, lambda event: event.type == "show" and len(event.data["announcements"]) > 1)
        refused(match, other(shown, announcements=shown.data["announcements"][::-1]), inside)

    def test_equal_announcements_show_nothing(self) -> None:
        match = play(1, "tie", "annonces@1")
        shown = find(match, lambda event: event.type == "show" and event.data["announcements"] == [])
        score = next(event for event in match.events[shown.n :] if event.type == "score")
        assert score.data["announcements"] == [0, 0]


class TestPack:
    def secrets(self, match: Played) -> tuple[bytes, bytes, tuple[bytes, ...]]:
        assert match.state.table_root is not None
        seeds = tuple(seed.reveal() for seed in match.keys.seat_seeds)
        return match.keys.server_seed.reveal(), match.state.table_root, seeds

    def packs(self, match: Played) -> dict[int, tuple[int, ...] | None]:
        state, found = None, {}
        for event in match.events:
            state = evolve(state, event, match.keys.server_seed)
            if event.type == "deal":
                found[state.deal_number] = state.pack
        return found

    def test_four_void_deals_have_the_pack_shuffled(self) -> None:
        match = play(3, "four_voids", "annonces@1")
        packs, secrets = self.packs(match), self.secrets(match)
        shuffled = [number for number, pack in packs.items() if pack == deal_pack(*secrets, number)]
        assert shuffled[:2] == [1, 5]
        # A void deal that is gathered lies as it was dealt: hand by hand, then the turned card and the stock.
        for number in (2, 3, 4, 6):
            last = packs[number - 1]
            assert last is not None
            hands = [last[3 * turn : 3 * turn + 3] + last[12 + 2 * turn : 14 + 2 * turn] for turn in range(4)]
            gathered = (*(card for hand in hands for card in hand), *last[20:])
            cut = cut_place(*secrets, number)
            assert packs[number] == gathered[cut:] + gathered[:cut]

    def test_a_played_deal_is_gathered_trick_by_trick(self) -> None:
        match = play(5, "target", "annonces@1")
        score = find(match, lambda event: event.type == "score" and event.data["outcome"] != "void")
        state = replay(match.events[: score.n + 1], match.keys.server_seed)
        deal = before(match, score.n, True).deal
        assert deal is not None
        assert deal.announcing is not None
        assert deal.taker is not None
        piles = deal.announcing.piles
        assert state.pack == piles[deal.taker % 2] + piles[1 - deal.taker % 2]

    @pytest.mark.parametrize("game", ["classique@1", "coinche@1"])
    def test_the_other_games_shuffle_every_deal(self, game: str) -> None:
        assert set(self.packs(play(3, "target", game)).values()) == {None}


class TestSides:
    @pytest.mark.parametrize("game", ["classique@1", "coinche@1"])
    @pytest.mark.parametrize("seat", range(4))
    def test_who_resigns_loses_for_both(self, game: str, seat: int) -> None:
        it = dealt(game, stake=500)
        it.act(seat, {"resign": True})
        assert it.state.ending is not None
        assert it.state.ending.winner == 1 - seat % 2
        lines = {line["account"]: line["amount"] for line in it.events[-1].data["lines"]}
        assert lines["pot"] == -2_000
        assert lines[f"seat:{seat}"] == lines[f"seat:{(seat + 2) % 4}"] == 0

    def test_overruns_count_per_seat_and_lose_for_both(self) -> None:
        it = dealt("classique@1", stake=500)
        late = turn(it)
        it.time_out()
        passes(it, 3)
        it.time_out()
        passes(it, 3)
        assert it.state.deal_number == 2
        passes(it, 3)
        assert turn(it) == late
        it.time_out()
        assert it.state.ending is not None
        assert it.state.ending.winner == 1 - late % 2

    @pytest.mark.parametrize("sent", [(), (0,), (0, 2), (0, 1), (0, 1, 2), (1, 2, 3)])
    def test_a_side_is_complete_with_both_its_seeds(self, sent: tuple[int, ...]) -> None:
        it = new_table(random.Random(1), {"game": "classique@1", "clock": CLOCK})
        for seat in it.seats:
            it.join(seat)
        for seat in sent:
            it.send_seed(seat)
        for _ in range(3):
            it.time_out()
        complete = [side for side in (0, 1) if {side, side + 2} <= set(sent)]
        assert it.state.ending is not None
        assert it.state.ending.winner == (complete[0] if len(complete) == 1 else None)


class TestTable:
    @pytest.mark.parametrize("game", FOUR)
    def test_everybody_holds_as_many_cards_as_the_table_shows(self, game: str) -> None:
        match = play(4, "target", game)
        state = None
        for event in match.events:
            state = evolve(state, event, match.keys.server_seed)
            if state.deal is not None and state.deal.hands is not None:
                assert table_view(state)["hand_sizes"] == [hand.bit_count() for hand in state.deal.hands]

    def test_the_contract_is_shown(self) -> None:
        it = dealt("coinche@1")
        first = turn(it)
        it.act(first, {"bid": {"suit": "H", "value": 90}})
        it.act(turn(it), {"bid": "coinche"})
        assert table_view(it.state)["contract"] == {"double": 2, "seat": first, "suit": "H", "value": 90}
        assert table_view(it.state)["turned"] is None
        assert turn(it) == (first + 2) % 4


class TestResume:
    """An operator cannot buy a seat time with outages that were over before its decision began."""

    @pytest.mark.parametrize("game", ["duel@1", *FOUR])
    @BOTH
    def test_outages_of_long_ago_are_refused(self, game: str, inside: bool) -> None:
        it = dealt(game)
        seed = it.keys.server_seed if inside else None
        state = replay(it.events, seed)
        for hour in range(3):
            resume = {"from": hour * 3_600_000, "to": hour * 3_600_000 + 6_000}
            event = Event.make(state.size, it.now, -1, "resume", resume)
            with pytest.raises(RuleBroken) as refusal:
                evolve(state, event, seed)
            assert refusal.value.details == {"reason": "resume"}

    def test_an_outage_may_end_as_the_decision_begins_and_never_before(self) -> None:
        it = dealt("classique@1")
        it.now += 1_000
        began = it.state.since
        with pytest.raises(RuleBroken):
            it.do(Resume(began - 6_001, began - 1))
        it.do(Resume(began - 6_000, began))
        assert it.state.since == it.now
        # The decision counts anew from here: what was over before has had its turn.
        with pytest.raises(RuleBroken):
            it.do(Resume(began, began + 5_500))
