"""The order of what one attempt records."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import index
from typing import Any

from .counters import Counters
from .failures import message_of
from .producer import Producer
from .step_events import encoded_event
from .token_ids import BYTES_A_TOKEN, common_prefix


def now_us() -> int:
    return time.time_ns() // 1000


def whole_us(value: float | None) -> int | None:
    """What is no time at all is none."""
    try:
        return None if value is None else index(round(value))
    except Exception:
        return None


@dataclass
class Times:
    """Wall clock of beginning and end; duration by the monotonic clock. None: not known."""

    started_at_us: int | None = None
    ended_at_us: int | None = None
    duration_us: int | None = None

    @staticmethod
    def until_now(duration_us: int | None, started_at_us: int | None) -> Times:
        """Of what has just ended; when it began is known only to whoever measured it."""
        now = now_us()
        started_at_us, duration_us = whole_us(started_at_us), whole_us(duration_us)
        if started_at_us is None and duration_us is not None:
            started_at_us = now - duration_us
        return Times(started_at_us, now if duration_us is None else None, duration_us)


class Attempt:
    """Gives each event its place, and the spool its bytes, one after the other, whoever calls.

    seq: the place of the next event, from 0; holds: as many were recorded or lost. An event that is lost keeps its
    place: the gap tells the pipeline, and nothing incomplete is trained. calls: model calls begun. held: by segment,
    the ids that the pipeline holds once it has read what was recorded. busy: see Spool; what a signal handler records
    meanwhile is `deferred` until the event that it broke into is kept.
    """

    def __init__(self, producer: Producer, identity: bytes | None, counters: Counters) -> None:
        self.producer = producer
        self.identity = identity
        self._counters = counters
        self._lock = threading.RLock()
        self._deferred: deque[tuple[Callable[[int], None], int]] = deque()
        self._busy = False
        self._seq = 0
        self.calls = 0
        self.lost = 0
        self._is_begun = False
        self._held: dict[str, bytearray] = {}

    def in_turn(self, work: Callable[[int], None], calls: int = 0) -> int:
        """Runs `work`, which records. Returns the number of model calls before it, which `work` is told, too."""
        with self._lock:
            before = self.calls
            self.calls = before + calls
            if self._busy:
                self._deferred.append((work, before))
                return before
            self._busy = True
            try:
                work(before)
            finally:
                try:
                    while self._deferred:
                        later, number = self._deferred.popleft()
                        later(number)
                finally:
                    self._busy = False
            return before

    def record(
        self,
        kind: str,
        body: Mapping[str, Any],
        times: Times,
        *,
        segment_id: str = "main",
        extra: Mapping[str, Any] | None = None,
        health: Mapping[str, Any] | None = None,
        faults: list[str] | None = None,
        has_place: bool = True,
        before: Callable[[], None] | None = None,
    ) -> None:
        """Within in_turn. health: see Health.facts. before: what changes with the event; twice must be the same as
        once."""
        producer, seq = self.producer, self._seq if has_place else None
        if self.identity is None or (self.lost and not (kind == "end" and self._is_begun)):
            # An attempt that lost an event cannot be trained: what else it records takes no room from those that can.
            # Its end is kept, and shows the gap.
            self.lose(has_place)
            return
        told: list[str] = [] if faults is None else faults
        try:
            datum = encoded_event(
                self.identity,
                producer.encoded_id,
                kind=kind,
                body=body,
                event_id=producer.event_id(),
                seq=seq,
                segment_id=segment_id,
                started_at_us=times.started_at_us,
                ended_at_us=times.ended_at_us,
                duration_us=times.duration_us,
                extra=extra,
                health=health,
                faults=told,
            )
        except Exception as error:
            self.fail(kind, error)
            self.lose(has_place)
            return
        if told:
            self._counters.add("errors", len(told))
            self._counters.tell_once(f"fault {kind}", "%s: left out of what is recorded: %s", kind, told[0])
        is_kept: bool | None = None
        try:
            if before is not None:
                before()
            self._seq = self._seq if seq is None else seq + 1
            is_kept = self._keep(datum, kind)
        finally:
            # KeyboardInterrupt, or what else a signal handler raises: the same again changes nothing.
            if is_kept is None:
                if before is not None:
                    before()
                self._seq = self._seq if seq is None else seq + 1
                is_kept = self._keep(datum, kind)
        if is_kept:
            self._is_begun = True
            self._counters.add("recorded")
        else:
            self.lost += 1
            self._counters.add("lost")

    def _keep(self, datum: bytes, kind: str) -> bool:
        try:
            return self.producer.keep(datum, kind == "end")
        except Exception as error:
            self.fail(kind, error)
            return False

    @property
    def places(self) -> int:
        """Events that have one, recorded or lost."""
        return self._seq

    def lose(self, has_place: bool = True) -> None:
        self._seq += 1 if has_place else 0
        self.lost += 1
        self._counters.add("lost")

    def fail(self, what: str, error: BaseException) -> None:
        self._counters.add("errors")
        kind = type(error).__name__
        # An error's own text may raise.
        self._counters.tell_once(f"error {what} {kind}", "not recorded: %s: %s (%s)", what, message_of(error), kind)

    def prefix_of(self, segment_id: str, prompt: bytes) -> int:
        held = self._held.get(segment_id)
        return 0 if held is None else common_prefix(held, prompt)

    def held_tokens(self, segment_id: str) -> int:
        return len(self._held.get(segment_id, b"")) // BYTES_A_TOKEN

    def forget(self) -> None:
        """Once it has ended: whoever keeps it for a verdict keeps no tokens."""
        self._held = {}

    def hold(self, segment_id: str, prefix: int, added: bytes) -> None:
        """A shorter prefix than what is held begins a derived segment, which goes on from there."""
        held = self._held.setdefault(segment_id, bytearray())
        if prefix * BYTES_A_TOKEN <= len(held):
            held[prefix * BYTES_A_TOKEN :] = added
