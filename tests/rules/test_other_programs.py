"""Random deals of contrée and of belote on a turned card beside two programs that others wrote: same words, cards,
tricks and points, but for the differences that are written down here, each with what the other must do in its place.

colver (MIT, Rust) plays the contrée of the federation's book; belote-cli (MIT, Python) the classique of its rules page,
which rises over a partner. A position at which they differ is one where a named difference applies, and there the other
program does exactly what its book says; everywhere else both do the same.
"""

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from random import Random
from typing import Any, NamedTuple

import pytest

from fairdeal.belote import Action, Bid, Deal, DealScore, Options, Outcome, Play, Says, Scoring, cards_in, steps
from fairdeal.belote import deal as one_deal
from fairdeal.belote import four as shared
from fairdeal.belote.actions import CAPOT, SUIT_BIDS, ContractBid, Double
from fairdeal.belote.classique import CLASSIQUE, Classique
from fairdeal.belote.coinche import COINCHE, Coinche, ContractMarking
from fairdeal.belote.four import Duties
from fairdeal.belote.turned_card import layout
from fairdeal.belote.values import trick_result
from fairdeal.cards import PACK, RANKS, SUITS_FR, format_card, rank_of, suit_of

SCALE = float(os.environ.get("SOAK", "1"))
BLOCKS = 4
"""Separate tests, so that both cores have some."""
CONTREE_DEALS = max(1000, round(2500 * SCALE))
TURNED_CARD_DEALS = max(1000, round(1500 * SCALE))
"""Deals of a block; in the least number of them every difference is met."""
FAULTY_DEALS = 600
"""Deals in which a planted fault must be met."""

Seen = Counter[str]
Cards = frozenset[int]


def seeds(block: int, deals: int) -> range:
    """Those of a block: more deals are other deals besides, never other ones instead."""
    return range(block * 1_000_000, block * 1_000_000 + deals)


def same(what: str, ours: object, theirs: object) -> None:
    if ours != theirs:
        raise AssertionError(f"{what}: {ours} here, {theirs} there")


# Where the books differ


class Position(NamedTuple):
    hand: Cards
    trick: tuple[int, ...]
    trump: int

    @property
    def trumps(self) -> Cards:
        return frozenset(card for card in self.hand if suit_of(card) == self.trump)

    def strength(self, card: int) -> int:
        if suit_of(card) == self.trump:
            return 100 + ["7", "8", "Q", "K", "10", "A", "9", "J"].index(RANKS[rank_of(card)])
        follows = suit_of(card) == suit_of(self.trick[0])
        return ["7", "8", "9", "J", "Q", "K", "10", "A"].index(RANKS[rank_of(card)]) if follows else -1

    @property
    def best(self) -> int:
        return max(self.trick, key=self.strength)

    @property
    def partner_holds(self) -> bool:
        return len(self.trick) >= 2 and self.trick[-2] == self.best

    @property
    def higher_trumps(self) -> Cards:
        return frozenset(card for card in self.trumps if self.strength(card) > self.strength(self.best))


def rise_over_partner(at: Position) -> Cards | None:
    """Trump is led, the partner holds the trick: here any trump; the federation's book asks to rise (its rule has no
    exception for a partner), and so do colver and belote-cli."""
    if at.trick and suit_of(at.trick[0]) == at.trump and at.partner_holds and at.higher_trumps != at.trumps:
        return at.higher_trumps or None
    return None


def under_ruff_free(at: Position) -> Cards | None:
    """Void, and unable to beat an opponent's ruff: here a lower trump is due; the federation's contrée, and colver,
    leave the choice of any card."""
    if not at.trick or suit_of(at.trick[0]) == at.trump or suit_of(at.best) != at.trump or at.partner_holds:
        return None
    void = all(suit_of(card) != suit_of(at.trick[0]) for card in at.hand)
    return at.hand if void and at.trumps and not at.higher_trumps and at.trumps != at.hand else None


