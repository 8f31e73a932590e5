"""Avro object container files: what spool files are, and what is posted. One block an event.

A block is written whole or not: 1 its producer is killed between two writes: the file ends with a whole block; 2 the
disk is full, or the machine loses power: what stands behind the last whole block does not end with the file's marker.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from .avro import read_varint, varint

MAGIC = b"Obj\x01"
MARKER_BYTES = 16
_ONE = varint(1)


@cache
def step_event_schema() -> dict[str, Any]:
    """schemas/step-event.avsc without its docs."""
    found: dict[str, Any] = json.loads((Path(__file__).parent / "step_event.json").read_text("utf-8"))
    return found


@cache
def _meta() -> bytes:
    schema = json.dumps(step_event_schema(), separators=(",", ":")).encode()
    entries = ((b"avro.schema", schema), (b"avro.codec", b"null"))
    pairs = b"".join(varint(len(part)) + part for entry in entries for part in entry)
    return MAGIC + varint(len(entries)) + pairs + varint(0)


def head(marker: bytes) -> bytes:
    return _meta() + marker


def block(datum: bytes, marker: bytes) -> bytes:
    return b"".join((_ONE, varint(len(datum)), datum, marker))


def head_end(data: bytes) -> int:
    """Where the blocks begin, of a file that may be of another version; its marker stands before. Raises ValueError."""
    if not data.startswith(MAGIC):
        raise ValueError("it does not begin as an Avro object container file does")
    try:
        at = len(MAGIC)
        while True:
            count, at = read_varint(data, at)
            if count == 0:
                break
            if count < 0:
                count = -count
                _, at = read_varint(data, at)
            for _ in range(2 * count):
                length, at = read_varint(data, at)
                if length < 0:
                    raise ValueError("a length below zero")
                at += length
    except IndexError as error:
        raise ValueError("it ends within its head") from error
    if at + MARKER_BYTES > len(data):
        raise ValueError("it ends within its head")
    return at + MARKER_BYTES


def blocks(data: bytes, marker: bytes) -> Iterator[tuple[int, int]]:
    """(start, end) of each whole block. Stops before the first that is not."""
    at = 0
    while True:
        end = block_end(data, at, marker)
        if end is None:
            return
        yield at, end
        at = end


def block_end(data: bytes, at: int, marker: bytes) -> int | None:
    """None: no whole block begins here."""
    try:
        count, begins = read_varint(data, at)
        size, begins = read_varint(data, begins)
    except (IndexError, ValueError):
        return None
    end = begins + size + MARKER_BYTES
    if count != 1 or size < 0 or end > len(data) or data[end - MARKER_BYTES : end] != marker:
        return None
    return end


def block_bytes(data: bytes) -> int | None:
    """How long the block at the beginning says that it is; None: the data ends before it says so, or says nonsense."""
    try:
        count, begins = read_varint(data, 0)
        size, begins = read_varint(data, begins)
    except (IndexError, ValueError):
        return None
    return begins + size + MARKER_BYTES if count == 1 and size >= 0 else None
