"""Seeds, what commits to them before they are known, and how the server's own is kept meanwhile."""

from fairdeal.commit.custody import Custody
from fairdeal.commit.seeds import Seed, check_opens, commitment

__all__ = ["Custody", "Seed", "check_opens", "commitment"]
