"""Where it is all kept: `SqlStore`, the store port on one SQLite file or on PostgreSQL, `LogCopy`, the log outside of
it, `Notices` between the processes on one PostgreSQL, and `check_file`, what a file is before it is opened. Rows and
SQL never leave this package.
"""

from fairdeal.store.log_copy import LogCopy
from fairdeal.store.notices import Notices
from fairdeal.store.sql import SqlStore
from fairdeal.store.sqlite_files import check_file

__all__ = ["LogCopy", "Notices", "SqlStore", "check_file"]