COLVER_DIFFERS = (rise_over_partner, under_ruff_free)
BELOTE_CLI_DIFFERS = (rise_over_partner,)
TURNED_CARD_OUTCOMES = (Outcome.MADE, Outcome.LITIGE, Outcome.DEDANS, Outcome.CAPOT, Outcome.VOID)
COLVER_BIDS_TO = 160
"""Its bids are 80…160 and capot; ours go on to 180."""
COLVER_MARKING = ContractMarking(surcoinche=3, multiply_all=False, belote_to_winner=True)
"""Its README, *Rules*: a double multiplies the points bid alone, × 2 and × 3. Its scores: the belote of a failed or
doubled contract goes to the winner; a bid capot counts 250."""
DEFENCE_CAPOT = 252 - 162
"""What all eight tricks bring a defence here, and not in colver, beyond a contract failed otherwise."""


def same_cards(
    deal: Deal, ours: Cards, theirs: Cards, differences: tuple[Callable[[Position], Cards | None], ...], seen: Seen
) -> None:
    """The other program offers the cards that ours does, or where a difference applies exactly those it asks for."""
    assert deal.hands is not None
    assert deal.turn is not None
    assert deal.trump is not None
    position = Position(frozenset(cards_in(deal.hands[deal.turn])), deal.trick, deal.trump)
    expected = ours
    for difference in differences:
        if (changed := difference(position)) is not None:
            expected = changed
            seen[difference.__name__] += 1
            if changed == ours:
                raise AssertionError(f"{difference.__name__} makes no difference at {position}")
    same(f"cards at {position}", sorted(map(format_card, expected)), sorted(map(format_card, theirs)))
    seen["positions"] += 1


# Contrée beside colver

COLVER_RANKS = ("7", "8", "9", "J", "Q", "K", "10", "A")
TO_COLVER = tuple(8 * suit_of(card) + COLVER_RANKS.index(RANKS[rank_of(card)]) for card in PACK)
PASS, COINCHE_WORD, SURCOINCHE_WORD = 0, 41, 42
BIDDING, PLAYING, DONE = 0, 1, 2


def colver_word(word: Action) -> int | None:
    """Its number of a word of the auction; None for a bid that it does not have."""
    match word:
        case ContractBid(value, suit) if value == CAPOT:
            return 37 + suit
        case ContractBid(value, suit):
            return 1 + (value - 80) // 10 * 4 + suit if value <= COLVER_BIDS_TO else None
        case Double.COINCHE:
            return COINCHE_WORD
        case Double.SURCOINCHE:
            return SURCOINCHE_WORD
    return PASS


def skip_coincher_partner(env: Any, deal: Deal, seen: Seen) -> None:
    """After a coinche colver asks the coincher's partner too, who can only pass; here they are passed over."""
    while env.phase() == BIDDING and env.current_player() != deal.turn:
        contract = deal.contract
        if contract is None or contract.double is not Double.COINCHE or (env.current_player() - contract.seat) % 2 == 0:
            break
        same("words of the coincher's partner", [PASS], env.legal_actions())
        env.step(PASS)
        seen["coincher's partner is asked"] += 1


def contree_auction(rules: Coinche, deal: Deal, env: Any, random: Random, seen: Seen) -> Deal:
    while deal.turn is not None and deal.trump is None:
        same("phase", BIDDING, env.phase())
        same("seat that speaks", deal.turn, env.current_player())
        words = {colver_word(word): word for word in rules.actions(deal)}
        seen["bids above 160"] += words.pop(None, None) is not None
        same("words", sorted(word for word in words if word is not None), env.legal_actions())
        bold = random.random()
        doubles = [word for word in words if word in (COINCHE_WORD, SURCOINCHE_WORD)]
        word = random.choice(doubles) if doubles and bold < 0.4 else random.choice([*words]) if bold > 0.7 else PASS
        deal = rules.apply(deal, words[word])
        env.step(word)
        skip_coincher_partner(env, deal, seen)
    return deal


