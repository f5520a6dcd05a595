"""What every benchmark reports: rows of one table."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One measured figure; `bound` says in words what it must hold, `met` whether it does."""

    name: str
    figure: float
    unit: str
    bound: str
    met: bool


def format_table(rows: Iterable[Row]) -> str:
    """The rows as a Markdown table, one line each, figures to three significant digits."""
    lines = ["| what | figure | unit | bound | met |", "|---|---:|---|---|---|"]
    for row in rows:
        figure = f"{row.figure:,.0f}" if row.figure >= 100 else f"{row.figure:.3g}"
        lines.append(f"| {row.name} | {figure} | {row.unit} | {row.bound} | {'yes' if row.met else 'NO'} |")
    return "\n".join(lines)
