"""Puts the chunks of a streamed answer together again, into the answer that the engine would have given at once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from .json_fields import Json, items, mapping, text

_DONE = b"[DONE]"


def chunks_of(pieces: Iterable[object]) -> tuple[list[Json], bool]:
    """Chunks as objects, or server-sent events as lines or as they came in; and whether the stream said it was done."""
    found: list[Json] = []
    written: list[bytes] = []
    for piece in pieces:
        if isinstance(piece, str | bytes):
            written.append(piece.encode("utf-8", "surrogatepass") if isinstance(piece, str) else piece)
        else:
            found.append(mapping(piece))
    # Lines of a reader have no ends; pieces of a socket may be cut anywhere.
    lines = (b"" if any(b"\n" in piece for piece in written) else b"\n").join(written).splitlines()
    events = [line.removeprefix(b"data:").strip() for line in lines if line.startswith(b"data:")]
    found += [mapping(json.loads(event)) for event in events if event and event != _DONE]
    return found, _DONE in events


def whole_sglang(chunks: Sequence[Json]) -> dict[str, Any]:
    """
    SGLang sends all that it has in each chunk, or (--stream-output) only what is new. The last chunk says how many
    tokens there are: that tells the two apart.
    """
    last = chunks[-1]
    ids = [list(items(chunk.get("output_ids")) or ()) for chunk in chunks]
    parts = [text(chunk.get("text")) or "" for chunk in chunks]
    metas = [mapping(chunk.get("meta_info")) for chunk in chunks]
    joined = [token for part in ids for token in part]
    counted = metas[-1].get("completion_tokens")
    grows = all(ids[at + 1][: len(one)] == one for at, one in enumerate(ids[:-1])) and all(
        parts[at + 1].startswith(one) for at, one in enumerate(parts[:-1])
    )
    if grows and not (len(joined) == counted and len(ids[-1]) != counted):
        return dict(last)
    meta = dict(metas[-1])
    logprobs = [entry for one in metas for entry in items(one.get("output_token_logprobs")) or ()]
    # They may be told whole beside ids that are not.
    if logprobs and len(items(meta.get("output_token_logprobs")) or ()) != len(joined):
        meta["output_token_logprobs"] = logprobs
    return {**last, "text": "".join(parts), "output_ids": joined, "meta_info": meta}


def whole_openai(chunks: Sequence[Json]) -> dict[str, Any]:
    """Deltas of each choice joined; what is said once is kept as it was said last."""
    whole: dict[str, Any] = {}
    choices: dict[int, dict[str, Any]] = {}
    for chunk in chunks:
        for name, value in chunk.items():
            if name != "choices" and value is not None:
                whole[name] = value
        for delta in map(mapping, items(chunk.get("choices")) or ()):
            _add(choices.setdefault(delta.get("index") or 0, {}), delta)
    whole["choices"] = [choices[at] for at in sorted(choices)]
    return whole


def _add(choice: dict[str, Any], delta: Json) -> None:
    for name, value in delta.items():
        if value is None:
            choice.setdefault(name, None)
        elif name == "delta":
            _add_message(choice.setdefault("message", {}), mapping(value))
        elif name == "text":
            choice[name] = (choice.get(name) or "") + value
        elif name == "token_ids":
            choice[name] = [*(choice.get(name) or ()), *value]
        elif name == "logprobs":
            _add_arrays(choice.setdefault(name, None) or choice.update({name: {}}) or choice[name], mapping(value))
        else:
            choice[name] = value


def _add_arrays(joined: dict[str, Any], more: Json) -> None:
    for name, value in more.items():
        part = items(value)
        if part is None:
            joined.setdefault(name, value)
        else:
            joined[name] = [*(joined.get(name) or ()), *part]


def _add_message(message: dict[str, Any], delta: Json) -> None:
    for name, value in delta.items():
        if value is None:
            message.setdefault(name, None)
        elif name == "tool_calls":
            _add_calls(message, items(value) or ())
        elif isinstance(value, str) and name != "role":
            message[name] = (message.get(name) or "") + value
        else:
            message[name] = value


def _add_calls(message: dict[str, Any], deltas: Sequence[Any]) -> None:
    calls: list[dict[str, Any]] = message.get("tool_calls") or []
    message["tool_calls"] = calls
    for delta in map(mapping, deltas):
        at = delta.get("index", len(calls))
        while len(calls) <= at:
            calls.append({"function": {}})
        function = mapping(delta.get("function"))
        kept = calls[at]["function"]
        if function.get("name") is not None:
            kept["name"] = function["name"]
        if function.get("arguments") is not None:
            kept["arguments"] = (kept.get("arguments") or "") + function["arguments"]
        calls[at].update({name: value for name, value in delta.items() if name != "function" and value is not None})
