"""From what an engine answered to the fields of a model call."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from .generated_call import GeneratedCall
from .json_fields import Json, mapping, text
from .openai_answer import is_openai, read_openai
from .sampling import sampling_of
from .sglang_generate import is_sglang, read_sglang
from .stream_chunks import chunks_of, whole_openai, whole_sglang


def read_response(request: object, response: object, *, choice: int = 0) -> GeneratedCall:
    """
    `response`: the answer as an object, a model of a client library, or JSON text; or the chunks of a stream (objects,
    or lines of server-sent events). An answer of no known shape raises ValueError.
    """
    asked = _plain(request)
    answer = _plain(response)
    if answer is not None:
        return _read(asked or {}, answer, choice)
    if not isinstance(response, Iterable):
        raise ValueError(
            f"an answer of an engine is an object or the chunks of a stream, not {type(response).__name__}"
        )
    pieces = [response] if isinstance(response, str | bytes) else response
    chunks, done = chunks_of(piece if isinstance(piece, str | bytes) else _plain(piece) for piece in pieces)
    if not chunks:
        raise ValueError("a stream without a chunk is no answer of an engine")
    whole = _whole(chunks)
    call = _read(asked or {}, whole, choice)
    call.extra["stream"] = {"chunks": len(chunks), "done": done or call.finish_reason is not None}
    return call


def _whole(chunks: list[Json]) -> Json:
    refused = next((chunk for chunk in chunks if chunk.get("error") is not None), None)
    if any(is_openai(chunk) for chunk in chunks):
        whole = whole_openai(chunks)
    elif is_sglang(chunks[-1]):
        # Answers of several samplings look like chunks, but each has an id of its own.
        ids = {mapping(chunk.get("meta_info")).get("id") for chunk in chunks}
        if len(ids) > 1:
            raise ValueError(f"{len(ids)} answers of /generate are as many calls: record each of them")
        whole = whole_sglang(chunks)
    else:
        whole = dict(chunks[-1])
    return whole if refused is None else {**whole, "error": refused["error"]}


def _read(request: Json, response: Json, choice: int) -> GeneratedCall:
    if is_openai(response):
        call = read_openai(request, response, choice)
    elif is_sglang(response):
        call = read_sglang(request, response)
    elif response.get("error") is not None or response.get("object") == "error":
        call = GeneratedCall(call_id=text(response.get("id")), model=text(request.get("model")))
        call.sampling = sampling_of(mapping(request.get("sampling_params")) or request)
    else:
        raise ValueError(f"an answer with {', '.join(sorted(response)) or 'nothing'} is of no engine known here")
    call.error = _error(response)
    return call


def _error(response: Json) -> dict[str, Any] | None:
    """Servers answer {"error": {...}}, {"error": "text"} or (older) {"object": "error", "message": ...}."""
    said = response.get("error")
    if said is None and response.get("object") != "error":
        return None
    about = mapping(said) or ({"message": said} if isinstance(said, str) else response)
    kind = about.get("type") or about.get("err_type") or about.get("code")
    return {"type": None if kind is None else str(kind), "message": text(about.get("message"))}


def _plain(value: object) -> Json | None:
    """None: no object, whatever else it is."""
    if isinstance(value, Mapping):
        return value
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return mapping(dump())
    if isinstance(value, str | bytes) and value.lstrip()[:1] in ("{", b"{"):
        return mapping(json.loads(value))
    return None
