"""Model calls of a trace of verifiers, with the tokens that they added."""

from __future__ import annotations

import json
from typing import Any


def path_to(trace: Any, index: int) -> list[int]:
    """From the root to this node: what the model was shown, and its answer."""
    path: list[int] = []
    at: int | None = index
    while at is not None:
        path.append(at)
        at = trace.nodes[at].parent
    return path[::-1]


def content_text(content: Any) -> str:
    """As the model was shown it; parts that are no text as JSON."""
    if isinstance(content, str):
        return content
    parts = [part.model_dump(mode="json") for part in content or ()]
    if all(part.get("type") == "text" for part in parts):
        return "\n".join(part["text"] for part in parts)
    return json.dumps(parts)


def model_call_of(trace: Any, call: Any, index: int, path: list[int]) -> dict[str, Any]:
    """`finish_reason` is verifiers' own word for the engine's: an abort has none there."""
    span = call.time
    started_at_us = round(span.start * 1e6) if span.start else None
    fields: dict[str, Any] = {
        "call_id": f"call-{index}",
        "model": call.model,
        "finish_reason": call.finish_reason,
        "sampling": call.sampling.model_dump(mode="json", exclude_none=True) or None if call.sampling else None,
        "usage": _usage(call.usage),
        "error": None if call.error is None else {"type": call.error.type, "message": call.error.message},
        "segment_id": "main" if not path or path[0] == 0 else f"root-{path[0]}",
        "started_at_us": started_at_us,
        "duration_us": round(span.end * 1e6) - started_at_us if started_at_us and span.end else None,
        "extra": {"endpoint": call.endpoint},
    }
    if not path:
        return fields
    node = trace.nodes[path[-1]]
    fields |= _tokens(trace, path, fields["extra"])
    message = node.message
    fields["tool_calls"] = [_tool_call(one) for one in message.tool_calls or ()]
    # A renderer, or the provider, took calls and reasoning out of the text: it is not raw.
    fields["extra"] |= {"content": message.content, "reasoning": message.reasoning_content}
    return fields


def _tokens(trace: Any, path: list[int], extra: dict[str, Any]) -> dict[str, Any]:
    """The prompt is what the nodes before added, and what the template put before the answer."""
    node = trace.nodes[path[-1]]
    if not node.token_ids:
        return {}
    begin = next((at for at, sampled in enumerate(node.mask) if sampled), len(node.token_ids))
    end = begin + sum(node.mask)
    if not all(node.mask[begin:end]):
        extra["disagreement"] = {"sampled_tokens": "stand in more than one run"}
        return {}
    before = [token for index in path[:-1] for token in trace.nodes[index].token_ids]
    sampled = node.token_ids[begin:end]
    logprobs = list(node.logprobs or ())
    if logprobs and len(logprobs) != len(sampled):
        extra["disagreement"] = {"completion_ids": len(sampled), "logprobs": len(logprobs)}
    return {
        "prompt_ids": [*before, *node.token_ids[:begin]],
        "completion_ids": sampled,
        "completion_logprobs": logprobs if logprobs and len(logprobs) == len(sampled) else None,
    }


def _tool_call(call: Any) -> dict[str, Any]:
    try:
        json.loads(call.arguments)
    except ValueError:
        parsed = None
    else:
        parsed = call.arguments
    return {"call_id": call.id, "name": call.name, "arguments_raw": call.arguments, "arguments_parsed": parsed}


def _usage(usage: Any) -> dict[str, int | None] | None:
    """Its prompt tokens are those that were not read from the cache: the prompt is both."""
    if usage is None:
        return None
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.completion_tokens,
        "cached_tokens": usage.cached_input_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
    }
