"""The figures of a server, as text that Prometheus reads."""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections import Counter
from time import monotonic

from spindle import __version__

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)
"""The upper bounds of the buckets of latencies, in seconds."""


class Metrics:
    """Counts of requests by path and status, and a histogram of their latencies."""

    def __init__(self) -> None:
        self._start = monotonic()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._buckets = [0] * (len(BOUNDS) + 1)
        self._seconds = 0.0

    def observe(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        self._requests[method, path, status] += 1
        self._buckets[bisect_left(BOUNDS, seconds)] += 1
        self._seconds += seconds

    def to_text(self, gauges: dict[str, float]) -> str:
        """Return all figures; `gauges` are those of the moment, by name."""
        lines = [f'spindle_info{{version="{__version__}"}} 1']
        lines += _typed("spindle_requests_total", "counter")
        for (method, path, status), count in sorted(self._requests.items()):
            labels = f'method="{method}",path="{path}",status="{status}"'
            lines.append(f"spindle_requests_total{{{labels}}} {count}")
        lines += _typed("spindle_request_seconds", "histogram")
        total = 0
        for bound, count in zip((*BOUNDS, "+Inf"), self._buckets, strict=True):
            total += count
            lines.append(f'spindle_request_seconds_bucket{{le="{bound}"}} {total}')
        lines.append(f"spindle_request_seconds_sum {self._seconds:.6f}")
        lines.append(f"spindle_request_seconds_count {total}")
        for name, value in (gauges | self._of_process()).items():
            lines += [*_typed(name.partition("{")[0], "gauge"), f"{name} {value:g}"]
        return "\n".join(lines) + "\n"

    def _of_process(self) -> dict[str, float]:
        found = {"spindle_uptime_seconds": round(monotonic() - self._start, 1)}
        if sys.platform != "win32":
            import resource

            most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            found["spindle_peak_memory_bytes"] = most * (1 if sys.platform == "darwin" else 1024)
        return found


def _typed(name: str, kind: str) -> list[str]:
    return [f"# TYPE {name} {kind}"]
