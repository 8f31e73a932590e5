"""The evaluator of strands-env: what it makes of a sample is what is recorded of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from rollstream.integrations.strands import prompt_id_of_sample, record_environment

from fake_recorder import FakeRecorder
from strands_live.adding import adding, says, task
from strands_live.scripted_sglang import ScriptedSGLang


def test_samples_of_a_prompt_are_a_group_and_one_that_was_given_up_is_told(
    sglang: ScriptedSGLang, tokenizer: Any, tmp_path: Path
) -> None:
    from strands_env.eval import Evaluator

    recorder = FakeRecorder()

    async def factory(sample: Any) -> Any:
        env = adding(sglang, tokenizer)
        env.breaks_in = "reset" if sample.id == "p_1" else None
        return record_environment(env, recorder, task=sample, prompt_id=prompt_id_of_sample, group_size=2)

    sglang.script("p", *says("3"))
    evaluator = Evaluator(factory, n_samples_per_prompt=2, max_concurrency=1, output_path=tmp_path / "results.jsonl")
    samples = asyncio.run(evaluator.run([task("p")]))["p"]
    found = {rollout.fields["rollout_id"]: rollout for rollout in recorder.rollouts}
    assert set(found) == {sample.task.id for sample in samples} == {"p_0", "p_1"}
    for sample in samples:
        rollout = found[sample.task.id]
        assert (rollout.fields["group_id"], rollout.fields["group_size"]) == ("p", 2)
        (end,) = rollout.of("end")
        reasons = [end["a"], *(reason["raw"] for reason in end.get("reasons", ()))]
        aborted = ["aborted"] if sample.aborted else []
        assert reasons == [sample.result.termination_reason.value, *aborted]
    assert [sample.aborted for sample in samples] == [False, True]
