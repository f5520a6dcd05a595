"""Questions about the rules, for the curious and for integrators: what may be played, who wins, what a deal brings.

Pure: text in, an answer out that both edges print as it is. Cards and suits are read in wire notation (`S10`, `S`) and
in French notation (`10♠`, `♠`), lists with commas or spaces, and answered in wire notation; sentences are in French or
English. The games are `fairdeal.belote`'s own, with the presets and score sheets that no match is opened by.
"""

from fairdeal.app.rules.counting import Count, Line, Marks, Step, count, marks
from fairdeal.app.rules.games import Catalogue, catalogue
from fairdeal.app.rules.play import (
    Announcements,
    Bids,
    Legal,
    Trick,
    announcements,
    bids,
    legal,
    trick,
)
from fairdeal.app.rules.texts import say

__all__ = [
    "Announcements",
    "Bids",
    "Catalogue",
    "Count",
    "Legal",
    "Line",
    "Marks",
    "Step",
    "Trick",
    "announcements",
    "bids",
    "catalogue",
    "count",
    "legal",
    "marks",
    "say",
    "trick",
]
