"""Ids and logprobs of a completion, and whether they are of the same tokens."""

from __future__ import annotations

from collections.abc import Sequence

from .generated_call import GeneratedCall


def set_sampled(
    call: GeneratedCall,
    ids: Sequence[int] | None,
    logprobs: Sequence[float | None] | None,
    ids_of_logprobs: Sequence[int | None] | None = None,
    counted: int | None = None,
) -> None:
    """
    The ids are kept as the engine gave them. Logprobs that are not one a token, or are of other tokens, are left out
    whole: speculative decoding gives more of them than ids, and cutting would shift them. `counted`: what the engine
    says that it sampled.
    """
    call.completion_ids = ids
    if ids is None:
        if logprobs is not None:
            call.extra["logprobs_without_ids"] = len(logprobs)
        return
    if counted is not None and counted != len(ids):
        call.disagrees(completion_ids=len(ids), completion_tokens=counted)
    if logprobs is None:
        return
    if len(logprobs) != len(ids):
        call.disagrees(completion_ids=len(ids), logprobs=len(logprobs))
        return
    differs = first_difference(ids, ids_of_logprobs)
    if differs is not None:
        call.disagrees(first_id=differs, sampled=ids[differs], of_logprob=(ids_of_logprobs or ())[differs])
        return
    call.completion_logprobs = logprobs


def set_prompt(
    call: GeneratedCall, sent: Sequence[int] | None, answered: Sequence[int] | None, counted: int | None
) -> None:
    """The ids that were sent, or else those that the engine says it read."""
    call.prompt_ids = answered if sent is None else sent
    if sent is not None and answered is not None and list(sent) != list(answered):
        differs = first_difference(sent, answered)
        call.disagrees(prompt_ids=len(sent), engine_prompt_ids=len(answered), first_prompt_id=differs)
    elif call.prompt_ids is not None and counted is not None and counted != len(call.prompt_ids):
        # Placeholders of images are expanded by the server.
        call.disagrees(prompt_ids=len(call.prompt_ids), prompt_tokens=counted)


def first_difference(ids: Sequence[int], others: Sequence[int | None] | None) -> int | None:
    """An unknown id differs from none."""
    pairs = zip(ids, others or (), strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if other is not None and one != other), None)
