"""Where it is all kept: `SqlStore`, the store port on one SQLite file. Rows and SQL never leave this package."""

from fairdeal.store.sql import SqlStore

__all__ = ["SqlStore"]