def contree_deal(colver: Any, rules: Coinche, random: Random, seen: Seen) -> None:
    """One deal, from the pack to the score, in both programs."""
    deal = rules.start(tuple(random.sample(PACK, 32)), random.randrange(4), Options(1001, Scoring.MADE_AND_BID))
    assert deal.hands is not None
    env = colver.Env.deal_with_hands(deal.dealer, [[TO_COLVER[card] for card in cards_in(hand)] for hand in deal.hands])
    deal = contree_auction(rules, deal, env, random, seen)
    while deal.turn is not None:
        same("phase", PLAYING, env.phase())
        same("seat that plays", deal.turn, env.current_player())
        ours = frozenset(action.card for action in rules.actions(deal) if isinstance(action, Play))
        theirs = frozenset(TO_COLVER.index(card) for card in env.legal_actions())
        same_cards(deal, ours, theirs, COLVER_DIFFERS, seen)
        card = random.choice(sorted(ours & theirs))
        deal = rules.apply(deal, Play(card))
        env.step(TO_COLVER[card])
        same("tricks", deal.tricks, tuple(env.get_tricks_won()))
        if deal.turn is not None:
            same("points", deal.points, tuple(env.get_points()))
    same("phase", DONE, env.phase())
    score = rules.score(deal)
    same_contree_score(rules, deal, score, env, seen)
    seen[score.outcome] += 1
    seen[f"{score.outcome}, {deal.contract and deal.contract.double}"] += 1


def same_contree_score(rules: Coinche, deal: Deal, score: DealScore, env: Any, seen: Seen) -> None:
    """Points, belote and marks; colver writes a capot into the points, here it is in the marks alone."""
    points = tuple(252 if won == 8 else made for made, won in zip(score.points, score.tricks, strict=True))
    same("points", points, tuple(env.get_points()))
    belote = (2, 0) if score.belote == 0 else (0, 2) if score.belote == 1 else (0, 0)
    same("cards of the belote shown by each side", belote, tuple(env.get_belote()))
    theirs = tuple(map(int, env.rewards()))
    expected = list(replace(rules, marking=COLVER_MARKING).score(deal).marks)
    if score.outcome is Outcome.FAILED and 8 in score.tricks:
        expected[score.tricks.index(8)] -= DEFENCE_CAPOT
        seen["capot of the defence"] += 1
    same(f"marks of {score}", tuple(expected), theirs)
    if score.outcome is not Outcome.FAILED and (deal.contract is None or deal.contract.double is None):
        same(f"marks of {score} by our own book", score.marks, theirs)


def contree(colver: Any, rules: Coinche, seeds: range) -> Seen:
    """Raises AssertionError at the first difference that is not written down."""
    seen: Seen = Counter()
    for seed in seeds:
        try:
            contree_deal(colver, rules, Random(seed), seen)
        except AssertionError as error:
            raise AssertionError(f"contrée, deal {seed}: {error}") from error
    return seen


# Belote on a turned card beside belote-cli


class BeloteCli(NamedTuple):
    """The modules of belote-cli, and its cards."""

    deck: Any
    game: Any
    scoring: Any
    cards: tuple[Any, ...]

    def of(self, cards: Cards | tuple[int, ...]) -> tuple[Any, ...]:
        return tuple(self.cards[card] for card in cards)


def load_belote_cli() -> BeloteCli:
    deck, game, scoring = (import_module(f"belote.{name}") for name in ("deck", "game", "scoring"))
    suits = {suit.value: suit for suit in deck.CARD_SUITS}
    cards = tuple(deck.Card(suits[SUITS_FR[suit_of(card)]], deck.Rank(RANKS[rank_of(card)])) for card in PACK)
    return BeloteCli(deck, game, scoring, cards)


def start_there(cli: BeloteCli, pack: tuple[int, ...], dealer: int) -> Any:
    """Its state before the first word. It deals from a fixed seat, so the packets are ours; no announcements."""
    hands, turned, stock = layout(pack, dealer)
    seat = cli.game.Seat(dealer)
    return replace(
        cli.game.new_game(),
        hands=tuple(map(cli.of, hands)),
        dealer=seat,
        turn=seat.next_seat(),
        phase=cli.game.Phase.BIDDING,
        up_card=cli.cards[turned],
        remaining_cards=cli.of(stock),
        boss_modifiers=cli.game.BossModifiers(declarations_zero=True),
    )


