"""What dead producers of the same spool folder left for this server."""

from __future__ import annotations

import time
from collections import deque
from itertools import islice
from pathlib import Path

from .counters import Counters
from .posting import Later, Pauses, Posting
from .segment import Segment, found_segments
from .spool import Spool
from .spool_folder import SpoolFolder, left_over

# A producer may die beside this one.
_LOOK_AGAIN_S = 30.0
# Each is a file that is open, and those are the program's.
_AT_ONCE = 8


class LeftOver:
    """Sent beside what this producer records; when all of one is, it is said that nothing more comes from it."""

    def __init__(self, spool: Spool, spool_dir: Path, url: str, posting: Posting, counters: Counters) -> None:
        self._spool, self._posting, self._counters = spool, posting, counters
        self._spool_dir, self._url = spool_dir, url
        self._found: deque[tuple[SpoolFolder, deque[Segment]]] = deque()
        # What cannot be read or removed is not looked at again.
        self._aside: set[str] = set()
        self._next_at = 0.0
        self._pauses = Pauses()

    def send(self, most_bytes: int) -> int:
        """One batch; its bytes, or 1 for anything else that was done. A failure makes it wait, and nobody else."""
        if time.monotonic() < self._next_at:
            return 0
        try:
            done = self._send_next(most_bytes)
        except Later as later:
            self._counters.add("failed_requests")
            self._counters.tell_once("left over", "what a dead producer left waits in the spool: %s", later)
            self._next_at = time.monotonic() + self._pauses.next_s(later.pause_s)
            return 0
        except Exception as error:
            self._put_aside(error)
            return 1
        self._pauses.begin_anew()
        return done

    def _send_next(self, most_bytes: int) -> int:
        if not self._found and not self._look():
            return 0
        folder, segments = self._found[0]
        while segments:
            segment = segments[0]
            batch = segment.next_batch(most_bytes)
            if batch is not None:
                self._posting.post(batch)
                segment.mark_sent(batch.after)
                self._counters.add("left_over_sent", len(batch.places))
                return len(batch.data)
            segments.popleft()
            self._counters.add("torn", segment.torn)
            segment.remove()
            self._spool.freed(segment.written)
        if not folder.is_closed:
            self._posting.tell_ended(folder.producer_id)
        folder.remove()
        self._found.popleft()
        if folder.path.exists():
            self._aside.add(folder.path.name)
        return 1

    def _put_aside(self, error: Exception) -> None:
        self._counters.add("errors")
        self._counters.tell_once("aside", "what a dead producer left cannot be read: %r", error)
        if self._found:
            folder, segments = self._found.popleft()
            self._aside.add(folder.path.name)
            for segment in segments:
                segment.close()
            folder.release()
        else:
            self._next_at = time.monotonic() + _LOOK_AGAIN_S

    def _look(self) -> bool:
        for folder in islice(left_over(self._spool_dir, self._url, self._aside), _AT_ONCE):
            segments: deque[Segment] = deque()
            self._spool.taken_in(found_segments(folder.files(), segments))
            self._found.append((folder, segments))
        if not self._found:
            self._next_at = time.monotonic() + _LOOK_AGAIN_S
        return bool(self._found)

    def release(self) -> None:
        for folder, segments in self._found:
            for segment in segments:
                segment.close()
            folder.release()
        self._found.clear()
