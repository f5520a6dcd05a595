"""Where it is all kept: `SqlStore`, the store port on one SQLite file or on PostgreSQL, `LogCopy`, the log outside of
it, and `Notices` between the processes on one PostgreSQL. Rows and SQL never leave this package.
"""

from fairdeal.store.copy import LogCopy
from fairdeal.store.notices import Notices
from fairdeal.store.sql import SqlStore

__all__ = ["LogCopy", "Notices", "SqlStore"]
