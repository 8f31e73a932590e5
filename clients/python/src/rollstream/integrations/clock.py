"""When something began, and how long it took."""

from __future__ import annotations

import time


class Clock:
    """`started_at_us` by the wall clock, and the time since then by the one that does not jump."""

    def __init__(self) -> None:
        self.started_at_us = time.time_ns() // 1000
        self._began = time.perf_counter_ns()

    def elapsed_us(self) -> int:
        return (time.perf_counter_ns() - self._began) // 1000
