"""The rules of belote: cards' values, bidding, play, announcements and scoring, one file per ruleset.

Pure: an immutable `Deal`, functions from deal to deal, and nothing that knows time, entropy or who is sitting.
"""

from fairdeal.belote.actions import Action, Bid, Play, Reason, Says, from_do, to_do
from fairdeal.belote.deal import Deal, Phase, check_turn
from fairdeal.belote.rulesets import RULESETS, Ruleset, find_ruleset
from fairdeal.belote.scoring import DealScore, MatchState, Options, Outcome, match_result
from fairdeal.belote.tables import card_set, cards_in

__all__ = [
    "RULESETS",
    "Action",
    "Bid",
    "Deal",
    "DealScore",
    "MatchState",
    "Options",
    "Outcome",
    "Phase",
    "Play",
    "Reason",
    "Ruleset",
    "Says",
    "card_set",
    "cards_in",
    "check_turn",
    "find_ruleset",
    "from_do",
    "match_result",
    "to_do",
]
