"""The service with a clock that is ahead of the machine's by the ms in the file FAIRDEAL_TEST_AHEAD, if it is there; so
is the clock of its PostgreSQL.
"""

import os
from pathlib import Path

import fairdeal.main
import fairdeal.store.sql
from fairdeal.cli import main
from fairdeal.store.postgresql import PostgresqlDatabase

FILE = Path(os.environ.pop("FAIRDEAL_TEST_AHEAD"))


def ahead_ms() -> int:
    return int(FILE.read_text()) if FILE.exists() else 0


class ClockAhead(fairdeal.main.SystemClock):
    def now_ms(self) -> int:
        return super().now_ms() + ahead_ms()


class ClockOfAhead(PostgresqlDatabase):
    def clock_ms(self) -> int:
        return super().clock_ms() + ahead_ms()


vars(fairdeal.store.sql)["PostgresqlDatabase"] = ClockOfAhead
vars(fairdeal.main)["SystemClock"] = ClockAhead

if __name__ == "__main__":
    main()
