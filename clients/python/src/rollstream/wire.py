"""The binary answer of a lease, and records in Confluent wire format."""

from __future__ import annotations

import hashlib
import io
import json
import struct
from collections.abc import Mapping
from typing import Any

from fastavro import parse_schema, schemaless_reader

from .errors import BadAnswer, BadRecord
from .records import Entry, Record

BATCH = "application/vnd.rollstream.batch"


def split_frames(body: bytes) -> tuple[dict[str, Any], list[memoryview]]:
    """The head (JSON) and the trajectories; each frame stands behind its length, a little-endian uint32."""
    frames: list[memoryview] = []
    view, at = memoryview(body), 0
    while at < len(body):
        end = at + 4
        if end <= len(body):
            end += int.from_bytes(view[at:end], "little")
        if end > len(body):
            raise BadAnswer(f"the answer ends within frame {len(frames)}")
        frames.append(view[at + 4 : end])
        at = end
    if not frames:
        raise BadAnswer("the answer is empty")
    try:
        head = json.loads(bytes(frames[0]))
    except ValueError as error:
        raise BadAnswer("the head of the answer is not JSON") from error
    if not isinstance(head, dict) or len(head.get("entries", ())) != len(frames) - 1:
        raise BadAnswer(f"the answer has {len(frames) - 1} trajectories, its head names another number")
    return head, frames[1:]


def schema_id_of(frame: memoryview, entry: Entry) -> int:
    """Confluent's header: a zero byte, then the id as a big-endian uint32."""
    if len(frame) < 5 or frame[0] != 0:
        raise BadRecord(
            "it does not begin with 0 and the id of its schema",
            field="wire format",
            offset=entry.offset,
            rollout_id=entry.rollout_id,
        )
    (schema_id,) = struct.unpack_from(">I", frame, 1)
    return int(schema_id)


class TrajectorySchema:
    """A schema that wrote trajectories, made ready for reading."""

    def __init__(self, schema: object) -> None:
        plain = _without_logical_types(schema)
        segments = _field_type(plain, "segments")
        self._record = parse_schema(plain)
        # A copy of its own: parsing names the record's types, and naming one twice is an error.
        self._segments = parse_schema(json.loads(json.dumps(segments)))

    def decode(self, frame: memoryview, entry: Entry) -> Record:
        source = io.BytesIO(frame[5:])
        record = _read(source, self._record, "record", entry)
        if source.tell() != len(frame) - 5:
            raise BadRecord("bytes are left over", field="record", offset=entry.offset, rollout_id=entry.rollout_id)
        return dict(record)

    def decode_segments(self, blob: bytes, reference: Mapping[str, Any], entry: Entry) -> list[Record]:
        """Segments that travelled by reference, an Avro array. Raises BadRecord where the bytes are not those it
        names."""
        check_blob(blob, reference["sha256"], reference["length"], "segments_ref", entry)
        segments = _read(io.BytesIO(blob), self._segments, "segments_ref", entry)
        return list(segments)


def check_blob(blob: bytes, sha256: str, length: int | None, field: str, entry: Entry) -> None:
    if length is not None and len(blob) != length:
        raise BadRecord(
            f"blob {sha256} has {len(blob)} bytes, not {length}",
            field=field,
            offset=entry.offset,
            rollout_id=entry.rollout_id,
        )
    if hashlib.sha256(blob).hexdigest() != sha256:
        raise BadRecord(
            f"the SHA-256 of blob {sha256} is another", field=field, offset=entry.offset, rollout_id=entry.rollout_id
        )


def _read(source: io.BytesIO, schema: Any, field: str, entry: Entry) -> Any:  # noqa: ANN401
    try:
        return schemaless_reader(source, schema, None)
    except (EOFError, ValueError, IndexError, KeyError, TypeError, OverflowError, MemoryError) as error:
        raise BadRecord(
            f"it is not of its schema ({error!r})", field=field, offset=entry.offset, rollout_id=entry.rollout_id
        ) from error


def _field_type(schema: Any, name: str) -> Any:  # noqa: ANN401
    try:
        return next(field["type"] for field in schema["fields"] if field["name"] == name)
    except (TypeError, KeyError, StopIteration) as error:
        raise BadAnswer(f"the schema is not one of trajectories: it has no {name}") from error


def _without_logical_types(schema: Any) -> Any:  # noqa: ANN401
    """Times stay whole µs: making datetimes of them takes longer than reading a tenth of the record."""
    if isinstance(schema, dict):
        return {
            key: _without_logical_types(value) for key, value in schema.items() if key not in ("logicalType", "doc")
        }
    if isinstance(schema, list):
        return [_without_logical_types(part) for part in schema]
    return schema
