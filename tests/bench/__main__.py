"""Measures every `bench_*.py` beside this file, prints the table and writes docs/performance.md.

make bench              all of them
make bench ARGS=shuffle the ones whose name contains a word; nothing is written
"""

import os
import platform
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from tests.bench.table import Row, format_table

HERE = Path(__file__).parent
REPORT = HERE.parents[1] / "docs" / "performance.md"


def machine() -> str:
    """The processor as the system names it, the cores this process may use, and the interpreter."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    cores = len(os.sched_getaffinity(0))
    interpreter = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{models[0] if models else platform.machine()}, {cores} cores, {platform.system()}, {interpreter}"


def measure(word: str) -> list[Row]:
    """Runs the benches whose module name contains `word`, in order of name."""
    rows = []
    for path in sorted(HERE.glob("bench_*.py")):
        if word not in path.stem:
            continue
        print(f"measuring {path.stem} …", file=sys.stderr, flush=True)
        rows += import_module(f"tests.bench.{path.stem}").run()
    return rows


def report(rows: Iterable[Row]) -> str:
    return (
        "# Performance\n\n"
        "Written by `make bench`; every figure is of the same run, in processor time of one core, which a busy "
        "machine changes little; those of the log and the store are by the wall, since they wait for the disk; so are "
        "rates and delays of moves over HTTP.\n\n"
        "Longer ones are apart, and write [capacity.md](capacity.md): `python -m tests.bench.capacity`, and `python -m "
        "tests.bench.growth`, which shows whether anything costs more with more live tables (10 to 1,000) or more "
        "matches that are over (1,000 to 100,000).\n\n"
        f"Machine: {machine()}.\n\n"
        f"{format_table(rows)}\n"
    )


def main(words: list[str]) -> int:
    rows = measure(words[0] if words else "")
    if not rows:
        print("no bench has that name", file=sys.stderr)
        return 2
    print(report(rows))
    if not words:
        REPORT.write_text(report(rows), encoding="utf-8")
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
