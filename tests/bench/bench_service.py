"""What a move costs a service that runs as a process of its own, on SQLite with full synchronization, while another
process plays over HTTP: each move's signature is checked, its event durable, receipt and view signed, and both seats
are told on their streams. And what idle tables and streams keep of its memory.

What a move costs when the other seat alone is told follows from what it costs with two streams open at each seat.
"""

import tempfile
from pathlib import Path
from statistics import median
from typing import Final

import uvloop

from tests.bench.driver import cost_ms, cpu_seconds, drive, duels, idle_kib, running, stream
from tests.bench.table import Row

TABLES: Final = 200
"""A duel has some hundred moves: enough of them that few end while they are driven."""
WARM_UP: Final = 1_000
MOVES: Final = 6_000
AT_ONCE: Final = 16
PACED_MOVES: Final = 4_000
PACED_AT_ONCE: Final = 100
IDLE: Final = 1_000
"""Tables that only stand there."""

MAX_CPU_MS: Final = 0.9
MIN_RATE: Final = 800
MAX_P99_MS: Final = 50
MAX_TOLD_MS: Final = 10
MAX_KIB: Final = 60


def run() -> list[Row]:
    """Processor time of the service alone; rates and delays by the wall."""
    with tempfile.TemporaryDirectory() as folder:
        return uvloop.run(measure(Path(folder, "home")))


async def measure(home: Path) -> list[Row]:
    with running(home, TABLES + IDLE) as (service, persons):
        playing = await duels(service.port, persons, TABLES)
        await stream(playing)
        await drive(playing, WARM_UP, AT_ONCE)

        def spent_s() -> float:
            return cpu_seconds(service.pid)

        driven, cpu_ms = await cost_ms(playing, MOVES, AT_ONCE, spent_s)
        paced = await drive(playing, PACED_MOVES, PACED_AT_ONCE, MIN_RATE / 2)
        await stream(playing)
        _, of_four_ms = await cost_ms(playing, MOVES, AT_ONCE, spent_s)
        for duel in playing:
            duel.check()
        idle, kib_table, kib_stream = await idle_kib(service.pid, service.port, persons[2 * TABLES :], IDLE)
        for duel in playing + idle:
            duel.close()
    stream_ms = (of_four_ms - cpu_ms) / 2
    p99_ms = paced.answers[int(len(paced.answers) * 0.99)] * 1_000
    told_ms = median(paced.told) * 1_000
    pace = f"at {MIN_RATE / 2:g} moves/s"
    return [
        at_most("move over HTTP, the other seat told: processor time", cpu_ms - stream_ms, "ms", MAX_CPU_MS),
        Row("move over HTTP, both seats told: processor time", cpu_ms, "ms", "", met=True),
        Row("moves over HTTP, one worker", driven.rate, "moves/s", f"≥ {MIN_RATE}", driven.rate >= MIN_RATE),
        at_most(f"move over HTTP {pace}: 99 of 100 are answered within", p99_ms, "ms", MAX_P99_MS),
        at_most(f"move over HTTP {pace}: half are on the opponent's stream within", told_ms, "ms", MAX_TOLD_MS),
        at_most("memory of an idle live table", kib_table, "KiB", MAX_KIB),
        at_most("memory of an idle stream", kib_stream, "KiB", MAX_KIB),
    ]


def at_most(name: str, figure: float, unit: str, bound: float) -> Row:
    return Row(name, figure, unit, f"≤ {bound:g}", figure <= bound)
