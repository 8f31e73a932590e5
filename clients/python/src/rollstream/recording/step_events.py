"""Step events as Avro: encoded on the caller's thread, so that the spool holds what is sent."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from .avro import Encode, encoder, string, varint
from .container import step_event_schema
from .json_text import json_text

FORMAT = "rollstream-python"
_NULL, _SECOND = b"\x00", b"\x02"
_MAIN = string("main")
_BODIES = ("start", "model_call", "message", "tool_result", "phase", "verdict", "end", "control")
_IDENTITY = 9


@cache
def _encoders() -> tuple[list[tuple[str, Encode]], dict[str, tuple[bytes, bytes, Encode, bytes]], bytes]:
    """Of the fields that identify an attempt, and of each kind: its symbol, what stands before its body and behind."""
    named: dict[str, Encode] = {}
    fields = step_event_schema()["fields"]
    every = [(field["name"], encoder(field["type"], field["name"], named)) for field in fields]
    kinds = next(field["type"]["symbols"] for field in fields if field["name"] == "kind")
    bodies = {
        kind: (varint(kinds.index(kind)), _NULL * place, dict(every)[kind], _NULL * (len(_BODIES) - 1 - place))
        for place, kind in enumerate(_BODIES)
    }
    assert [name for name, _ in every[-len(_BODIES) :]] == list(_BODIES)
    return every[:_IDENTITY], bodies, _source()


def _source() -> bytes:
    try:
        package = version("rollstream")
    except PackageNotFoundError:
        package = ""
    return string(FORMAT) + string(package) + _NULL


def encoded_identity(identity: Mapping[str, Any]) -> bytes:
    """run_id … attempt, once for an attempt. Raises ValueError, naming the field."""
    out: list[bytes] = []
    for name, encode in _encoders()[0]:
        given = identity.get(name)
        try:
            if given is None and name in ("group_id", "group_size"):
                out.append(_NULL)
            else:
                encode(out, [], given)
        except Exception as error:
            raise ValueError(f"{name}: {error}") from error
    return b"".join(out)


def encoded_event(
    identity: bytes,
    producer: bytes,
    *,
    kind: str,
    body: Mapping[str, Any],
    event_id: str,
    seq: int | None,
    segment_id: str = "main",
    started_at_us: int | None = None,
    ended_at_us: int | None = None,
    duration_us: int | None = None,
    extra: Mapping[str, Any] | None = None,
    health: Mapping[str, Any] | None = None,
    faults: list[str],
) -> bytes:
    """producer: its id, an Avro string. What a field cannot hold is named in faults and in extra_json.recorder_faults.
    Raises ValueError where a field that must be there cannot be encoded."""
    _, kinds, source = _encoders()
    symbol, before, encode, behind = kinds[kind]
    pieces: list[bytes] = []
    encode(pieces, faults, body)
    if extra is not None and not isinstance(extra, Mapping):
        faults.append("extra: a mapping is needed")
        extra = None
    told = _NULL
    if extra or health or faults:
        told = _extra_json(extra, health, faults)
    return b"".join(
        [
            identity,
            _MAIN if segment_id == "main" else string(segment_id),
            _NULL if seq is None else _SECOND + varint(seq),
            string(event_id),
            producer,
            symbol,
            _NULL if started_at_us is None else _SECOND + varint(started_at_us),
            _NULL if ended_at_us is None else _SECOND + varint(ended_at_us),
            _NULL if duration_us is None else _SECOND + varint(duration_us),
            source,
            told,
            before,
            *pieces,
            behind,
        ]
    )


def _extra_json(extra: Mapping[str, Any] | None, health: Mapping[str, Any] | None, faults: list[str]) -> bytes:
    own: dict[str, Any] = {} if health is None else {"producer": health}
    if extra:
        try:
            given = json_text({**extra, **own, **({"recorder_faults": faults} if faults else {})})
            return _SECOND + string(given)
        except Exception as error:
            faults.append(f"extra: {error}")
    return _SECOND + string(json_text({**own, "recorder_faults": faults} if faults else own))
