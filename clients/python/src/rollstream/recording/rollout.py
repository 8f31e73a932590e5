"""One attempt of a rollout, as its loop records it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeAlias

from .attempt import Times
from .failures import failure_of
from .json_text import JsonText, json_text
from .model_calls import call_of
from .phases import Phase
from .rollout_block import RolloutBlock
from .values import Logprobs, TokenIds, WeightSpans

Json: TypeAlias = Mapping[str, Any]
Error: TypeAlias = BaseException | Mapping[str, Any] | str


class Rollout(RolloutBlock):
    """Made by `Recorder.rollout`; `with` or `async with`. Its methods never raise, and never wait for the network: when
    one returns, the event is in the spool."""

    def message(self, role: str, content: object, *, extra: Json | None = None) -> None:
        """A turn that no model call made. content: text, or parts (JSON)."""

        def body() -> Json:
            return {"role": role, "parts_json": JsonText(json_text(content))}

        self._record("message", body, Times.until_now(None, None), extra)

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
        finish_reason: str | Json | None = None,
        sampling: Json | None = None,
        usage: Json | None = None,
        queue_us: int | None = None,
        prefill_us: int | None = None,
        decode_us: int | None = None,
        server_e2e_us: int | None = None,
        tool_calls: Iterable[Json] = (),
        aux_ref: Json | None = None,
        error: Error | None = None,
        segment_id: str = "main",
        started_at_us: int | None = None,
        duration_us: int | None = None,
        extra: Json | None = None,
    ) -> int:
        """One request to the model. Returns its index in the attempt: `bound_to` of verdicts, `turn` of tool results.

        prompt_ids: the whole prompt; or prompt_delta_ids, its tokens behind the first prompt_prefix_len that the
        segment holds (None: behind all of them). completion_logprobs: where one is None, all are. weight_spans:
        (start, version) by token of completion_ids. tool_calls: with the fields of ToolCall in
        schemas/step-event.avsc; arguments_raw is text or bytes, arguments_parsed any JSON. call_id: by default the
        index.
        """
        if not self._may_record(True):
            return self._attempt.calls
        attempt = self._attempt
        body: dict[str, Any] = {
            "call_id": call_id,
            "model": model,
            "replica": replica,
            "logprobs_mode": logprobs_mode,
            "raw_text": raw_text,
            "finish_reason": finish_reason,
            "sampling": sampling,
            "usage": usage,
            "queue_us": queue_us,
            "prefill_us": prefill_us,
            "decode_us": decode_us,
            "server_e2e_us": server_e2e_us,
            "aux_ref": aux_ref,
            "error": failure_of(error),
        }
        try:
            times = Times.until_now(duration_us, started_at_us)
            call = call_of(
                body,
                extra,
                prompt_ids=prompt_ids,
                prompt_prefix_len=prompt_prefix_len,
                prompt_delta_ids=prompt_delta_ids,
                completion_ids=completion_ids,
                completion_logprobs=completion_logprobs,
                weight_spans=weight_spans,
                tool_calls=tool_calls,
            )
        except Exception as wrong:
            attempt.fail("model_call", wrong)
            return attempt.in_turn(lambda _: attempt.lose(), 1)

        def record(index: int) -> None:
            if call_id is None:
                body["call_id"] = f"call-{index}"
            call.place(attempt, segment_id)
            attempt.record(
                "model_call",
                body,
                times,
                segment_id=segment_id,
                extra=call.extra,
                faults=call.faults,
                before=lambda: call.hold(attempt, segment_id),
            )

        return attempt.in_turn(record, 1)

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
        error: Error | None = None,
        output_ref: str | None = None,
        started_at_us: int | None = None,
        duration_us: int | None = None,
        segment_id: str = "main",
        extra: Json | None = None,
    ) -> None:
        """output: what the model was shown, as text or bytes; anything else is kept as JSON. turn: the index that
        model_call returned; None: the last one."""

        def body() -> Json:
            return {
                "call_id": call_id,
                "turn": turn,
                "name": name,
                "executed_arguments": executed_arguments,
                "status": status,
                "output": output if output is None or isinstance(output, (str, bytes)) else json_text(output),
                "output_ref": output_ref,
                "exit_code": exit_code,
                "wait_us": wait_us,
                "exec_us": exec_us,
                "error": failure_of(error),
            }

        self._record("tool_result", body, Times.until_now(duration_us, started_at_us), extra, segment_id=segment_id)

    def phase(self, phase: str, detail: str | None = None) -> AbstractContextManager[None]:
        """Measures what is done in it; an exception that leaves it is kept as its error. Also after the end."""
        if phase == "sandbox_setup":
            self._sandbox.begin()
        return Phase(lambda times, error: self._phase(phase, times, detail, error, None))

    def phase_done(
        self,
        phase: str,
        duration_us: int,
        *,
        detail: str | None = None,
        error: Error | None = None,
        started_at_us: int | None = None,
        extra: Json | None = None,
    ) -> None:
        """The same, measured elsewhere; it has just ended, unless it is said when it began."""
        times = Times.until_now(duration_us, started_at_us)
        if phase == "sandbox_setup":
            self._sandbox.begin(times.duration_us or 0)
        self._phase(phase, times, detail, error, extra)

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
        extra: Json | None = None,
    ) -> None:
        """Also after the end. reward: the same as rewards={"reward": …}; without either there is none, not 0."""

        def body() -> Json:
            named = dict(rewards) if rewards is not None else {}
            if reward is not None:
                named["reward"] = reward
            return {
                "scorer": scorer,
                "scorer_version": scorer_version,
                "status": status,
                "rewards": named,
                "bound_to": bound_to,
                "report_json": report,
            }

        self._record("verdict", body, Times.until_now(duration_us, None), extra, has_place=False)

    def end(
        self,
        reason: str,
        *,
        system: str = "rollstream",
        detail: str | None = None,
        reasons: Sequence[Json] | None = None,
        final_response: str | bytes | None = None,
        env_reward: float | None = None,
        exception: Error | None = None,
        limit: Json | None = None,
        extra: Json | None = None,
    ) -> None:
        """Why the loop ended, in its own words. reasons: further ones, behind it, with raw, system, detail, after_end.
        limit: {"kind", "limit", "used"}. Leaving the block without it records `completed`, or the exception's class."""

        def body() -> Json:
            return {
                "reasons": [{"raw": reason, "system": system, "detail": detail}, *(reasons or ())],
                "final_response": final_response,
                "env_reward": env_reward,
                "exception": failure_of(exception),
                "limit": limit,
            }

        self._end(body, extra)
