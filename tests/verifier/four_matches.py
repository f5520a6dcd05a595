"""Matches of the games for four with what only they have: a litige, declarations and a show, a doubled contract."""

from collections.abc import Callable
from typing import Any

from fairdeal_verifier.actions import do_of
from fairdeal_verifier.cards import COINCHE, CONTRACT_BID, DECLARE, PASS, SURCOINCHE, TAKE
from tests.verifier.builder import ENDINGS, Match, Server, target


def outcomes(match: Match) -> list[str]:
    return [event["data"]["outcome"] for event in match.events if event["type"] == "score"]


def first_of(build: Callable[[int], Match], wanted: Callable[[Match], bool]) -> Match:
    return next(match for match in map(build, range(2_000)) if wanted(match))


def with_litige(game: str) -> Match:
    """One whose litige is followed by a deal that takes the pot."""

    def build(seed: int) -> Match:
        server = Server(seed, game, target=2001).begin()
        while not server.over and (server.number < 12 and (server.number < 2 or not server.pot)):
            server.act(TAKE if server.deal is not None and TAKE in server.deal.legal() else None)
        while server.pot and not server.over:
            server.act(TAKE if server.deal is not None and TAKE in server.deal.legal() else None)
        if not server.over:
            server.resign(3)
        return server.match

    return first_of(build, lambda match: "litige" in outcomes(match)[:-1] and outcomes(match)[-1] != "litige")


def announced() -> Match:
    """Two deals of the annonces: the first passed out, the second with declarations of both sides and a show."""

    def build(seed: int) -> Match:
        server = Server(seed, "annonces@1").begin()
        while server.number == 1:
            server.act(PASS)
        server.act(TAKE)
        while server.number == 2 and not server.over:
            legal = server.deal.legal() if server.deal else []
            server.act(DECLARE if DECLARE in legal else None)
        if not server.over:
            server.resign(2)
        return server.match

    def wanted(match: Match) -> bool:
        by = {event["by"] % 2 for event in match.events if event["data"].get("do") == do_of(DECLARE)}
        shown = [event["data"]["announcements"] for event in match.events if event["type"] == "show"]
        silent = {0, 1, 2, 3} - {event["by"] for event in match.events if event["data"].get("do") == do_of(DECLARE)}
        return by == {0, 1} and bool(silent) and len(shown) == 1 and bool(shown[0])

    return first_of(build, wanted)


def doubled(scoring: str = "faits+demandés") -> Match:
    """A contract of the coinche said twice, coinched, surcoinched, played; then a resignation."""
    server = Server(5, "coinche@1", scoring=scoring).begin()
    for bid in (PASS, CONTRACT_BID, CONTRACT_BID + 6, COINCHE, PASS, SURCOINCHE):
        server.act(bid)
    while server.number == 1 and not server.over:
        server.act()
    if not server.over:
        server.act(PASS)
        server.resign(1)
    return server.match


MATCHES: dict[str, Match] = {
    "classique": with_litige("classique@1"),
    "litige": with_litige("annonces@1"),
    "annonces": announced(),
    "coinche": doubled(),
    "faits": doubled("faits"),
    "plain": target(3, "coinche@1"),
    "target": target(4, "classique@1", stake=100),
    "side": ENDINGS["seed"](1, "classique@1"),
    "seat": ENDINGS["seed"](4, "classique@1"),
    "overruns": ENDINGS["overruns"](9, "coinche@1"),
    "void": ENDINGS["void"](1, "coinche@1"),
    "late": ENDINGS["late seeds"](2, "annonces@1"),
}


def plant(name: str) -> Match:
    return MATCHES[name].copy()


def first_card(match: Match) -> int:
    return next(n for n, event in enumerate(match.events) if "card" in event["data"].get("do", {}))


SHOWN: dict[str, Any] = {"announcements": []}
"""The data of a `show` of nothing."""
