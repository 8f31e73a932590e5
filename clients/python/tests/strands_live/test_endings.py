"""Why a loop ended, what the engine said last, and what the verifier said stay three facts."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from rollstream.integrations.strands import record_environment

from fake_recorder import FakeRecorder, FakeRollout
from scripted_server import Asked
from strands_live.adding import END, adding, calling, says, task
from strands_live.scripted_sglang import Sampled, ScriptedSGLang


def rolled_out(env: Any, wanted: str = "3", **options: Any) -> tuple[Any, FakeRollout]:
    recorder = FakeRecorder()
    record_environment(env, recorder, **options)
    result = asyncio.run(env.rollout(task("t", wanted)))
    return result, recorder.rollouts[0]


def test_an_abort_that_the_loop_calls_complete_is_both(sglang: ScriptedSGLang, tokenizer: Any) -> None:
    abort = {"type": "abort", "message": "weights are updated", "status_code": None, "err_type": None}
    sglang.script("t", Sampled("It is", finish_reason=abort))
    result, rollout = rolled_out(adding(sglang, tokenizer))
    assert result.termination_reason.value == "task_complete"
    assert rollout.of("end")[0]["a"] == "task_complete"
    assert rollout.of("model_call")[0]["finish_reason"] == abort


def test_tokens_that_run_out_are_a_limit_and_the_cut_text_is_kept(sglang: ScriptedSGLang, tokenizer: Any) -> None:
    cut = calling("add", a=1, b=2)
    sglang.script("t", Sampled(cut, finish_reason={"type": "length", "length": 25}))
    result, rollout = rolled_out(adding(sglang, tokenizer, max_tokens=25))
    (end,) = rollout.of("end")
    assert (end["a"], end["system"]) == ("max_tokens_reached", "strands-env")
    assert type(end["exception"]).__name__ == "MaxTokensReachedException"
    assert end["limit"] == {"kind": "tokens", "limit": 25, "used": None}
    (call,) = rollout.of("model_call")
    assert call["finish_reason"] == {"type": "length", "length": 25}
    # The SDK puts words of its own in the place of the call, and the verifier reads them.
    assert "tool use was incomplete" in str(result.messages[-1])
    assert call["raw_text"] == cut


@pytest.mark.parametrize(
    ("config", "reason", "limit"),
    [
        ({"max_tool_calls": 1}, "max_tool_calls_reached", {"kind": "tool_calls", "limit": 1, "used": 1}),
        ({"max_tool_iters": 1}, "max_tool_iterations_reached", {"kind": "tool_iterations", "limit": 1, "used": 1}),
    ],
)
def test_a_limit_of_tools_is_told_with_what_was_used(
    sglang: ScriptedSGLang, tokenizer: Any, config: dict[str, Any], reason: str, limit: dict[str, Any]
) -> None:
    sglang.script("t", *says(calling("add", a=1, b=2)))
    _, rollout = rolled_out(adding(sglang, tokenizer, **config))
    (end,) = rollout.of("end")
    assert (end["a"], end["limit"]) == (reason, limit)
    assert rollout.of("tool_result")[0]["status"] == "ok"


def test_a_prompt_that_does_not_fit_is_a_call_that_failed_and_leaves_no_token(
    sglang: ScriptedSGLang, tokenizer: Any
) -> None:
    sglang.script("t", *says(calling("add", a=1, b=2)), Sampled("the context length is exceeded", status=400))
    result, rollout = rolled_out(adding(sglang, tokenizer))
    first, failed = rollout.of("model_call")
    assert rollout.of("end")[0]["a"] == "context_window_overflow"
    assert type(failed["error"]).__name__ == "SGLangContextLengthError"
    assert "prompt_ids" not in failed
    assert [*first["prompt_ids"], *first["completion_ids"]] == result.rollout.token_ids
    sent = failed["extra"]["sent"]
    assert sent["prompt_tokens"] == len(result.rollout.token_ids) + len(sent["new_ids"])
    assert "3" in tokenizer.decode(sent["new_ids"])


def test_an_engine_that_is_gone_is_told_with_its_exception(sglang: ScriptedSGLang, tokenizer: Any) -> None:
    sglang.script("t", Sampled("crashed", status=500))
    result, rollout = rolled_out(adding(sglang, tokenizer))
    (end,) = rollout.of("end")
    assert end["a"] == result.termination_reason.value
    assert "crashed" in str(end["exception"])
    assert rollout.of("model_call")[0]["error"] is not None


def test_a_verifier_that_could_not_judge_gave_no_reward(sglang: ScriptedSGLang, tokenizer: Any) -> None:
    sglang.script("t", *says("3"))
    result, rollout = rolled_out(adding(sglang, tokenizer), "error")
    assert result.reward_result.reward == 0.0
    (verdict,) = rollout.of("verdict")
    assert (verdict["status"], verdict["rewards"]) == ("crash", {"reward": None})
    assert verdict["report"]["info"]["error_type"] == "judge_error"
    assert rollout.of("end")[0]["a"] == "task_complete"


def test_a_verifier_that_raises_leaves_the_end_of_the_loop_as_it_was(sglang: ScriptedSGLang, tokenizer: Any) -> None:
    sglang.script("t", *says("3"))
    recorder = FakeRecorder()
    env = record_environment(adding(sglang, tokenizer), recorder)
    with pytest.raises(RuntimeError, match="no judge"):
        asyncio.run(env.rollout(task("t", "raise")))
    (rollout,) = recorder.rollouts
    assert [end["a"] for end in rollout.of("end")] == ["task_complete"]
    assert [verdict["status"] for verdict in rollout.of("verdict")] == ["crash"]
    assert rollout.of("phase_done")[-1]["error"] is not None


def test_where_nobody_judges_there_is_no_verdict_yet(sglang: ScriptedSGLang, tokenizer: Any) -> None:
    sglang.script("t", *says("3"))
    _, rollout = rolled_out(adding(sglang, tokenizer, judge=None))
    assert rollout.of("end")[0]["a"] == "task_complete"
    assert rollout.of("verdict") == []


def test_a_reset_that_fails_is_an_attempt_where_its_task_is_known(sglang: ScriptedSGLang, tokenizer: Any) -> None:
    recorder, env = FakeRecorder(), adding(sglang, tokenizer)
    env.breaks_in = "reset"
    record_environment(env, recorder, task=task("t"))
    with pytest.raises(OSError, match="no sandbox"):
        asyncio.run(env.reset())
    (rollout,) = recorder.rollouts
    (end,) = rollout.of("end")
    assert (end["a"], end["reasons"]) == ("not_terminated", [{"raw": "aborted", "system": "strands-env"}])
    assert isinstance(end["exception"], OSError)
    assert isinstance(rollout.of("phase_done")[0]["error"], OSError)
    assert rollout.of("verdict")[0]["status"] == "not_run"


def test_a_clean_up_that_fails_comes_after_the_end(sglang: ScriptedSGLang, tokenizer: Any) -> None:
    sglang.script("t", *says("3"))
    recorder, env = FakeRecorder(), adding(sglang, tokenizer)
    env.breaks_in = "cleanup"
    record_environment(env, recorder)

    async def run() -> None:
        await env.rollout(task("t"))
        await env.cleanup()

    with pytest.raises(OSError, match="still there"):
        asyncio.run(run())
    name, _, fields = recorder.rollouts[0].events[-1]
    assert (name, str(fields["error"])) == ("phase_done", "it is still there")


def test_a_rollout_that_is_cancelled_from_outside_has_ended(sglang: ScriptedSGLang, tokenizer: Any) -> None:
    recorder, env = FakeRecorder(), adding(sglang, tokenizer)
    asked = asyncio.Event()
    record_environment(env, recorder)

    async def run() -> None:
        loop = asyncio.get_running_loop()

        def answer(_: Asked) -> dict[str, Any]:
            loop.call_soon_threadsafe(asked.set)
            return {}

        sglang.on("POST", "/generate", answer)
        rollout = asyncio.create_task(env.rollout(task("t")))
        await asked.wait()
        rollout.cancel()
        await rollout

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run())
    (end,) = recorder.rollouts[0].of("end")
    assert (end["a"], end["reasons"][0]["raw"]) == ("not_terminated", "aborted")


def test_a_recorder_that_fails_does_not_end_what_it_records(sglang: ScriptedSGLang, tokenizer: Any) -> None:
    class Broken:
        def rollout(self, **_: Any) -> Any:
            raise OSError("the disk is gone")

    sglang.script("t", *says(calling("add", a=1, b=2), "3" + END))
    env = record_environment(adding(sglang, tokenizer), Broken())
    result = asyncio.run(env.rollout(task("t")))
    assert result.termination_reason.value == "task_complete"
    assert result.reward_result.reward == 1.0


def test_an_environment_of_another_release_is_refused_by_name() -> None:
    class Early:
        """It has step() in the place of rollout()."""

        reset = cleanup = model_factory = get_hooks = step = print

    with pytest.raises(ValueError, match="this one has no rollout"):
        record_environment(Early(), FakeRecorder())


def test_an_environment_is_recorded_once(sglang: ScriptedSGLang, tokenizer: Any) -> None:
    env = record_environment(adding(sglang, tokenizer), FakeRecorder())
    with pytest.raises(ValueError, match="recorded already"):
        record_environment(env, FakeRecorder())
