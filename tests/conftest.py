"""What every test shares: Hypothesis without a stopwatch, and the scale of the long proofs."""

import os
from collections.abc import Callable

import pytest
from hypothesis import settings

settings.register_profile("fairdeal", deadline=None)
settings.load_profile("fairdeal")


@pytest.fixture(scope="session")
def cases() -> Callable[[int], int]:
    """Scales the number of cases of a soak test by FAIRDEAL_SOAK, which `make soak SOAK=…` sets; never below one."""
    scale = float(os.environ.get("FAIRDEAL_SOAK", "1"))
    return lambda count: max(1, round(count * scale))
