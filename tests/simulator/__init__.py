"""Whole matches from a number: seeded, pure, quick, of every ending. See `play`."""

from tests.simulator.endings import ENDINGS, play
from tests.simulator.table import Keys, Played, Table, new_table

__all__ = ["ENDINGS", "Keys", "Played", "Table", "new_table", "play"]
