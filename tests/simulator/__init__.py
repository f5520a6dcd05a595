"""Whole matches from a number: seeded, pure, quick, of every ending. See `play`."""

from tests.simulator.endings import ENDINGS, GAMES, endings, play
from tests.simulator.log import NAME, ServiceLog
from tests.simulator.table import Keys, Played, Table, new_table

__all__ = ["ENDINGS", "GAMES", "NAME", "Keys", "Played", "ServiceLog", "Table", "endings", "new_table", "play"]
