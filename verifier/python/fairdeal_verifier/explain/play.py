"""The bids, the tricks, and why a card was allowed (protocol 4.1, 4.2)."""

from fairdeal_verifier.actions import do_of
from fairdeal_verifier.annonces import Annonces
from fairdeal_verifier.canonical import Json
from fairdeal_verifier.cards import BEATS, CARD_NAMES, CARDS, DECLARE, RESIGN, SUIT, SUITS, VALUE, as_set
from fairdeal_verifier.explain.course import Move, PlayedDeal
from fairdeal_verifier.explain.pack import names
from fairdeal_verifier.rulesets import Ruleset

FREE_TRICKS = 9
"""Of the duel: while the stock holds cards, any card may be played."""
FIRST_DRAWN = 14
"""The place in the pack of the duel's first card drawn after a trick."""


def cards_of(deal: PlayedDeal) -> list[Move]:
    """The cards played, in order."""
    return [move for move in deal.moves if move.action < CARDS]


def holder(trick: list[Move], trump: int) -> Move:
    """Whose card holds the trick."""
    best = trick[0]
    for move in trick[1:]:
        if BEATS[trump][best.action] >> move.action & 1:
            best = move
    return best


def bidding_facts(deal: PlayedDeal) -> list[Json]:
    """Every word of the bidding."""
    return [
        {"n": move.n, "seat": move.seat, **do_of(move.action), "timeout": move.by_timeout}
        for move in deal.moves
        if CARDS <= move.action < DECLARE
    ]


def tricks_facts(game: Ruleset, deal: PlayedDeal) -> list[Json]:
    """Every trick, the last one perhaps unfinished: its winner is then null."""
    trump, cards = deal.state.trump, cards_of(deal)
    tricks: list[Json] = []
    if trump is None:
        return tricks
    for number, at in enumerate(range(0, len(cards), game.seats), 1):
        trick = cards[at : at + game.seats]
        whole = len(trick) == game.seats
        best = holder(trick, trump)
        drawn = deal.pack[FIRST_DRAWN + at : FIRST_DRAWN + at + 2] if game.seats == 2 and whole else []
        tricks.append(
            {
                "number": number,
                "cards": [
                    {"n": m.n, "seat": m.seat, "card": CARD_NAMES[m.action], "says": m.says, "timeout": m.by_timeout}
                    for m in trick
                ],
                "winner": best.seat if whole else None,
                "best": CARD_NAMES[best.action],
                "trump": best.action >> 3 == trump,
                "values": [VALUE[trump][m.action] for m in trick],
                "drawn": names(drawn),
            }
        )
    return tricks


def announcements_facts(deal: PlayedDeal) -> dict[str, Json] | None:
    """Who declared, and what was shown; None in games without announcements."""
    if not isinstance(deal.state, Annonces):
        return None
    shown: list[Json] = [{"seat": one.seat, "cards": names(list(one.cards))} for one in deal.state.shown()]
    return {
        "declared": [move.seat for move in deal.moves if move.action == DECLARE],
        "shown": shown,
        "counted": list(deal.state.counted()),
    }


def choice_facts(game: Ruleset, deal: PlayedDeal, move: Move, allowed: bool) -> dict[str, Json]:
    """The hand, the trick as it lay, what was allowed, and by which duty; `allowed` says whether the move was."""
    before = [other for other in cards_of(deal) if other.n < move.n]
    on_table = before[len(before) - len(before) % game.seats :]
    return {
        "seat": move.seat,
        "do": do_of(move.action),
        "timeout": move.by_timeout,
        "allowed": allowed,
        "hand": names(move.hand),
        "on_table": [{"seat": other.seat, "card": CARD_NAMES[other.action]} for other in on_table],
        "legal": [do_of(action) for action in move.legal],
        "duty": _duty(game, deal, move, on_table, len(before) // game.seats),
        "trump": None if deal.state.trump is None else SUITS[deal.state.trump],
    }


def _duty(game: Ruleset, deal: PlayedDeal, move: Move, on_table: list[Move], tricks: int) -> str:
    """The name of the rule that says what is allowed: a key of the duties in `words`."""
    trump = deal.state.trump
    if move.action in (RESIGN, DECLARE):
        return "resign" if move.action == RESIGN else "declare"
    if move.action >= CARDS or trump is None:
        return "bid"
    if not on_table:
        return "lead"
    if game.seats == 2 and tricks < FREE_TRICKS:
        return "stock"
    hand, led, best = as_set(*move.hand), on_table[0].action, holder(on_table, trump)
    allowed = as_set(*(action for action in move.legal if action < CARDS))
    higher = hand & SUIT[trump] & BEATS[trump][best.action]
    partner = game.seats == 4 and (best.seat ^ move.seat) == 2
    if hand & SUIT[led >> 3]:
        if led >> 3 != trump:
            return "follow"
        return "no_higher" if not higher else "rise" if allowed == higher else "partner_trump"
    if not hand & SUIT[trump]:
        return "discard"
    if partner:
        return "partner"
    if best.action >> 3 != trump:
        return "ruff"
    return "overruff" if higher else "underruff" if allowed == hand & SUIT[trump] else "no_underruff"
