"""What every benchmark reports: rows of one table."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One measured figure; `bound` says in words what it must hold, `met` whether it does."""

    name: str
    figure: float
    unit: str
    bound: str
    met: bool