def turned_card_auction(cli: BeloteCli, rules: Classique, deal: Deal, state: Any, random: Random) -> tuple[Deal, Any]:
    while deal.turn is not None and deal.trump is None:
        same("seat that speaks", deal.turn, cli.game.bidding_turn(state).value)
        same("round", 1 if deal.passes < 4 else 2, state.bidding_round)
        word = random.choice([Bid.PASS, Bid.PASS, *rules.actions(deal)])
        assert isinstance(word, Bid)
        trump = suit_of(deal.turned) if word is Bid.TAKE else None if word is Bid.PASS else SUIT_BIDS.index(word)
        deal = rules.apply(deal, word)
        state = cli.game.place_bid(state, None if trump is None else cli.deck.CARD_SUITS[trump])
    return deal, state


def turned_card_deal(cli: BeloteCli, rules: Classique, random: Random, seen: Seen) -> None:
    """One deal, from the pack to the score, in both programs."""
    pack, dealer = tuple(random.sample(PACK, 32)), random.randrange(4)
    deal, state = rules.start(pack, dealer, rules.defaults), start_there(cli, pack, dealer)
    deal, state = turned_card_auction(cli, rules, deal, state, random)
    if deal.taker is None:
        same("phase of a void deal", cli.game.Phase.DEAL, state.phase)
        seen["void"] += 1
        return
    assert deal.hands is not None
    same("hands", [set(cli.of(cards_in(hand))) for hand in deal.hands], [set(hand) for hand in state.hands])
    while deal.turn is not None:
        same("seat that plays", deal.turn, state.turn.value)
        ours = frozenset(action.card for action in rules.actions(deal) if isinstance(action, Play))
        theirs = frozenset(map(cli.cards.index, cli.game.legal_cards(state, state.turn)))
        same_cards(deal, ours, theirs, BELOTE_CLI_DIFFERS, seen)
        card = random.choice(sorted(ours & theirs))
        words = {None: None, Says.BELOTE: "Belote!", Says.REBELOTE: "Rebelote!"}
        said = words[rules.says(deal, Play(card))]
        deal = rules.apply(deal, Play(card))
        state = cli.game.play_card(state, cli.cards[card])
        same("announcement", said, state.announced)
        same("points", deal.points, state.current_round_points)
    same("phase", cli.game.Phase.SCORING, state.phase)
    same_turned_card_score(cli, rules, deal, state, seen)


def same_turned_card_score(cli: BeloteCli, rules: Classique, deal: Deal, state: Any, seen: Seen) -> None:
    """belote-cli decides without the belote, which stays with its owner in a litige too; here it decides with it."""
    score, there = rules.score(deal), cli.scoring.score_round(state)
    bare = rules.score(deal._replace(belote=None))
    marks, pot = score.marks, score.pot
    if score.outcome is not bare.outcome:
        seen["belote decides"] += 1
        assert score.belote is not None
        marks, pot = (bare.marks[0] + 20 * (score.belote == 0), bare.marks[1] + 20 * (score.belote == 1)), bare.pot
    assert score.taker is not None
    theirs = (there.taker_total, there.defender_total)[:: 1 - score.taker % 2 * 2]
    same(f"marks of {score}", (marks, pot), (theirs, there.litige_points_awarded))
    same("tricks", score.tricks, (there.tricks_ns, there.tricks_ew))
    seen[score.outcome] += 1


def turned_card(cli: BeloteCli, rules: Classique, seeds: range) -> Seen:
    """Raises AssertionError at the first difference that is not written down."""
    seen: Seen = Counter()
    for seed in seeds:
        try:
            turned_card_deal(cli, rules, Random(seed), seen)
        except AssertionError as error:
            raise AssertionError(f"classique, deal {seed}: {error}") from error
    return seen


