"""What happened to events, and what was said about it."""

from __future__ import annotations

import logging
import threading
from collections import deque
from contextlib import suppress

NAMES = (
    "recorded",
    "kept_in_memory",
    "sent",
    "refused",
    "lost",
    "left_over_sent",
    "torn",
    "errors",
    "misused",
    "after_close",
    "rate_limit_wait_us",
    "requests",
    "failed_requests",
)
_log = logging.getLogger("rollstream")


class Counters:
    """Counts from any thread, and from a signal handler in the middle of another count: appending is one step of the
    interpreter, adding up is not."""

    def __init__(self) -> None:
        self._new: deque[tuple[str, int]] = deque()
        self._totals = dict.fromkeys(NAMES, 0)
        self._lock = threading.RLock()
        self._told: set[str] = set()

    def add(self, name: str, count: int = 1) -> None:
        self._new.append((name, count))
        if len(self._new) > 10_000:
            self.totals()

    def totals(self) -> dict[str, int]:
        with self._lock:
            while self._new:
                try:
                    name, count = self._new.popleft()
                except IndexError:
                    break
                self._totals[name] += count
            return dict(self._totals)

    def tell_once(self, what: str, message: str, *arguments: object) -> None:
        """A rollout must not drown in what is wrong with its recorder: the rest is in stats()."""
        if what not in self._told:
            self._told.add(what)
            # A handler of the program's own may raise.
            with suppress(Exception):
                _log.warning(message + " (told once; the rest is counted)", *arguments)
