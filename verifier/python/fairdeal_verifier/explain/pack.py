"""How a pack came about and was dealt, every number on the way (protocol 3 and 4)."""

from hmac import digest
from itertools import pairwise
from math import factorial

from fairdeal_verifier.canonical import Json
from fairdeal_verifier.cards import CARD_NAMES, CARDS
from fairdeal_verifier.explain.course import Course, PlayedDeal
from fairdeal_verifier.rulesets import Ruleset
from fairdeal_verifier.shuffle import LEAST_CUT

CUTS = CARDS - 2 * LEAST_CUT + 1
"""In how many places a pack may be cut."""


def names(cards: list[int]) -> list[Json]:
    """Cards as the files write them."""
    return [CARD_NAMES[card] for card in cards]


def _drawn(course: Course, label: str, deal: int | None) -> tuple[int, dict[str, Json]]:
    """The integer that the server seed draws from a message, with the steps to it."""
    number = b"" if deal is None else deal.to_bytes(4, "big")
    seats = b"".join(course.seeds[seat] for seat in sorted(course.seeds))
    message = f"fairdeal/1 {label}\n".encode() + course.table_root + seats + number
    mac = digest(course.server_seed, message, "sha256")
    integer = int.from_bytes(mac, "big")
    # A text, since few readers of JSON hold 256 bits in a number.
    return integer, {"message": message.hex(), "hmac": mac.hex(), "integer": str(integer)}


def dealer_facts(course: Course, deal: PlayedDeal) -> dict[str, Json]:
    """The first dealer, and this deal's."""
    integer, steps = _drawn(course, "dealer", None)
    return {**steps, "first": integer % course.bundle.open.seats, "dealer": deal.dealer}


def pack_facts(course: Course, deal: PlayedDeal) -> dict[str, Json]:
    """The pack, shuffled or cut."""
    if deal.gathered is not None:
        integer, steps = _drawn(course, "cut", deal.number)
        how = "cut void" if deal.after_void else "cut"
        count = LEAST_CUT + integer % CUTS
        return {"how": how, **steps, "gathered": names(deal.gathered), "cut": count, "pack": names(deal.pack)}
    integer, steps = _drawn(course, "deal", deal.number)
    index = rest = integer % factorial(CARDS)
    swaps: list[Json] = []
    for i in range(CARDS - 1, 0, -1):
        rest, j = divmod(rest, i + 1)
        swaps.append([i, j])
    again = course.bundle.open.ruleset.announces and deal.number > 1
    how = "shuffled after voids" if again else "shuffled"
    return {"how": how, **steps, "index": str(index), "swaps": swaps, "pack": names(deal.pack)}


def dealing_facts(game: Ruleset, deal: PlayedDeal) -> dict[str, Json]:
    """Which cards of the pack went where: `packets` before the bidding, `after` once somebody has taken."""
    rounds = (3, 3) if game.seats == 2 else (3, 2, 3) if game.auction else (3, 2)
    order = [(deal.dealer + 1 + i) % game.seats for i in range(game.seats)]
    at, packets = _packets(deal.pack, 0, [(seat, count) for count in rounds for seat in order])
    facts: dict[str, Json] = {"packets": packets, "turned": None, "stock": [], "after": []}
    if not game.auction:
        facts |= {"turned": CARD_NAMES[deal.pack[at]], "stock": names(deal.pack[at + 1 :])}
        taker = deal.state.taker
        if taker is not None:
            shares = [(1 - taker, 1)] if game.seats == 2 else [(seat, 2 if seat == taker else 3) for seat in order]
            facts["after"] = _packets(deal.pack, at + 1, shares)[1]
    facts["hands"] = [names(hand) for hand in deal.hands]
    facts["full_hands"] = None if deal.full_hands is None else [names(hand) for hand in deal.full_hands]
    return facts


def _packets(pack: list[int], at: int, shares: list[tuple[int, int]]) -> tuple[int, list[Json]]:
    """Where the dealing stands after these shares, and what each seat got: the first card's place in the pack."""
    places = [at]
    for _, count in shares:
        places.append(places[-1] + count)
    packets: list[Json] = [
        {"seat": seat, "at": start, "cards": names(pack[start:stop])}
        for (seat, _), (start, stop) in zip(shares, pairwise(places), strict=True)
    ]
    return places[-1], packets
