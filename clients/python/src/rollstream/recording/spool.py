"""Where events wait to be sent: files of one folder, and memory where the disk takes no more."""

from __future__ import annotations

import os
import secrets
import threading
from collections import deque
from contextlib import suppress

from . import container
from .counters import Counters
from .segment import Place, Segment
from .spool_folder import SUFFIX, SpoolFolder

# What is answered is on the disk until its file is full.
_SEGMENT_BYTES = 8 << 20
# Files that are open from their beginning on; those behind them wait for a server that is not there.
_HELD_OPEN = 8


class Spool:
    """append() is for callers, of any thread and of signal handlers; segments, memory and freed() for the one sender.

    Holds: waiting_bytes ≤ max_bytes; bytes in memory ≤ memory_max_bytes. busy: an append is under way in the thread
    that holds the lock: whoever enters again is a signal handler or a destructor, and its block waits in `deferred`.
    """

    def __init__(self, folder: SpoolFolder | None, max_bytes: int, memory_max_bytes: int, counters: Counters) -> None:
        self.folder = folder
        self.marker = secrets.token_bytes(container.MARKER_BYTES)
        self.segments: deque[Segment] = deque()
        # Each with the place on the disk that it would have had: what is written behind that is sent after it.
        self.memory: deque[tuple[Place, bytes]] = deque()
        self.head = container.head(self.marker)
        self._max_bytes, self._memory_max_bytes = max_bytes, memory_max_bytes
        self._segment_bytes = min(_SEGMENT_BYTES, max_bytes // 8)
        # Room for ends: an attempt that lost an event is closed sooner where its end is there.
        self._spare = min(1 << 20, max_bytes // 16)
        self._counters = counters
        self._lock = threading.RLock()
        self._deferred: deque[tuple[bytes, bool]] = deque()
        self._busy = False
        self._is_shut = False
        self._active: Segment | None = None
        self._fd = -1
        self._number = 0
        self._written = self._freed = 0
        self._memory_in = self._memory_out = 0

    @property
    def waiting_bytes(self) -> int:
        return self._written - self._freed

    def append(self, block: bytes, *, is_end: bool = False) -> bool:
        """False: it is lost."""
        with self._lock:
            if self._is_shut:
                return False
            if self._busy:
                self._deferred.append((block, is_end))
                return True
            self._busy = True
            try:
                return self._put(block, is_end)
            finally:
                try:
                    while self._deferred:
                        self._put(*self._deferred.popleft())
                finally:
                    self._busy = False

    def _put(self, block: bytes, is_end: bool) -> bool:
        if self.waiting_bytes + len(block) > self._max_bytes - (0 if is_end else self._spare):
            self._counters.tell_once(
                "full", "the spool is full (%d bytes wait to be sent): events are lost", self._max_bytes
            )
            return False
        if self.folder is not None:
            try:
                self._write(block)
                return True
            except OSError as error:
                self._counters.tell_once("disk", "the spool cannot be written, events wait in memory: %s", error)
        if self._memory_in - self._memory_out + len(block) > self._memory_max_bytes:
            self._counters.tell_once("memory", "events are lost: the spool cannot be written, and memory is full")
            return False
        active = self._active
        place = (self._number, 0) if active is None else (active.number, active.written)
        self.memory.append((place, block))
        self._memory_in += len(block)
        self._counters.add("kept_in_memory")
        return True

    def _write(self, block: bytes) -> None:
        segment = self._active
        if segment is None or segment.written + len(block) > self._segment_bytes:
            segment = self._next_segment()
        # At its place, not at the end: what a write left that was cut short, or interrupted, is written over.
        count = os.pwrite(self._fd, block, segment.written)
        if count != len(block):
            with suppress(OSError):
                os.ftruncate(self._fd, segment.written)
            raise OSError(f"{count} of {len(block)} bytes were written")
        segment.written += count
        self._written += count

    def _next_segment(self) -> Segment:
        assert self.folder is not None
        self._number += 1
        path = self.folder.path / f"{self._number:08}{SUFFIX}"
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if os.pwrite(fd, self.head, 0) != len(self.head):
                raise OSError("the head of a spool file was cut short")
        except BaseException:
            os.close(fd)
            with suppress(OSError):
                path.unlink()
            raise
        self.seal()
        segment = Segment(path, self.head, written=len(self.head), is_full=False)
        self._fd, self._active = fd, segment
        self._written += segment.written
        if len(self.segments) < _HELD_OPEN:
            with suppress(OSError):
                segment.hold(fd)
        self.segments.append(segment)
        return segment

    def seal(self) -> None:
        """The next event begins another file."""
        with self._lock:
            fd, active = self._fd, self._active
            self._fd, self._active = -1, None
            if fd >= 0:
                os.close(fd)
            if active is not None:
                active.is_full = True

    def seal_if(self, segment: Segment) -> None:
        """Nothing more goes to a file that is not there."""
        with self._lock:
            if self._active is segment:
                self.seal()

    def shut(self) -> None:
        """Nothing is taken any more."""
        self._is_shut = True
        self.seal()

    def abandon(self) -> None:
        """In a child after fork, where the lock may be held by a thread that is not there."""
        self._is_shut = True
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)
        for segment in self.segments:
            segment.close()
        if self.folder is not None:
            self.folder.release()

    def freed(self, count: int) -> None:
        self._freed += count

    def taken_in(self, count: int) -> None:
        """What a dead producer left counts, too: one that dies again and again must not fill the disk."""
        self._freed -= count

    def memory_sent(self, blocks: int) -> None:
        for _ in range(blocks):
            self._memory_out += len(self.memory.popleft()[1])

    @property
    def is_empty(self) -> bool:
        return not self.memory and all(segment.sent >= segment.written for segment in list(self.segments))
