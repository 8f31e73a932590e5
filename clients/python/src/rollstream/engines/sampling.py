"""How tokens were drawn, from the request."""

from __future__ import annotations

from typing import Any

from .json_fields import Json

# fmt: off
# Of a request, but no sampling: the prompt, what to send back, and who asks.
_NO_SAMPLING = frozenset((
    "model", "messages", "prompt", "tools", "tool_choice", "stream", "stream_options", "user", "n", "logprobs",
    "top_logprobs", "echo", "metadata", "store", "return_token_ids", "return_prompt_token_ids",
    "return_tokens_as_token_ids", "return_meta_info", "return_routed_experts", "routed_experts_start_len",
    "return_hidden_states", "return_cached_tokens_details", "input_ids", "rid", "request_id",
    "chat_template_kwargs", "parallel_tool_calls", "separate_reasoning", "stream_reasoning", "prompt_logprobs",
    "add_generation_prompt", "add_special_tokens", "spaces_between_special_tokens", "priority",
))
# fmt: on
_NAMES = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "max_tokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
    "max_new_tokens": "max_tokens",
    "seed": "seed",
    "sampling_seed": "seed",
}


def sampling_of(params: Json) -> dict[str, Any] | None:
    """Named fields, and the others beside them; None where nothing is said."""
    known: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for name, value in params.items():
        if value is None or name in _NO_SAMPLING:
            continue
        field = _NAMES.get(name)
        if field is None or field in known or isinstance(value, bool) or not isinstance(value, int | float):
            others[name] = value
        else:
            known[field] = value
    if others:
        known["extra_json"] = others
    return known or None
