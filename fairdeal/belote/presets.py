"""Named sets of options of other rule books and tables, each a value of a game that exists.

They pin every option that tables differ on; no match is opened by these names.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final, NamedTuple

from fairdeal.belote.annonces import ANNONCES
from fairdeal.belote.classique import CLASSIQUE, Marking
from fairdeal.belote.coinche import COINCHE, ContractMarking
from fairdeal.belote.four import Duties, FourPlayers
from fairdeal.belote.scoring import Options, Scoring
from fairdeal.belote.sheet import Sheet


class Preset(NamedTuple):
    """A game with its options."""

    rules: FourPlayers
    options: Options


_FEDERATION: Final = Duties(under_trump=True, rise_over_partner=True)
_FREE: Final = Duties(under_trump=False, rise_over_partner=True)
_MADE_AND_BID: Final = Options(1001, Scoring.MADE_AND_BID)

PRESETS: Final[Mapping[str, Preset]] = MappingProxyType(
    {
        "classique-ffb": Preset(replace(CLASSIQUE, duties=_FEDERATION), Options(1000)),
        "annonces-ffb": Preset(replace(ANNONCES, duties=_FEDERATION, marking=Marking(dedans=162)), ANNONCES.defaults),
        "coinche-demandes": Preset(COINCHE, _MADE_AND_BID),
        "contree-cannes": Preset(
            replace(
                COINCHE,
                duties=_FREE,
                marking=ContractMarking(capot_bid=270, surcoinche=3, multiply_all=False, belote_to_winner=True),
            ),
            _MADE_AND_BID,
        ),
        "coinche-pagat160": Preset(
            replace(COINCHE, duties=_FEDERATION, marking=ContractMarking(failed=160, multiply_all=False)), _MADE_AND_BID
        ),
        "coinche-ffb": Preset(
            replace(COINCHE, duties=_FREE, marking=ContractMarking(failed=160, beat_defence=True)), _MADE_AND_BID
        ),
    }
)

SHEETS: Final[Mapping[str, Sheet]] = MappingProxyType({"feuille": Sheet(), "feuille-250": Sheet(capot=250)})
"""The score sheets by name; rounding is an option of either."""
