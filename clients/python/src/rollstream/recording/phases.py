"""Time spent on something, measured."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType

from .attempt import Times, now_us

Done = Callable[[Times, BaseException | None], None]


class Phase:
    """`with`: begun: µs since the epoch and the monotonic clock, ns."""

    def __init__(self, done: Done) -> None:
        self._done = done
        self._started_at_us = 0
        self._began_ns = 0

    def __enter__(self) -> None:
        self._started_at_us = now_us()
        self._began_ns = time.monotonic_ns()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        duration_us = (time.monotonic_ns() - self._began_ns) // 1000
        self._done(Times(self._started_at_us, now_us(), duration_us), error)


RATE_LIMIT = "rate_limit"
SANDBOX_ENDS = ("cleanup",)


class Sandbox:
    """How long a rollout holds one: from the beginning of its set-up to the end of its clean-up, or until now."""

    def __init__(self) -> None:
        self._began_ns: int | None = None
        self._us: int | None = None

    def begin(self, before_us: int = 0) -> None:
        if self._began_ns is None:
            self._began_ns = time.monotonic_ns() - before_us * 1000

    def end(self) -> None:
        self._us = self.us

    @property
    def us(self) -> int | None:
        if self._us is not None or self._began_ns is None:
            return self._us
        return (time.monotonic_ns() - self._began_ns) // 1000
