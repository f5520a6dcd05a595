"""The service with a planted fault: while the file FAIRDEAL_TEST_FAULT exists, no match can take a step.

The fault's message holds everything that a step knows, the server's seed in clear among it. Its clock can be ahead.
"""

import os
from pathlib import Path
from typing import Any

import fairdeal.app.matches
from fairdeal.cli import main
from fairdeal.commit import Seed
from fairdeal.match.decide import Command, decide
from fairdeal.match.events import Event
from fairdeal.match.state import MatchState
from tests.durability import ahead as ahead


def faulty(state: MatchState, command: Command, now: int, server_seed: Seed) -> tuple[Event, ...]:
    if FAULT.exists():
        told: list[Any] = [state, command, server_seed, server_seed.reveal(), server_seed.hex()]
        raise RuntimeError(f"planted: {told!r}")
    return decide(state, command, now, server_seed)


if __name__ == "__main__":
    FAULT = Path(os.environ.pop("FAIRDEAL_TEST_FAULT"))
    vars(fairdeal.app.matches)["decide"] = faulty
    main()
