"""Tool calls: what the model wrote, what the parser made of it, and what really ran."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from rollstream.integrations.strands import record_environment

from fake_recorder import FakeRecorder, FakeRollout
from strands_live.adding import Adding, adding, calling, says, task
from strands_live.scripted_sglang import ScriptedSGLang


def rolled_out(env: Any) -> FakeRollout:
    recorder = FakeRecorder()
    record_environment(env, recorder)
    asyncio.run(env.rollout(task("t")))
    return recorder.rollouts[0]


def test_a_malformed_call_is_kept_raw_and_a_function_that_refused_it_never_ran(
    sglang: ScriptedSGLang, tokenizer: Any
) -> None:
    sglang.script("t", *says('<tool_call>{"name": "add", "arguments": {oops</tool_call>', "3"))
    rollout = rolled_out(adding(sglang, tokenizer))
    (call,) = rollout.of("model_call")[0]["tool_calls"]
    assert (call["name"], call["parse_status"]) == ("add", "malformed")
    assert call["arguments_raw"] == '{"name": "add", "arguments": {oops'
    assert call["arguments_parsed"] is None
    (result,) = rollout.of("tool_result")
    assert (result["a"], result["turn"], result["name"]) == (call["call_id"], 0, "add")
    assert (result["status"], result["executed_arguments"]) == ("not_executed", None)
    assert "Field required" in result["b"]


def test_a_malformed_call_of_a_tool_that_needs_nothing_ran_without_arguments(
    sglang: ScriptedSGLang, tokenizer: Any
) -> None:
    sglang.script("t", *says('<tool_call>{"name": "now", "arguments": {oops</tool_call>', "3"))
    rollout = rolled_out(adding(sglang, tokenizer))
    assert rollout.of("model_call")[0]["tool_calls"][0]["parse_status"] == "malformed"
    (result,) = rollout.of("tool_result")
    assert (result["b"], result["status"], result["executed_arguments"]) == ("noon", "ok", {})


def test_a_tool_that_ran_is_told_with_its_arguments_and_times(sglang: ScriptedSGLang, tokenizer: Any) -> None:
    sglang.script("t", *says(calling("add", a=1, b=2), "3"))
    rollout = rolled_out(adding(sglang, tokenizer))
    (result,) = rollout.of("tool_result")
    assert (result["b"], result["status"]) == ("3", "ok")
    assert result["executed_arguments"] == {"a": 1, "b": 2}
    assert result["exec_us"] <= result["duration_us"]
    assert result["started_at_us"] >= rollout.of("model_call")[0]["started_at_us"]
    assert rollout.of("model_call")[0]["tool_calls"][0]["parse_status"] == "ok"


def test_a_tool_that_raises_and_one_that_times_out_are_two_things(sglang: ScriptedSGLang, tokenizer: Any) -> None:
    sglang.script("t", *says(calling("divide", a=1, b=0) + calling("divide", a=1, b=-1), "3"))
    results = rolled_out(adding(sglang, tokenizer)).of("tool_result")
    found = {result["executed_arguments"]["b"]: result for result in results}
    assert (found[0]["status"], type(found[0]["error"]).__name__) == ("tool_error", "ZeroDivisionError")
    assert (found[-1]["status"], type(found[-1]["error"]).__name__) == ("timeout", "TimeoutError")
    assert "division" in found[0]["b"]


def test_a_tool_that_there_is_not_never_ran(sglang: ScriptedSGLang, tokenizer: Any) -> None:
    sglang.script("t", *says(calling("subtract", a=1), "3"))
    rollout = rolled_out(adding(sglang, tokenizer))
    assert rollout.of("model_call")[0]["tool_calls"][0]["parse_status"] == "unknown_tool"
    (result,) = rollout.of("tool_result")
    assert (result["status"], result["executed_arguments"]) == ("not_executed", None)


def test_a_name_that_no_tool_can_have_is_answered_and_never_ran(sglang: ScriptedSGLang, tokenizer: Any) -> None:
    sglang.script("t", *says(calling("no such tool!", a=1), "3"))
    rollout = rolled_out(adding(sglang, tokenizer))
    (result,) = rollout.of("tool_result")
    assert (result["status"], result["turn"]) == ("not_executed", 0)
    assert len(rollout.of("model_call")) == 2


def test_calls_above_the_limit_of_parallel_ones_are_cancelled(sglang: ScriptedSGLang, tokenizer: Any) -> None:
    sglang.script("t", *says(calling("add", a=1, b=2) + calling("add", a=3, b=4), "3"))
    results = rolled_out(adding(sglang, tokenizer, max_parallel_tool_calls=1)).of("tool_result")
    assert sorted(result["status"] for result in results) == ["cancelled", "ok"]
    cancelled = next(result for result in results if result["status"] == "cancelled")
    assert (cancelled["executed_arguments"], cancelled["exec_us"]) == (None, None)


def test_a_hosted_model_is_recorded_by_its_messages(sglang: ScriptedSGLang) -> None:
    from strands.models import Model

    class Hosted(Model):
        """One that gives messages, and no tokens."""

        asked = 0

        def update_config(self, **_: Any) -> None: ...

        def get_config(self) -> dict[str, Any]:
            return {}

        async def structured_output(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
            yield {}

        async def stream(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
            self.asked += 1
            yield {"messageStart": {"role": "assistant"}}
            if self.asked == 1:
                yield {"contentBlockStart": {"start": {"toolUse": {"toolUseId": "x", "name": "add"}}}}
                yield {"contentBlockDelta": {"delta": {"toolUse": {"input": '{"a": 1, "b": 2}'}}}}
            else:
                yield {"contentBlockStart": {"start": {}}}
                yield {"contentBlockDelta": {"delta": {"text": "3"}}}
            yield {"contentBlockStop": {}}
            yield {"messageStop": {"stopReason": "tool_use" if self.asked == 1 else "end_turn"}}
            usage = {"inputTokens": 5, "outputTokens": 2, "totalTokens": 7}
            yield {"metadata": {"usage": usage, "metrics": {"latencyMs": 12}}}

    rollout = rolled_out(Adding(model_factory=Hosted))
    first, last = rollout.of("model_call")
    assert (first["extra"]["stop_reason"], last["extra"]["stop_reason"]) == ("tool_use", "end_turn")
    assert first["usage"]["prompt_tokens"] == 5
    assert "completion_ids" not in first
    assert first["tool_calls"] == [{"call_id": "x", "name": "add", "arguments_parsed": {"a": 1, "b": 2}}]
    assert rollout.of("tool_result")[0]["turn"] == 0
    assert rollout.of("end")[0]["a"] == "task_complete"
