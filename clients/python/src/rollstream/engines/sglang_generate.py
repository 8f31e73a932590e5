"""Reads an answer of SGLang's /generate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .generated_call import GeneratedCall
from .json_fields import Json, count, items, logprob, mapping, microseconds, number, text, token_ids, without
from .routed_experts import set_routed_experts
from .sampled_tokens import set_prompt, set_sampled
from .sampling import sampling_of
from .weight_spans import set_weight_spans

# fmt: off
_READ = (
    "id", "finish_reason", "prompt_tokens", "completion_tokens", "reasoning_tokens", "cached_tokens",
    "weight_version", "weight_versions", "output_token_logprobs", "output_token_logprobs_length",
    "input_token_logprobs", "routed_experts", "queue_time", "e2e_latency",
)
# By token, and not what was sampled: said to have been there.
_LARGE = (
    "output_top_logprobs", "input_top_logprobs", "output_token_ids_logprobs", "input_token_ids_logprobs",
    "hidden_states", "indexer_topk",
)
# fmt: on


def is_sglang(response: Json) -> bool:
    return "meta_info" in response and "choices" not in response


def read_sglang(request: Json, response: Json) -> GeneratedCall:
    meta = mapping(response.get("meta_info"))
    call = GeneratedCall(
        call_id=text(meta.get("id")),
        model=text(request.get("model")),
        raw_text=text(response.get("text")),
        finish_reason=finish_reason_of(meta.get("finish_reason")),
        sampling=sampling_of(mapping(request.get("sampling_params"))),
        usage=_usage(meta),
        queue_us=microseconds(meta.get("queue_time")),
        server_e2e_us=microseconds(meta.get("e2e_latency")),
    )
    set_from_meta(call, meta, token_ids(response.get("output_ids")))
    prompt_tokens = count(meta.get("prompt_tokens"))
    set_prompt(
        call, token_ids(request.get("input_ids")), _answered_prompt(response, meta, prompt_tokens), prompt_tokens
    )
    set_routed_experts(call, meta.get("routed_experts"), _rows(call, request))
    call.extra.update(without(meta, *_READ, *_LARGE))
    others = without(response, "text", "output_ids", "meta_info", "prompt_token_ids", "routed_experts")
    if others:
        call.extra["response"] = others
    return call


def set_from_meta(call: GeneratedCall, meta: Json, ids: Sequence[int] | None) -> None:
    """What `meta_info` says of the completion: SGLang's OpenAI server may send it too."""
    entries = items(meta.get("output_token_logprobs"))
    logprobs, ids_of_logprobs = pairs_of(entries) if entries is not None else (None, None)
    if ids is None:
        # These ids are the engine's own.
        ids = token_ids(ids_of_logprobs)
    set_sampled(call, ids, logprobs, ids_of_logprobs, count(meta.get("completion_tokens")))
    told = count(meta.get("output_token_logprobs_length"))
    if told is not None and logprobs is not None and told != len(logprobs):
        call.disagrees(logprobs=len(logprobs), output_token_logprobs_length=told)
    set_weight_spans(call, meta, None if ids is None else len(ids))
    left_out = {name: len(items(meta[name]) or meta[name]) for name in _LARGE if meta.get(name)}
    if left_out:
        call.extra["left_out"] = left_out


def pairs_of(entries: Sequence[Any]) -> tuple[list[float | None], list[int | None]]:
    """[logprob, token id, text] each."""
    pairs = [items(entry) or () for entry in entries]
    return [logprob(pair[0]) if pair else None for pair in pairs], [
        count(pair[1]) if len(pair) > 1 else None for pair in pairs
    ]


def finish_reason_of(value: object) -> str | Json | None:
    return value if isinstance(value, str) else mapping(value) or None


def _usage(meta: Json) -> dict[str, int | None] | None:
    names = ("prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens")
    usage = {name: count(meta.get(name)) for name in names}
    return usage if any(value is not None for value in usage.values()) else None


def _answered_prompt(response: Json, meta: Json, prompt_tokens: int | None) -> Sequence[int] | None:
    answered = token_ids(response.get("prompt_token_ids"))
    entries = items(meta.get("input_token_logprobs"))
    if answered is not None or entries is None or len(entries) != prompt_tokens:
        # Logprobs may begin within the prompt: then they are not all of it.
        return answered
    return token_ids(pairs_of(entries)[1])


def _rows(call: GeneratedCall, request: Json) -> int | None:
    start = number(request.get("routed_experts_start_len")) or 0
    if call.prompt_ids is None or call.completion_ids is None:
        return None
    return len(call.prompt_ids) + len(call.completion_ids) - 1 - int(start)
