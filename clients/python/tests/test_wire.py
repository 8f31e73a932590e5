"""What comes over the wire, whole and damaged."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rollstream import BadAnswer, BadRecord, GroupStats, NotFound, Reason, Turn, Verdict
from rollstream.wire import TrajectorySchema, schema_id_of, split_frames

from delivering_server import DeliveringServer
from scripted_server import Answer, refused
from trajectories import SCHEMA, SCHEMA_ID, entry, framed, record, segment, segments_blob

Serve = Callable[..., DeliveringServer]


def body(*frames: bytes) -> bytes:
    return b"".join(struct.pack("<I", len(frame)) + frame for frame in frames)


def test_frames_are_the_head_and_the_trajectories() -> None:
    head, frames = split_frames(body(json.dumps({"entries": [0, 1]}).encode(), b"one", b""))
    assert (head, [bytes(frame) for frame in frames]) == ({"entries": [0, 1]}, [b"one", b""])


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "empty"),
        (b"\x01", "ends within frame 0"),
        (body(b'{"entries": [0]}', b"abc")[:-1], "ends within frame 1"),
        (body(b"{"), "not JSON"),
        (body(b"[]"), "0 trajectories"),
        (body(b'{"entries": [0]}'), "0 trajectories"),
        (b"\xff\xff\xff\xff{}", "ends within frame 0"),
    ],
)
def test_damaged_frames_are_refused(data: bytes, what: str) -> None:
    with pytest.raises(BadAnswer, match=what):
        split_frames(data)


def test_the_header_of_a_record_names_its_schema() -> None:
    assert schema_id_of(memoryview(framed(record())), entry()) == SCHEMA_ID


@pytest.mark.parametrize("frame", [b"", b"\x00\x00\x00\x01", b"\x01\x00\x00\x00\x01rest"])
def test_a_record_without_that_header_is_named(frame: bytes) -> None:
    with pytest.raises(BadRecord) as caught:
        schema_id_of(memoryview(frame), entry(17, rollout_id="calc_3"))
    assert (caught.value.offset, caught.value.rollout_id, caught.value.field) == (17, "calc_3", "wire format")


@pytest.mark.parametrize("damage", ["cut", "more", "no such enum"])
def test_a_record_that_is_not_of_its_schema_is_named(damage: str) -> None:
    frame = framed(record())
    frame = {"cut": frame[:-3], "more": frame + b"\x00", "no such enum": frame[:5] + b"\x08math\x7f" + frame[11:]}[
        damage
    ]
    with pytest.raises(BadRecord) as caught:
        TrajectorySchema(SCHEMA).decode(memoryview(frame), entry(17))
    assert (caught.value.offset, caught.value.field) == (17, "record")


@pytest.mark.parametrize("field", ["token_ids", "sampled_mask", "loss_mask", "logprobs"])
def test_arrays_of_different_lengths_are_named(serve: Serve, field: str) -> None:
    server = serve(ready=1)
    torn = segment([1, 2, 3])
    torn[field] = torn[field] + b"\x00" * 8
    server.ready[0]["segments"] = [torn]
    with server.client() as ready, pytest.raises(BadRecord, match=r"segments\[main\]") as caught:
        next(ready.batches(groups=1))
    assert (caught.value.offset, caught.value.rollout_id) == (0, "r0")
    # It was given back, so that it is counted and comes to somebody who can read it.
    assert len(server.of(".*/release")) == 1


def test_a_batch_that_cannot_be_read_can_be_rejected_by_choice(serve: Serve) -> None:
    server = serve(ready=2)
    server.ready[0]["segments"][0]["loss_mask"] = b""
    with server.client(on_bad="reject") as ready:
        assert [batch.trajectories[0].rollout_id for batch in ready.batches(groups=1, idle_s=0)] == ["r1"]
    (rejected,) = server.of(".*/reject")
    assert rejected.path == "/v1/leases/1.a.0/reject"
    assert "r0 at offset 0: segments[main].loss_mask" in rejected.body["reason"]


def test_a_trajectory_has_all_that_the_record_has(serve: Serve) -> None:
    server = serve(ready=1)
    server.ready[0].update(
        group_stats={"baseline": "grpo", "n": 8, "mean": 0.5, "std": None},
        reward=None,
        advantage=None,
        reward_components={"correct": None, "length": -0.5},
        task_metadata='{"id": 9007199254740993}',
        aux=[{"turn": 0, "name": "experts", "uri": "x", "sha256": None, "shape": [2, 3], "dtype": "int8"}],
    )
    with server.client() as ready:
        only = next(ready.rollouts()).trajectory
    assert (only.reward, only.advantage, only.entry.lag) == (None, None, None)
    assert only.reward_components == {"correct": None, "length": -0.5}
    assert only.task_metadata == '{"id": 9007199254740993}'
    assert only.turns == (Turn(0, "main", 1, 3, "c0", None, 0.7, None, "unknown", None),)
    assert only.reasons == (Reason("task_complete", "completed", "done", "test"),)
    assert only.verdicts == (Verdict("exact", "", "scored", {"correct": 1.0, "style": None}, None),)
    assert only.group_stats == GroupStats("grpo", 8, 0.5, None)
    assert (only.aux[0].shape, only.aux[0].sha256) == ((2, 3), None)
    # Times stay whole µs.
    assert only.fields["ready_at"] == 1_700_000_000_000_000
    assert only.tokens == 3 and "r0" in repr(only)


def test_fields_that_a_newer_server_has_do_no_harm(serve: Serve) -> None:
    server = serve(ready=1)
    newer = json.loads(json.dumps(SCHEMA))
    turns = next(field for field in newer["fields"] if field["name"] == "turns")
    turns["type"]["items"]["fields"].append({"name": "added", "type": "string", "default": ""})
    newer["fields"].append({"name": "added", "type": "long", "default": 0})
    source = {**record(), "added": 1}
    for turn in source["turns"]:
        turn["added"] = "x"

    import io

    from fastavro import parse_schema, schemaless_writer

    out = io.BytesIO()
    schemaless_writer(out, parse_schema(json.loads(json.dumps(newer))), source)
    decoded = TrajectorySchema(newer).decode(memoryview(b"\x00" * 5 + out.getvalue()), entry())
    assert decoded["added"] == 1
    server.on("GET", "/v1/schemas/.*", lambda _: {"schema": newer})
    usual = server.grant
    server.grant = lambda *more, **facts: _replaced(usual(*more, **facts), framed(server.ready[0]), out.getvalue())  # type: ignore[method-assign]
    with server.client() as ready:
        assert next(ready.rollouts()).trajectory.turns[0].call_id == "c0"


def _replaced(answer: Answer, frame: bytes, record: bytes) -> Answer:
    assert isinstance(answer.body, bytes)
    head = answer.body[: -len(frame) - 4]
    new = frame[:5] + record
    answer.body = head + struct.pack("<I", len(new)) + new
    return answer


def test_a_schema_is_asked_for_once(serve: Serve) -> None:
    server = serve(ready=6)
    with server.client() as ready:
        assert len(list(ready.batches(groups=2, idle_s=0))) == 3
    assert len(server.of("/v1/schemas/.*")) == 1


def test_a_schema_of_something_else_is_refused(serve: Serve) -> None:
    server = serve(ready=1)
    other: dict[str, Any] = {"type": "record", "name": "x", "fields": []}
    server.on("GET", "/v1/schemas/.*", lambda _: {"schema": other})
    with server.client() as ready, pytest.raises(BadAnswer, match="segments"):
        next(ready.batches(groups=1))


def by_reference(server: DeliveringServer) -> bytes:
    """The trajectory's two segments travel as a blob."""
    blob, reference = segments_blob([segment([1, 2, 3]), segment([4, 5], name="main~1")])
    server.ready[0].update(segments=[], segments_ref=reference)
    server.on("GET", f"/v1/blobs/{reference['sha256']}", lambda _: Answer(blob))
    return blob


