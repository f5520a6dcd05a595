"""Where it is all kept: `SqlStore`, the store port on one SQLite file or on PostgreSQL, and `LogCopy`, the log outside
of it. Rows and SQL never leave this package.
"""

from fairdeal.store.copy import LogCopy
from fairdeal.store.sql import SqlStore

__all__ = ["LogCopy", "SqlStore"]
