"""The registry of rulesets, and what each of them gives."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Protocol

from fairdeal.belote.actions import Action, Says
from fairdeal.belote.annonces import ANNONCES
from fairdeal.belote.classique import CLASSIQUE
from fairdeal.belote.coinche import COINCHE
from fairdeal.belote.deal import Deal, Phase
from fairdeal.belote.duel import DUEL
from fairdeal.belote.scoring import DealScore, Options
from fairdeal.errors import Malformed


class Ruleset(Protocol):
    """The rules of one game: a stateless object of total functions on an immutable Deal.

    `id` carries the version; a change of any rule is a new id. Two ways in: `start` with the pack, `apply` from there;
    or `start_public` without it, `apply_public` from there.
    """

    @property
    def id(self) -> str: ...
    @property
    def players(self) -> int: ...
    @property
    def sides(self) -> int: ...
    @property
    def defaults(self) -> Options: ...
    def parse_options(self, value: object) -> Options: ...
    def format_options(self, options: Options) -> Mapping[str, int | str]: ...
    def from_do(self, do: object) -> Action: ...
    def next_dealer(self, dealer: int) -> int: ...
    def start(self, pack: tuple[int, ...], dealer: int, options: Options) -> Deal: ...
    def start_public(self, turned: int, dealer: int, options: Options) -> Deal: ...
    def phase(self, deal: Deal) -> Phase: ...
    def actions(self, deal: Deal) -> tuple[Action, ...]: ...
    def first_action(self, deal: Deal) -> Action: ...
    def check(self, deal: Deal, action: Action) -> None: ...
    def says(self, deal: Deal, action: Action) -> Says | None: ...
    def apply(self, deal: Deal, action: Action) -> Deal: ...
    def apply_public(self, deal: Deal, action: Action, says: Says | None) -> Deal: ...
    def score(self, deal: Deal) -> DealScore: ...


RULESETS: Final[Mapping[str, Ruleset]] = MappingProxyType({ruleset.id: ruleset for ruleset in (DUEL,)})


FOUR_PLAYERS: Final[Mapping[str, Ruleset]] = MappingProxyType(
    {ruleset.id: ruleset for ruleset in (CLASSIQUE, COINCHE, ANNONCES)}
)
"""The games for four, complete as rules; a match is played by those in RULESETS alone."""


def find_ruleset(name: str) -> Ruleset:
    """The ruleset of this id. Raises Malformed for one that does not exist."""
    try:
        return RULESETS[name]
    except KeyError:
        raise Malformed("unknown ruleset") from None
