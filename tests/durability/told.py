"""The service as in `ahead`, which learns of other processes' matches by being told alone."""

import fairdeal.store.notices
from fairdeal.cli import main
from tests.durability import ahead

assert ahead.FILE is not None
vars(fairdeal.store.notices)["LOOK_SECONDS"] = 3_600.0

if __name__ == "__main__":
    main()
