"""A rollout from its start to its end, whatever way it ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import Token
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from .attempt import Attempt, Times, now_us, whole_us
from .current_rollout import current
from .failures import failure_of
from .health import LoopLag
from .phases import RATE_LIMIT, SANDBOX_ENDS, Sandbox

if TYPE_CHECKING:
    from .recorder import Recorder
    from .rollout import Rollout

_Self = TypeVar("_Self", bound="RolloutBlock")
# No end of its loop, but of what it runs in: kept beside the reason.
_FAILED_LATE = "raised after the end"


@dataclass
class Start:
    """Of an attempt, kept until its first event."""

    env_name: str
    body: Mapping[str, Any]
    extra: Mapping[str, Any] | None
    faults: list[str]
    started_at_us: int | None = None


class RolloutBlock:
    """has_begun: its start is recorded; has_ended: its end is, or nothing of it can be any more."""

    def __init__(self, recorder: Recorder, attempt: Attempt, rollout_id: str, start: Start) -> None:
        self.rollout_id = rollout_id
        self._recorder = recorder
        self._attempt = attempt
        self._start = start
        self._has_begun = False
        self._has_ended = False
        self._began_ns = 0
        self._lag: tuple[LoopLag, tuple[int, float]] | None = None
        self._rate_limit_us = 0
        self._sandbox = Sandbox()
        self._token: Token[Rollout | None] | None = None

    def __enter__(self: _Self) -> _Self:
        self._may_record()
        self._token = current.set(self)  # type: ignore[arg-type]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        token, self._token = self._token, None
        if token is not None:
            # Not where a generator is closed from elsewhere.
            with suppress(ValueError):
                current.reset(token)
        if error is None:
            if not self._has_ended:
                self._end(lambda: _ended("completed", "rollstream"), None)
        elif not self._has_ended:
            raised = error
            self._end(lambda: {**_ended(type(raised).__name__, "python"), "exception": failure_of(raised)}, None)
        elif not isinstance(error, GeneratorExit):
            self._phase("other", Times.until_now(None, None), _FAILED_LATE, error, None)

    async def __aenter__(self: _Self) -> _Self:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)

    def _may_record(self, is_step: bool = False) -> bool:
        """Not in another process than its own, nor after the recorder was closed. Begins what has not begun. A step
        behind the end is a contradiction that the pipeline flags: it is counted, and sent."""
        recorder = self._recorder
        if not recorder.takes(self._attempt.producer):
            return False
        if is_step and self._has_ended:
            recorder.misused("late", "a rollout that has ended records steps: they are sent, and not trained")
        if not self._has_begun:
            self._attempt.in_turn(self._begin)
        return True

    def _begin(self, _: int) -> None:
        if self._has_begun:
            return
        start = self._start
        health = self._attempt.producer.health
        now = now_us()
        started_at_us = now if start.started_at_us is None else min(whole_us(start.started_at_us) or now, now)
        self._began_ns = time.monotonic_ns() - (now - started_at_us) * 1000
        if self._lag is None:
            self._lag = health.begin(start.env_name, id(self))
        self._recorder.began(self)
        try:
            self._attempt.record(
                "start",
                start.body,
                Times(started_at_us),
                extra=start.extra,
                health=health.facts(start.env_name),
                faults=start.faults,
            )
        finally:
            # A signal handler that raises may come before it, or behind.
            self._has_begun = self._attempt.places > 0

    def _record(
        self,
        kind: str,
        body: Callable[[], Mapping[str, Any]],
        times: Times,
        extra: Mapping[str, Any] | None,
        *,
        segment_id: str = "main",
        has_place: bool = True,
        health: Mapping[str, Any] | None = None,
    ) -> None:
        if not self._may_record(has_place):
            return
        attempt = self._attempt

        def record(_: int) -> None:
            try:
                made = body()
            except Exception as error:
                attempt.fail(kind, error)
                attempt.lose(has_place)
                return
            attempt.record(kind, made, times, segment_id=segment_id, extra=extra, health=health, has_place=has_place)

        attempt.in_turn(record)

    def _phase(
        self,
        phase: str,
        times: Times,
        detail: str | None,
        error: BaseException | Mapping[str, Any] | str | None,
        extra: Mapping[str, Any] | None,
    ) -> None:
        health = None
        if phase == RATE_LIMIT:
            self._rate_limit_us += times.duration_us or 0
        if phase in SANDBOX_ENDS:
            self._sandbox.end()
            if self._has_ended and self._sandbox.us is not None:
                health = {"sandbox_us": self._sandbox.us}
        body = {"phase": phase, "detail": detail, "error": failure_of(error)}
        self._record("phase", lambda: body, times, extra, has_place=not self._has_ended, health=health)

    def _end(self, body: Callable[[], Mapping[str, Any]], extra: Mapping[str, Any] | None) -> None:
        if not self._may_record():
            return
        if self._has_ended:
            self._recorder.misused("end", "a rollout ends once: the first reason stands")
            return
        attempt, env_name = self._attempt, self._start.env_name
        duration_us = (time.monotonic_ns() - self._began_ns) // 1000
        health = attempt.producer.health

        def end(_: int) -> None:
            if self._has_ended:
                return
            before = attempt.places
            facts = health.facts(
                env_name,
                loop_lag_ms=None if self._lag is None else self._lag[0].since(self._lag[1]),
                rate_limit_wait_us=self._rate_limit_us,
                sandbox_us=self._sandbox.us,
                **({"lost_events": attempt.lost} if attempt.lost else {}),
            )
            try:
                times = Times(None, now_us(), duration_us)
                attempt.record("end", body(), times, extra=extra, health=facts)
            except Exception as error:
                attempt.fail("end", error)
                attempt.lose()
            finally:
                if attempt.places > before:
                    self._has_ended = True
                    attempt.forget()
                    health.end(env_name, id(self), self._lag)
                    self._recorder.ended(self)

        attempt.in_turn(end)

    def close_open(self) -> None:
        """Its recorder closes, and nobody has said how it ended."""
        self._end(lambda: _ended("recorder_closed", "rollstream"), None)


def _ended(raw: str, system: str) -> dict[str, Any]:
    return {"reasons": [{"raw": raw, "system": system}]}
