"""Where it is all kept: `SqlStore`, the store port on one SQLite file or on PostgreSQL, `LogCopy`, the log outside of
it, `Notices` between the processes on one PostgreSQL, and `check_file`, what a file is before it is opened. Rows and
SQL never leave this package.
"""

from fairdeal.store.copy import LogCopy
from fairdeal.store.files import check_file
from fairdeal.store.notices import Notices
from fairdeal.store.sql import SqlStore

__all__ = ["LogCopy", "Notices", "SqlStore", "check_file"]
