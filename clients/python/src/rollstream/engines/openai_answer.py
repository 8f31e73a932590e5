"""Reads an answer of an OpenAI-compatible server: chat completions and completions, of vLLM, SGLang and others."""

from __future__ import annotations

import json
from typing import Any

from .generated_call import GeneratedCall
from .json_fields import Json, count, items, logprob, mapping, text, token_ids, without
from .routed_experts import set_routed_experts
from .sampled_tokens import set_prompt, set_sampled
from .sampling import sampling_of
from .sglang_generate import set_from_meta
from .weight_spans import set_weight_spans

# fmt: off
_CHOICE = (
    "index", "text", "message", "logprobs", "finish_reason", "token_ids", "prompt_token_ids", "meta_info",
    "routed_experts", "prompt_logprobs", "hidden_states",
)
_RESPONSE = (
    "id", "object", "model", "choices", "usage", "prompt_token_ids", "weight_version", "weight_versions", "sglext",
    "prompt_logprobs",
)
# fmt: on
_ID_MARK = "token_id:"


def is_openai(response: Json) -> bool:
    return items(response.get("choices")) is not None


def read_openai(request: Json, response: Json, at: int = 0) -> GeneratedCall:
    """`at`: which of several choices. The others are calls of their own, of the same prompt."""
    choices = items(response.get("choices")) or ()
    choice = mapping(choices[at] if at < len(choices) else None)
    usage = mapping(response.get("usage"))
    call = GeneratedCall(
        call_id=text(response.get("id")),
        model=text(response.get("model")) or text(request.get("model")),
        finish_reason=text(choice.get("finish_reason")),
        sampling=sampling_of(request),
        usage=_usage(usage),
    )
    if len(choices) > 1:
        call.extra["choice"] = {"index": at, "of": len(choices)}
        call.call_id = f"{call.call_id}/{at}"
    # One count for all choices says nothing of one.
    counted = count(usage.get("completion_tokens")) if len(choices) == 1 else None
    _set_tokens(call, choice, counted)
    _set_prompt(call, request, response, choice, count(usage.get("prompt_tokens")))
    _set_words(call, choice)
    if not call.weight_spans:
        sampled = None if call.completion_ids is None else len(call.completion_ids)
        set_weight_spans(call, {**mapping(response.get("metadata")), **response}, sampled)
    experts = choice.get("routed_experts") or mapping(response.get("sglext")).get("routed_experts")
    set_routed_experts(call, experts, None)
    call.extra.update(without(choice, *_CHOICE))
    _keep_rest(call, response)
    return call


def _set_tokens(call: GeneratedCall, choice: Json, counted: int | None) -> None:
    logprobs, ids_of_logprobs = _logprobs(mapping(choice.get("logprobs")))
    ids = token_ids(choice.get("token_ids"))
    meta = mapping(choice.get("meta_info"))
    if items(meta.get("output_token_logprobs")) is not None:
        set_from_meta(call, meta, ids)
    else:
        named = token_ids(ids_of_logprobs)
        set_sampled(call, named if ids is None else ids, logprobs, ids_of_logprobs, counted)
        if call.completion_ids is not None:
            set_weight_spans(call, meta, len(call.completion_ids))
    if meta:
        call.extra["meta_info"] = without(meta, "output_token_logprobs", "input_token_logprobs")


def _logprobs(value: Json) -> tuple[list[float | None] | None, list[int | None] | None]:
    """By token with its text, or (completions) as parallel arrays. vLLM may write the id in the place of the text."""
    content = items(value.get("content"))
    if content is not None:
        entries = [mapping(entry) for entry in content]
        return [logprob(entry.get("logprob")) for entry in entries], [
            _id_of(entry.get("token"), entry.get("token_id")) for entry in entries
        ]
    tokens, numbers = items(value.get("tokens")), items(value.get("token_logprobs"))
    if tokens is None or numbers is None:
        return None, None
    return [logprob(entry) for entry in numbers], [_id_of(token, None) for token in tokens]


def _id_of(token: object, given: object) -> int | None:
    if isinstance(token, str) and token.startswith(_ID_MARK) and token[len(_ID_MARK) :].isdecimal():
        return int(token[len(_ID_MARK) :])
    return count(given)


def _set_prompt(call: GeneratedCall, request: Json, response: Json, choice: Json, counted: int | None) -> None:
    sent = token_ids(request.get("input_ids")) or token_ids(request.get("prompt"))
    answered = token_ids(choice.get("prompt_token_ids")) or token_ids(response.get("prompt_token_ids"))
    set_prompt(call, sent, answered, counted)


def _set_words(call: GeneratedCall, choice: Json) -> None:
    """Text is raw only where no parser of the server took calls or reasoning out of it."""
    if "message" not in choice:
        call.raw_text = text(choice.get("text"))
        return
    message = mapping(choice.get("message"))
    calls = items(message.get("tool_calls")) or ()
    call.tool_calls = [_tool_call(mapping(entry), at) for at, entry in enumerate(calls)]
    if calls or any(message.get(name) for name in ("reasoning_content", "reasoning", "function_call")):
        call.extra["message"] = without(message)
        return
    call.raw_text = text(message.get("content"))
    others = without(message, "role", "content", "tool_calls")
    if others:
        call.extra["message"] = others


def _tool_call(entry: Json, at: int) -> dict[str, Any]:
    """The server's parser may have written the arguments anew: they are its own, unless they are no JSON."""
    function = mapping(entry.get("function"))
    written = function.get("arguments")
    if written is not None and not isinstance(written, str):
        written = json.dumps(written)
    is_json = _is_json(written)
    return {
        "call_id": text(entry.get("id")) or f"call-{at}",
        "name": text(function.get("name")),
        "arguments_raw": None if is_json else written,
        "arguments_parsed": written if is_json else None,
        "parse_status": "unknown" if written is None else "ok" if is_json else "malformed",
    }


def _is_json(written: str | None) -> bool:
    try:
        json.loads(written or "")
    except ValueError:
        return False
    return True


def _usage(usage: Json) -> dict[str, int | None] | None:
    prompt, completion = mapping(usage.get("prompt_tokens_details")), mapping(usage.get("completion_tokens_details"))
    found = {
        "prompt_tokens": count(usage.get("prompt_tokens")),
        "completion_tokens": count(usage.get("completion_tokens")),
        "cached_tokens": count(prompt.get("cached_tokens")),
        "reasoning_tokens": count(completion.get("reasoning_tokens", usage.get("reasoning_tokens"))),
    }
    return found if any(value is not None for value in found.values()) else None


def _keep_rest(call: GeneratedCall, response: Json) -> None:
    others = without(response, *_RESPONSE)
    beside = without(mapping(response.get("sglext")), "routed_experts")
    if beside:
        others["sglext"] = beside
    if others:
        call.extra["response"] = others
