"""The rules of belote: cards' values, bidding, play, announcements and scoring, one file per ruleset.

Pure: an immutable `Deal`, functions from deal to deal, and nothing that knows time, entropy or who is sitting.
"""

from fairdeal.belote.actions import Action, Bid, ContractBid, Declare, Double, Play, Reason, Says, from_do, to_do
from fairdeal.belote.deal import Deal, Phase, check_turn
from fairdeal.belote.rulesets import FOUR_PLAYERS, RULESETS, Ruleset, find_ruleset
from fairdeal.belote.scoring import DealScore, FourOutcome, MatchState, Options, Outcome, Scoring, match_result, pay_pot
from fairdeal.belote.tables import card_set, cards_in

__all__ = [
    "FOUR_PLAYERS",
    "RULESETS",
    "Action",
    "Bid",
    "ContractBid",
    "Deal",
    "DealScore",
    "Declare",
    "Double",
    "FourOutcome",
    "MatchState",
    "Options",
    "Outcome",
    "Phase",
    "Play",
    "Reason",
    "Ruleset",
    "Says",
    "Scoring",
    "card_set",
    "cards_in",
    "check_turn",
    "find_ruleset",
    "from_do",
    "match_result",
    "pay_pot",
    "to_do",
]
