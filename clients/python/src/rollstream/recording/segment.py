"""One spool file, as its sender reads it."""

from __future__ import annotations

import os
import struct
from collections.abc import MutableSequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from . import container

MARKED = ".sent"
_PLACE = struct.Struct("<Q")
# Number of a file, and bytes from its beginning.
Place = tuple[int, int]


@dataclass
class Batch:
    """Whole blocks, as they stand in the file. ends: where each begins and ends within `data`."""

    head: bytes
    data: bytes
    places: list[tuple[int, int]]
    segment: Segment | None = None
    after: int = 0


class Segment:
    """written: bytes that are whole; only its writer changes it. sent: where the next batch begins; only the sender
    changes it. is_full: nothing more comes. torn: blocks that were not whole."""

    def __init__(self, path: Path, head: bytes, *, written: int, is_full: bool) -> None:
        self.path = path
        self.head = head
        self.written = written
        self.sent = len(head)
        self.is_full = is_full
        self.torn = 0
        self._fd = self._mark = -1

    @property
    def number(self) -> int:
        """Of a producer's own file."""
        return int(self.path.stem)

    def next_batch(self, most_bytes: int) -> Batch | None:
        """None: nothing is left, for now or (is_full) for good."""
        marker = self.head[-container.MARKER_BYTES :]
        # In this order: 1 nothing is left; 2 an event is written; 3 the writer goes on with another file.
        is_full = self.is_full
        while (left := self.written - self.sent) > 0:
            data = self._read(min(left, most_bytes))
            places = list(container.blocks(data, marker))
            if not places:
                whole = container.block_bytes(data)
                if whole is not None and len(data) < whole <= left:
                    data = self._read(whole)
                    places = list(container.blocks(data, marker))
            if places:
                end = places[-1][1]
                return Batch(self.head, data[:end], places, self, self.sent + end)
            if not is_full:
                return None
            self._skip(marker)
        return None

    def _skip(self, marker: bytes) -> None:
        """Behind what is no block, to the end of the next that was one."""
        self.torn += 1
        rest = self._read(self.written - self.sent)
        at = rest.find(marker)
        self.sent = self.written if at < 0 else self.sent + at + len(marker)

    def hold(self, fd: int) -> None:
        """Read from there: also once the file was removed by somebody who clears folders of temporary files."""
        self._fd = os.dup(fd)

    def _read(self, count: int) -> bytes:
        if self._fd < 0:
            self._fd = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        return os.pread(self._fd, count, self.sent)

    def mark_sent(self, after: int) -> None:
        """On the disk first: whoever comes after a producer that dies sends only what was not answered."""
        with suppress(OSError):
            if self._mark < 0:
                self._mark = os.open(_mark_of(self.path), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            os.pwrite(self._mark, _PLACE.pack(after), 0)
        self.sent = after

    def close(self) -> None:
        for fd in (self._fd, self._mark):
            if fd >= 0:
                os.close(fd)
        self._fd = self._mark = -1

    def remove(self) -> None:
        self.close()
        with suppress(OSError):
            self.path.unlink()
            _mark_of(self.path).unlink(missing_ok=True)


def _mark_of(path: Path) -> Path:
    return path.with_suffix(MARKED)


def _marked(path: Path, begins: int, size: int) -> int:
    """Where the next batch of a dead producer begins; from the beginning, where nobody marked it."""
    with suppress(OSError, struct.error):
        (place,) = _PLACE.unpack(_mark_of(path).read_bytes())
        if begins <= place <= size:
            return int(place)
    return begins


def found_segments(paths: list[Path], into: MutableSequence[Segment]) -> int:
    """Of files that a dead producer left; returns their bytes. One that ends within its head has no events."""
    total = 0
    for path in paths:
        try:
            size = path.stat().st_size
            with path.open("rb") as file:
                data = file.read(1 << 17)
            head = data[: container.head_end(data)]
        except OSError:
            continue
        except ValueError:
            with suppress(OSError):
                path.unlink()
            continue
        total += size
        into.append(Segment(path, head, written=size, is_full=True))
        into[-1].sent = _marked(path, len(head), size)
    return total