def test_segments_that_travel_by_reference_are_there_all_the_same(serve: Serve) -> None:
    server = serve(ready=2)
    by_reference(server)
    with server.client() as ready:
        first, second = next(ready.batches(groups=2))
    assert [segment.token_ids.tolist() for segment in first.segments] == [[1, 2, 3], [4, 5]]
    assert [segment.token_ids.tolist() for segment in second.segments] == [[1, 2, 3]]


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (refused(404, "RS_NOT_FOUND"), "rs_not_found"),
        (refused(500, "RS_BLOB_DAMAGED"), "rs_blob_damaged"),
        (lambda blob: Answer(blob[:-1]), "SHA-256"),
        (lambda blob: Answer(blob[:-1] + b"x"), "SHA-256"),
    ],
)
def test_a_blob_that_is_missing_or_damaged_is_named(
    serve: Serve, answer: Answer | Callable[[bytes], Answer], what: str
) -> None:
    server = serve(ready=1)
    blob = by_reference(server)
    server.on("GET", "/v1/blobs/.*", lambda _: answer if isinstance(answer, Answer) else answer(blob))
    with server.client() as ready, pytest.raises(BadRecord, match=what) as caught:
        next(ready.batches(groups=1))
    assert (caught.value.offset, caught.value.field) == (0, "segments_ref")
    assert len(server.of(".*/release")) == 1


def test_data_beside_the_tokens_is_loaded_and_checked(serve: Serve) -> None:
    import hashlib

    data = bytes(range(12))
    sha256 = hashlib.sha256(data).hexdigest()
    server = serve(ready=1)
    aux = {"turn": 0, "name": "experts", "uri": "x", "sha256": sha256}
    shapes = [
        ([2, 3], "int16"),
        ([2, 3], "int8"),
        ([12], "no such"),
        ([-1], "int8"),
        ([6], "bfloat16"),
        ([0, 3], "int8"),
    ]
    server.ready[0]["aux"] = [{**aux, "shape": shape, "dtype": dtype} for shape, dtype in shapes] + [
        {**aux, "sha256": None, "shape": [12], "dtype": "uint8"}
    ]
    server.on("GET", f"/v1/blobs/{sha256}", lambda _: Answer(data))
    with server.client() as ready:
        good, short, unknown, negative, bfloat16, empty, foreign = next(ready.rollouts()).trajectory.aux
        assert ready.load(good).tolist() == [[0x0100, 0x0302, 0x0504], [0x0706, 0x0908, 0x0B0A]]
        # The bytes 00 00 00 01 of a little-endian float32: its upper half is 0x0100.
        assert ready.load(bfloat16)[0] == np.frombuffer(bytes([0, 0, 0, 1]), "<f4")[0]
        assert ready.load(bfloat16).dtype == np.float32
        for bad in (short, unknown, negative, empty, foreign):
            with pytest.raises(BadRecord, match="experts"):
                ready.load(bad)
        server.on("GET", "/v1/blobs/.*", lambda _: refused(404, "RS_NOT_FOUND"))
        with pytest.raises(BadRecord, match="rs_not_found") as caught:
            ready.load(good)
        assert isinstance(caught.value.__cause__, NotFound)
