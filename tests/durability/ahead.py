"""The service with a clock that is ahead of the machine's by the ms in the file FAIRDEAL_TEST_AHEAD, if it is there."""

import os
from pathlib import Path

import fairdeal.main
from fairdeal.cli import main

FILE = Path(os.environ.pop("FAIRDEAL_TEST_AHEAD"))


class ClockAhead(fairdeal.main.SystemClock):
    def now_ms(self) -> int:
        return super().now_ms() + (int(FILE.read_text()) if FILE.exists() else 0)


vars(fairdeal.main)["SystemClock"] = ClockAhead

if __name__ == "__main__":
    main()
