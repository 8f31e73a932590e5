"""Trajectories for tests, written by the schema of the repository."""

from __future__ import annotations

import hashlib
import io
import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from fastavro import parse_schema, schemaless_writer

from rollstream import Entry, Trajectory
from rollstream.wire import TrajectorySchema

REPOSITORY = Path(__file__).resolve().parents[3]
SCHEMA: dict[str, Any] = json.loads((REPOSITORY / "schemas" / "trajectory.avsc").read_text())
SCHEMA_ID = 70_000
_PARSED = parse_schema(json.loads(json.dumps(SCHEMA)))
_SEGMENTS = parse_schema(
    json.loads(json.dumps(next(field["type"] for field in SCHEMA["fields"] if field["name"] == "segments")))
)


def segment(
    ids: Sequence[int],
    *,
    sampled: Sequence[int] | None = None,
    loss: Sequence[int] | None = None,
    logprobs: Sequence[float] | str | None = "from ids",
    name: str = "main",
    spans: Sequence[tuple[int, str]] = ((0, "v0"),),
) -> dict[str, Any]:
    """Logprob of a sampled token: minus its id / 1000; the first token is the prompt."""
    sampled = [int(at > 0) for at in range(len(ids))] if sampled is None else sampled
    loss = sampled if loss is None else loss
    values = [-each / 1000 if on else 0.0 for each, on in zip(ids, sampled, strict=True)]
    numbers = values if isinstance(logprobs, str) else logprobs
    return {
        "segment_id": name,
        "parent_segment_id": None,
        "fork_at": None,
        "token_ids": np.array(ids, "<u4").tobytes(),
        "prompt_len": 1,
        "sampled_mask": bytes(sampled),
        "loss_mask": bytes(loss),
        "logprobs": None if numbers is None else np.array(numbers, "<f4").tobytes(),
        "weight_spans": [{"start": start, "version": version} for start, version in spans],
    }


def record(rollout: str = "r0", segments: Sequence[Mapping[str, Any]] | None = None, **more: Any) -> dict[str, Any]:
    """Fields without a default in the schema, as a rollout of one model call has them."""
    defaults = {field["name"]: field["default"] for field in SCHEMA["fields"] if "default" in field}
    return {
        **defaults,
        "run_id": "math",
        "env_name": "calculator",
        "task_id": "task-1",
        "group_id": "g0",
        "rollout_id": rollout,
        "segments": [segment([1, 2, 3])] if segments is None else list(segments),
        "turns": [{"turn": 0, "segment_id": "main", "start": 1, "end": 3, "call_id": "c0", "temperature": 0.7}],
        "reasons": [{"code": "task_complete", "category": "completed", "raw": "done", "system": "test"}],
        "verdicts": [{"scorer": "exact", "status": "scored", "rewards": {"correct": 1.0, "style": None}}],
        "category": "completed",
        "reward": 1.0,
        "reward_valid": True,
        "advantage": 0.5,
        "in_loss": True,
        "in_baseline": True,
        "disposition": "train",
        "why": ["task_complete"],
        "policy_id": "p",
        "taxonomy_id": "t",
        "score_id": "s",
        "audit": dict.fromkeys(("tokens", "template", "tools", "termination", "numbers", "wall", "reencode"), "pass"),
        "group_size_actual": 1,
        "segment_count": 1,
        "rollout_loss_tokens": 2,
        "partition": 0,
        "first_offset": 0,
        "last_offset": 1,
        "ready_at": 1_700_000_000_000_000,
        **more,
    }


def framed(value: Mapping[str, Any]) -> bytes:
    """Confluent wire format."""
    out = io.BytesIO()
    out.write(b"\x00" + struct.pack(">I", SCHEMA_ID))
    schemaless_writer(out, _PARSED, dict(value))
    return out.getvalue()


def segments_blob(segments: Sequence[Mapping[str, Any]]) -> tuple[bytes, dict[str, Any]]:
    out = io.BytesIO()
    schemaless_writer(out, _SEGMENTS, list(segments))
    blob = out.getvalue()
    sha256 = hashlib.sha256(blob).hexdigest()
    return blob, {"uri": f"blob:{sha256}", "sha256": sha256, "length": len(blob)}


def entry(offset: int = 0, **more: Any) -> Entry:
    facts = {"unit": "math/0/g/g0", "rollout_id": "r0", "attempt": 0, "size": 1, "tokens": 3, "deliveries": 1, "lag": 0}
    return Entry(**{"offset": offset, **facts, "ready_at": "2026-01-01T00:00:00.000Z", **more})


def trajectory(*segments: Mapping[str, Any], rollout: str = "r0", **more: Any) -> Trajectory:
    """Of these segments (it may have none), as it comes out of the wire."""
    value = record(rollout, segments, **more)
    decoded = TrajectorySchema(SCHEMA).decode(memoryview(framed(value)), entry(rollout_id=rollout))
    return Trajectory(decoded, entry(rollout_id=rollout))
