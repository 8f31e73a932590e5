"""A model call as its caller has it, packed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .attempt import Attempt
from .token_ids import pack_ids, pack_logprobs
from .values import Logprobs, TokenIds, WeightSpans


@dataclass
class Call:
    """body: what does not depend on the calls before. prompt: packed, whole, or (is_delta) without its first `prefix`
    tokens; None: no token ids. completion: the same, packed."""

    body: dict[str, Any]
    extra: dict[str, Any]
    faults: list[str]
    prompt: bytes | None
    completion: bytes | None
    prefix: int | None
    is_delta: bool

    def place(self, attempt: Attempt, segment_id: str) -> None:
        """In its turn: what of the prompt is new."""
        if self.prompt is None:
            return
        if not self.is_delta:
            self.prefix = attempt.prefix_of(segment_id, self.prompt)
            self.prompt = self.prompt[4 * self.prefix :] if self.prefix else self.prompt
        elif self.prefix is None:
            self.prefix = attempt.held_tokens(segment_id)
        self.body["prompt_prefix_len"] = self.prefix
        self.body["prompt_delta_ids"] = self.prompt

    def hold(self, attempt: Attempt, segment_id: str) -> None:
        if self.prompt is not None and self.completion is not None:
            attempt.hold(segment_id, self.prefix or 0, self.prompt + self.completion)


def call_of(
    body: dict[str, Any],
    extra: Mapping[str, Any] | None,
    *,
    prompt_ids: TokenIds | None,
    prompt_prefix_len: int | None,
    prompt_delta_ids: TokenIds | None,
    completion_ids: TokenIds | None,
    completion_logprobs: Logprobs | None,
    weight_spans: WeightSpans,
    tool_calls: Iterable[Mapping[str, Any]],
) -> Call:
    """Raises ValueError where token ids are none: a call without them would look like one of a source that has none."""
    faults: list[str] = []
    more = dict(extra) if extra else {}
    is_delta = prompt_ids is None and (prompt_delta_ids is not None or prompt_prefix_len is not None)
    given = prompt_delta_ids if is_delta else prompt_ids
    if is_delta and given is None:
        given = ()
    prompt = None if given is None else pack_ids(given, "prompt_delta_ids" if is_delta else "prompt_ids")
    completion = None if completion_ids is None else pack_ids(completion_ids, "completion_ids")
    has_failed = body.get("error") is not None
    if (prompt is None) != (completion is None) and not has_failed:
        # Half of it is of no use to anybody, and would not be taken.
        faults.append("prompt and completion: token ids of both are needed, or of neither")
    if completion is None:
        prompt = prompt if has_failed else None
    elif prompt is None:
        completion = None
    else:
        body["completion_ids"] = completion
        if completion_logprobs is not None:
            body["completion_logprobs"] = _logprobs(completion_logprobs, len(completion), more, faults)
    spans = [span if isinstance(span, Mapping) else {"start": span[0], "version": span[1]} for span in weight_spans]
    if spans:
        body["weight_spans"] = spans
    calls = list(tool_calls)
    if calls:
        body["tool_calls"] = calls
    return Call(body, more, faults, prompt, completion, prompt_prefix_len if is_delta else None, is_delta)


def _logprobs(values: Logprobs, size: int, extra: dict[str, Any], faults: list[str]) -> bytes | None:
    try:
        packed, missing = pack_logprobs(values)
    except (TypeError, ValueError) as error:
        faults.append(f"completion_logprobs: {error}")
        return None
    if missing:
        extra["missing_logprobs"] = missing
    elif packed is not None and len(packed) != size:
        faults.append(f"completion_logprobs: {len(packed) // 4} values for {size // 4} tokens")
        return None
    return packed