# The comparisons. Both programs are imported when used: `make test` reads this file without them.


@pytest.mark.soak
@pytest.mark.parametrize("block", range(BLOCKS))
def test_contree_as_colver_plays_it(block: int) -> None:
    seen = contree(import_module("colver"), COINCHE, seeds(block, CONTREE_DEALS))
    assert seen["positions"] > 20 * CONTREE_DEALS
    assert {difference.__name__ for difference in COLVER_DIFFERS} <= seen.keys()
    assert {"bids above 160", "coincher's partner is asked", "capot of the defence"} <= seen.keys()
    assert {Outcome.VOID, Outcome.MADE_CAPOT} <= seen.keys()
    assert {f"{won}, {double}" for won in (Outcome.MADE, Outcome.FAILED) for double in (None, *Double)} <= seen.keys()


@pytest.mark.soak
@pytest.mark.parametrize("block", range(BLOCKS))
def test_classique_as_belote_cli_plays_it(block: int) -> None:
    seen = turned_card(load_belote_cli(), CLASSIQUE, seeds(block, TURNED_CARD_DEALS))
    assert seen["positions"] > 20 * TURNED_CARD_DEALS
    assert {"rise_over_partner", "belote decides", *TURNED_CARD_OUTCOMES} <= seen.keys()


# Faults, in a rule or in a step of the play, and the comparison that they must fail in both games.

WRONG_DUTIES = {
    "rise over a partner": Duties(under_trump=True, rise_over_partner=True),
    "under-ruff free": Duties(under_trump=False, rise_over_partner=False),
}


def first_wins(trick: tuple[int, ...], trump: int) -> tuple[int, int]:
    return 0, trick_result(trick, trump)[1]


def none_counts(trick: tuple[int, ...], trump: int) -> tuple[int, int]:
    return trick_result(trick, trump)[0], 0


def unsaid(*_: object) -> None:
    """No announcement."""


WRONG_STEPS: dict[str, tuple[Any, str, Any, str]] = {
    "first card wins": (one_deal, "trick_result", first_wins, "seat|points|tricks"),
    "no card counts": (one_deal, "trick_result", none_counts, "points"),
    "no ten for the last trick": (one_deal, "LAST_TRICK", 0, "points"),
    "belote unsaid": (steps, "announcement", unsaid, "announcement|cards of the belote"),
    "a belote of ten": (shared, "BELOTE", 10, "marks"),
    "nobody must rise": (shared, "BEATEN_BY", [[0] * 32] * 4, "cards at"),
    "nobody must follow": (shared, "SUIT_CARDS", [0] * 4, "cards at"),
}


@pytest.mark.soak
@pytest.mark.parametrize("name", WRONG_DUTIES)
def test_a_wrong_duty_is_caught(name: str) -> None:
    with pytest.raises(AssertionError, match=r"deal \d+: (cards at|\w+ makes no difference)"):
        contree(import_module("colver"), replace(COINCHE, duties=WRONG_DUTIES[name]), range(FAULTY_DEALS))
    with pytest.raises(AssertionError, match=r"deal \d+: (cards at|\w+ makes no difference)"):
        turned_card(load_belote_cli(), replace(CLASSIQUE, duties=WRONG_DUTIES[name]), range(FAULTY_DEALS))


@pytest.mark.soak
@pytest.mark.parametrize("fault", WRONG_STEPS)
def test_a_wrong_step_is_caught(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    colver, cli = import_module("colver"), load_belote_cli()
    module, name, value, comparison = WRONG_STEPS[fault]
    monkeypatch.setattr(module, name, value)
    with pytest.raises(AssertionError, match=rf"deal \d+: ({comparison})"):
        contree(colver, COINCHE, range(FAULTY_DEALS))
    with pytest.raises(AssertionError, match=rf"deal \d+: ({comparison})"):
        turned_card(cli, CLASSIQUE, range(FAULTY_DEALS))
