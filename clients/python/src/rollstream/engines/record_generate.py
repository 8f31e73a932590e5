"""Records what an engine answered as one model call."""

from __future__ import annotations

from typing import Any

from .aux_folder import AuxFolder, aux_ref_of
from .generated_call import CallSink, GeneratedCall, Json
from .read_response import read_response


def record_generate(
    r: CallSink,
    request: object,
    response: object,
    *,
    segment_id: str = "main",
    duration_us: int | None = None,
    aux: AuxFolder | Json | None = None,
    choice: int = 0,
    replica: str | None = None,
    logprobs_mode: str = "unknown",
    started_at_us: int | None = None,
) -> int:
    """
    Records one answer of SGLang's /generate, /v1/chat/completions or /v1/completions, whole or as the chunks of a
    stream, and returns the index of the call. Token ids are the engine's own; text is never encoded again.

    `request`: the body that was sent. `duration_us`: how long it took, as the caller saw it. `aux`: a folder that
    routed experts are written to, or the reference of where the caller put them. `choice`: which of several. What no
    answer says is the caller's to say: `replica`, `logprobs_mode` and `started_at_us`.
    """
    call = read_response(request, response, choice=choice)
    return r.model_call(
        **model_call_fields(call, aux),
        segment_id=segment_id,
        duration_us=duration_us,
        replica=replica,
        logprobs_mode=logprobs_mode,
        started_at_us=started_at_us,
    )


def model_call_fields(call: GeneratedCall, aux: AuxFolder | Json | None = None) -> dict[str, Any]:
    """As model_call takes them."""
    ref = aux_ref_of(call, aux)
    return {
        "call_id": call.call_id,
        "model": call.model,
        "prompt_ids": call.prompt_ids,
        "completion_ids": call.completion_ids,
        "completion_logprobs": call.completion_logprobs,
        "weight_spans": call.weight_spans,
        "raw_text": call.raw_text,
        "finish_reason": call.finish_reason,
        "sampling": call.sampling,
        "usage": call.usage,
        "queue_us": call.queue_us,
        "server_e2e_us": call.server_e2e_us,
        "tool_calls": call.tool_calls,
        "aux_ref": ref,
        "error": call.error,
        "extra": call.extra or None,
    }
