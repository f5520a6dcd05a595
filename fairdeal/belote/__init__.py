"""The rules of belote: cards' values, bidding, play, announcements and scoring, one file per ruleset.

Pure: an immutable `Deal`, functions from deal to deal, and nothing that knows time, entropy or who is sitting.
"""

from fairdeal.belote.actions import (
    VALUES,
    Action,
    Bid,
    ContractBid,
    Declare,
    Double,
    Play,
    Reason,
    Says,
    from_do,
    to_do,
)
from fairdeal.belote.annonces import Shown, declare, show, show_due, to_show
from fairdeal.belote.announcements import announcement_of
from fairdeal.belote.deal import NO_CARD, Deal, Phase, check_turn
from fairdeal.belote.pack import after_deal, cut_pack, gather
from fairdeal.belote.rulesets import RULESETS, Ruleset, find_ruleset
from fairdeal.belote.scoring import DealScore, Features, MatchState, Options, Outcome, Scoring, match_result, pay_pot
from fairdeal.belote.values import card_set, cards_in

__all__ = [
    "NO_CARD",
    "RULESETS",
    "VALUES",
    "Action",
    "Bid",
    "ContractBid",
    "Deal",
    "DealScore",
    "Declare",
    "Double",
    "Features",
    "MatchState",
    "Options",
    "Outcome",
    "Phase",
    "Play",
    "Reason",
    "Ruleset",
    "Says",
    "Scoring",
    "Shown",
    "after_deal",
    "announcement_of",
    "card_set",
    "cards_in",
    "check_turn",
    "cut_pack",
    "declare",
    "find_ruleset",
    "from_do",
    "gather",
    "match_result",
    "pay_pot",
    "show",
    "show_due",
    "to_do",
    "to_show",
]
