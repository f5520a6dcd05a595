"""From the seeds and a deal's number to the order of the pack (protocol section 3)."""

from fairdeal.shuffle.derivation import cut_place, deal_index, deal_pack, first_dealer
from fairdeal.shuffle.permutation import deck_from_index

__all__ = ["cut_place", "deal_index", "deal_pack", "deck_from_index", "first_dealer"]
