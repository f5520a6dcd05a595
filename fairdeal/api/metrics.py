"""Numbers for who watches the service, in Prometheus' text. No label says who plays, where, or with which cards.

Labels are the names of routes, codes, kinds and witnesses: each has few values, which no caller can choose.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final, TypeAlias

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from fairdeal.errors import FairdealError

_METHODS: Final = frozenset({"DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"})
_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""From an answer out of memory to a log that waits for its turn."""

Reading: TypeAlias = Callable[[], Mapping[Any, float] | float]


class Metrics:
    """Everything that is counted or read, in a registry of its own: one for each service of a process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._calls = Counter(
            "fairdeal_calls", "Calls answered; status 0: the caller went away.", ["method", "route", "status"],
            registry=self.registry,
        )  # fmt: skip
        self._seconds = Histogram(
            "fairdeal_call_seconds", "From the head of a call to the beginning of its answer.", ["method", "route"],
            buckets=_SECONDS, registry=self.registry,
        )  # fmt: skip
        self._of_route: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        self._problems = Counter("fairdeal_problems", "Problems answered, by code.", ["code"], registry=self.registry)

    def count_call(self, method: str, route: str, status: int, seconds: float, code: str | None) -> None:
        """A call that is over. `route` is the template of its path, empty where there is none."""
        method = method if method in _METHODS else "other"
        kept = self._of_route.get((method, route, status))
        if kept is None:
            kept = (self._calls.labels(method, route, status), self._seconds.labels(method, route))
            self._of_route[method, route, status] = kept
        kept[0].inc()
        kept[1].observe(seconds)
        if code is not None:
            self._problems.labels(code).inc()

    def read(self, name: str, about: str, reading: Reading, label: str | None = None) -> None:
        """A number that is read when somebody asks; with `label`, one for each of its values."""
        self.registry.register(_Reader(GaugeMetricFamily, name, about, reading, label))

    def read_total(self, name: str, about: str, reading: Reading, label: str | None = None) -> None:
        """As `read`, of a number that only grows."""
        self.registry.register(_Reader(CounterMetricFamily, name, about, reading, label))


class _Reader(Collector):
    """One family. A reading that the service's own trouble keeps from being taken is left out, and no other is."""

    def __init__(
        self,
        family: type[GaugeMetricFamily] | type[CounterMetricFamily],
        name: str,
        about: str,
        reading: Reading,
        label: str | None,
    ) -> None:
        self._family = family
        self._name = name
        self._about = about
        self._reading = reading
        self._label = label

    def describe(self) -> Iterator[Metric]:
        """Registered without a reading."""
        yield self._family(self._name, self._about)

    def collect(self) -> Iterator[Metric]:
        family = self._family(self._name, self._about, labels=[self._label] if self._label else None)
        with suppress(FairdealError):
            value = self._reading()
            samples = value if isinstance(value, Mapping) else {"": value}
            for key, number in samples.items():
                family.add_metric([key] if self._label else [], number)
        yield family
