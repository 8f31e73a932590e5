"""The thread that takes events from the spool to the server."""

from __future__ import annotations

import queue
import threading
import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from .counters import Counters
from .left_over import LeftOver
from .posting import Later, Pauses, Posting
from .segment import Batch, Place, Segment
from .spool import Spool

# Callers do not wake it: that would cost each of them a switch of threads.
_LINGER_S, _BACKLOG_S, _IDLE_S = 0.2, 0.005, 0.25
_BATCH_BYTES = 512 << 10


class Sender:
    """One thread, a daemon: when the process dies, what was not answered is in the spool, and sent by the next.

    What was answered is removed. Whoever has no answer asks again: the server knows each event by its id.
    """

    def __init__(self, spool: Spool, spool_dir: Path, url: str, token: str | None, counters: Counters) -> None:
        self._spool = spool
        self._counters = counters
        self._posting = Posting(url, token, counters)
        self._left = LeftOver(spool, spool_dir, url, self._posting, counters)
        self._wakes: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._is_stopping = False
        self._is_hurried = False
        self._pauses = Pauses()
        self._thread = threading.Thread(target=self._run, name="rollstream-recorder", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        """From anywhere, a signal handler included."""
        self._is_hurried = True
        self._wakes.put(None)

    def stop(self, timeout_s: float) -> None:
        self._is_stopping = True
        self._wakes.put(None)
        if threading.current_thread() is not self._thread and self._thread.is_alive():
            self._thread.join(timeout_s)

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def abandon(self) -> None:
        """In a child after fork, where its thread is not."""
        self._left.release()

    def _run(self) -> None:
        while not self._is_stopping:
            try:
                size = self._send_own()
                self._pauses.begin_anew()
                if not self._is_stopping:
                    size += self._left.send(_BATCH_BYTES)
                self._counters.totals()
                if size == 0:
                    self._is_hurried = False
                if size == 0 or not self._is_hurried:
                    self._nap(_IDLE_S if size == 0 else _BACKLOG_S if size > _BATCH_BYTES // 2 else _LINGER_S)
            except Later as later:
                self._counters.add("failed_requests")
                self._counters.tell_once("later", "events wait in the spool: %s", later)
                self._wait(self._pauses.next_s(later.pause_s), later.pause_s > 0)
            except Exception as error:
                self._counters.add("errors")
                self._counters.tell_once(f"sender {type(error).__name__}", "the recorder's sender: %r", error)
                self._wait(self._pauses.next_s(1.0), True)
        self._left.release()
        with suppress(Exception):
            self._posting.close()

    def _wait(self, seconds: float, is_asked_for: bool) -> None:
        """Whoever flushes ends a pause, but not the one that the server has asked for."""
        until = time.monotonic() + seconds
        while not self._is_stopping and (rest := until - time.monotonic()) > 0:
            self._nap(rest)
            if not is_asked_for:
                return

    def _nap(self, seconds: float) -> None:
        with suppress(queue.Empty):
            self._wakes.get(timeout=seconds)
            while True:
                self._wakes.get_nowait()

    def _send_own(self) -> int:
        """One batch; its bytes. Raises Later."""
        spool = self._spool
        while spool.segments:
            segment = spool.segments[0]
            is_full = segment.is_full
            here, most_bytes = (segment.number, segment.sent), _BATCH_BYTES
            waiting = spool.memory[0][0] if spool.memory else None
            # 1 a full disk does not take seq 5; 2 there is room again for 6 to 900; 3 sent last, 5 would be missed.
            if waiting is not None and waiting <= here:
                return self._send_memory(here)
            if waiting is not None and waiting[0] == segment.number:
                most_bytes = min(most_bytes, waiting[1] - segment.sent)
            batch = self._next_batch(segment, most_bytes)
            if batch is not None:
                self._posting.post(batch)
                segment.mark_sent(batch.after)
                return len(batch.data)
            if not is_full:
                break
            self._counters.add("torn", segment.torn)
            spool.segments.popleft()
            segment.remove()
            spool.freed(segment.written)
        return self._send_memory()

    def _next_batch(self, segment: Segment, most_bytes: int) -> Batch | None:
        try:
            return segment.next_batch(most_bytes)
        except FileNotFoundError as error:
            # Somebody has removed it: what comes behind it must not wait for ever.
            self._counters.add("errors")
            self._counters.tell_once("removed", "a spool file was removed, its events are lost: %s", error)
            self._spool.seal_if(segment)
            segment.sent = segment.written
            return None

    def _send_memory(self, up_to: Place | None = None) -> int:
        """Blocks that the disk did not take; up_to: of those that come before what is there."""
        blocks: list[bytes] = []
        ends = [0]
        # A copy in one step: callers append meanwhile.
        for place, block in tuple(self._spool.memory.copy()):
            if up_to is not None and place > up_to:
                break
            if blocks and ends[-1] + len(block) > _BATCH_BYTES:
                break
            blocks.append(block)
            ends.append(ends[-1] + len(block))
        if blocks:
            places = list(pairwise(ends))
            self._posting.post(Batch(self._spool.head, b"".join(blocks), places, after=0))
            self._spool.memory_sent(len(blocks))
        return ends[-1]
