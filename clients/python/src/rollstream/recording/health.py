"""How the producer itself is doing: what makes rollouts slow without any of them being at fault."""

from __future__ import annotations

import asyncio
import weakref
from bisect import bisect_left
from contextlib import suppress
from typing import Any


class LoopLag:
    """How late an event loop runs its timers; sampled while a rollout of it is open, and no longer than the loop lives.

    peaks: (number, lag) of each sample that no later one has reached, so that the largest since any sample is found
    without keeping all; lags in tenths of a millisecond, so that they are few.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, every_s: float) -> None:
        self._loop = weakref.ref(loop)
        self._every_s = every_s
        self._open = 0
        self._is_timed = False
        self._due = 0.0
        self._count = 0
        self._total_ms = 0.0
        self._numbers: list[int] = []
        self._peaks: list[float] = []

    def begin(self) -> tuple[int, float]:
        """Where a rollout begins."""
        self._open += 1
        if not self._is_timed:
            self._schedule()
        return self._count, self._total_ms

    def end(self) -> None:
        self._open -= 1

    def since(self, begin: tuple[int, float]) -> dict[str, float] | None:
        """None: nothing was sampled since."""
        first, total_ms = begin
        count = self._count - first
        if count <= 0:
            return None
        at = bisect_left(self._numbers, first)
        return {
            "mean": round((self._total_ms - total_ms) / count, 3),
            "max": self._peaks[at] if at < len(self._peaks) else 0.0,
            "n": count,
        }

    def _schedule(self) -> None:
        loop = self._loop()
        self._is_timed = False
        # Without anything open the timer ends: a loop that waits for nothing stays silent.
        if loop is None or loop.is_closed() or self._open <= 0:
            return
        self._due = loop.time() + self._every_s
        with suppress(RuntimeError):
            loop.call_at(self._due, self._tick)
            self._is_timed = True

    def _tick(self) -> None:
        loop = self._loop()
        if loop is None:
            return
        lag_ms = round(max(0.0, loop.time() - self._due) * 1000, 1)
        while self._peaks and self._peaks[-1] <= lag_ms:
            self._peaks.pop()
            self._numbers.pop()
        self._peaks.append(lag_ms)
        self._numbers.append(self._count)
        self._count += 1
        self._total_ms += lag_ms
        self._schedule()


class Health:
    """Of one producer: what is in flight by environment, and the lag of each of its loops."""

    def __init__(self, actor: str | None, pid: int, host: str, every_s: float) -> None:
        self._facts = {"actor": actor, "pid": pid, "host": host}
        self._every_s = every_s
        self._in_flight: dict[str, set[int]] = {}
        self._loops: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, LoopLag] = weakref.WeakKeyDictionary()

    def begin(self, env_name: str, rollout: int) -> tuple[LoopLag, tuple[int, float]] | None:
        """None: no event loop runs here."""
        self._in_flight.setdefault(env_name, set()).add(rollout)
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return None
        lag = self._loops.get(loop)
        if lag is None:
            lag = self._loops[loop] = LoopLag(loop, self._every_s)
        return lag, lag.begin()

    def end(self, env_name: str, rollout: int, lag: tuple[LoopLag, tuple[int, float]] | None) -> None:
        self._in_flight.get(env_name, set()).discard(rollout)
        if lag is not None:
            lag[0].end()

    def facts(self, env_name: str, **more: object) -> dict[str, Any]:
        return {**self._facts, "in_flight": len(self._in_flight.get(env_name, ())), **more}
