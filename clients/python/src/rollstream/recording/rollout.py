"""One attempt of a rollout, as its loop records it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from .values import Logprobs, TokenIds, WeightSpans


class Rollout:
    """Made by `Recorder.rollout`; `with` or `async with`. Its methods never raise, and never wait for the network."""

    rollout_id: str

    def message(self, role: str, content: object, *, extra: Mapping[str, Any] | None = None) -> None:
        """A turn that no model call made. content: text, or parts (JSON)."""
        raise NotImplementedError

    def model_call(
        self,
        *,
        call_id: str | None = None,
        model: str | None = None,
        replica: str | None = None,
        prompt_ids: TokenIds | None = None,
        prompt_prefix_len: int | None = None,
        prompt_delta_ids: TokenIds | None = None,
        completion_ids: TokenIds | None = None,
        completion_logprobs: Logprobs | None = None,
        logprobs_mode: str = "unknown",
        weight_spans: WeightSpans = (),
        raw_text: str | bytes | None = None,
        finish_reason: str | Mapping[str, Any] | None = None,
        sampling: Mapping[str, Any] | None = None,
        usage: Mapping[str, Any] | None = None,
        queue_us: int | None = None,
        prefill_us: int | None = None,
        decode_us: int | None = None,
        server_e2e_us: int | None = None,
        tool_calls: Iterable[Mapping[str, Any]] = (),
        aux_ref: Mapping[str, Any] | None = None,
        error: BaseException | Mapping[str, Any] | str | None = None,
        segment_id: str = "main",
        started_at_us: int | None = None,
        duration_us: int | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> int:
        """One request to the model. Returns its index in the attempt: `bound_to` of verdicts, `turn` of tool results.

        prompt_ids: the whole prompt; or prompt_delta_ids, its tokens after the first prompt_prefix_len that the segment
        holds (all of them, where None). weight_spans: (start, version) by token of completion_ids. tool_calls: the fields
        of ToolCall in schemas/step-event.avsc; arguments_raw as text or bytes, arguments_parsed as any JSON.
        """
        raise NotImplementedError

    def tool_result(
        self,
        call_id: str,
        output: object,
        *,
        turn: int | None = None,
        name: str | None = None,
        status: str = "unknown",
        executed_arguments: object = None,
        exit_code: int | None = None,
        wait_us: int | None = None,
        exec_us: int | None = None,
        error: BaseException | Mapping[str, Any] | str | None = None,
        output_ref: str | None = None,
        started_at_us: int | None = None,
        duration_us: int | None = None,
        segment_id: str = "main",
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        raise NotImplementedError

    def phase(self, phase: str, detail: str | None = None) -> AbstractContextManager[None]:
        """Measures what is done in it; an exception that leaves it is kept as its error. Also after the end."""
        raise NotImplementedError

    def phase_done(
        self,
        phase: str,
        duration_us: int,
        *,
        detail: str | None = None,
        error: BaseException | Mapping[str, Any] | str | None = None,
        started_at_us: int | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        raise NotImplementedError

    def verdict(
        self,
        scorer: str,
        *,
        reward: float | None = None,
        rewards: Mapping[str, float | None] | None = None,
        status: str = "scored",
        scorer_version: str = "",
        bound_to: int | None = None,
        report: object = None,
        duration_us: int | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        """Also after the end. reward: the same as rewards={"reward": …}."""
        raise NotImplementedError

    def end(
        self,
        reason: str,
        *,
        system: str = "rollstream",
        detail: str | None = None,
        reasons: Sequence[Mapping[str, Any]] | None = None,
        final_response: str | bytes | None = None,
        env_reward: float | None = None,
        exception: BaseException | Mapping[str, Any] | str | None = None,
        limit: Mapping[str, Any] | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        """Why the loop ended, in its own words. reasons: further ones behind it, with raw, system, detail, after_end.
        limit: {"kind", "limit", "used"}. Leaving the block without it records `completed`, or the exception's class."""
        raise NotImplementedError
