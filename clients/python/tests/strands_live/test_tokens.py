"""What is recorded of a rollout is what the environment itself holds of it, and what it drops."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path
from typing import Any

import numpy as np

from rollstream.engines import AuxFolder
from rollstream.integrations.strands import prompt_id_of_sample, record_environment

from fake_recorder import FakeRecorder, FakeRollout
from strands_live.adding import END, adding, calling, says, task
from strands_live.scripted_sglang import Sampled, ScriptedSGLang


def rolled_out(env: Any, marker: str, **options: Any) -> tuple[Any, FakeRollout]:
    recorder = FakeRecorder()
    record_environment(env, recorder, **options)

    async def run() -> Any:
        await env.reset()
        try:
            return await env.rollout(task(marker))
        finally:
            await env.cleanup()

    result = asyncio.run(run())
    assert len(recorder.rollouts) == 1
    return result, recorder.rollouts[0]


def test_every_token_and_logprob_is_the_one_that_the_environment_holds(sglang: ScriptedSGLang, tokenizer: Any) -> None:
    # The ids of the first call are of its letters: no encoding of its text would give them.
    first = sglang.split(calling("add", a=1, b=2)) + tokenizer.encode(END)
    sglang.script("p1_0", Sampled(ids=first), *says(calling("add", a=3, b=0), "3"))
    result, rollout = rolled_out(adding(sglang, tokenizer), "p1_0")
    held = result.rollout
    ids: list[int] = []
    mask: list[int] = []
    logprobs: list[float] = []
    for call in rollout.of("model_call"):
        assert call["prompt_ids"][: len(ids)] == ids
        new = len(call["prompt_ids"]) - len(ids)
        ids = [*call["prompt_ids"], *call["completion_ids"]]
        mask += [0] * new + [1] * len(call["completion_ids"])
        logprobs += call["completion_logprobs"]
    assert ids == held.token_ids
    assert mask == held.loss_mask
    assert logprobs == [one for one, sampled in zip(held.logprobs, held.loss_mask, strict=True) if sampled]
    assert ids[held.segment_info[0][1] :][: len(first)] == first
    assert tokenizer.encode(tokenizer.decode(first)) != first


def test_what_the_environment_drops_of_an_answer_is_recorded(sglang: ScriptedSGLang, tokenizer: Any) -> None:
    spans = [{"version": "7", "start": 0, "end": 1}, {"version": "8", "start": 1, "end": 2}]
    sglang.script("p1_0", *says(calling("add", a=1, b=2)), Sampled("3" + END, meta={"weight_versions": spans}))
    _, rollout = rolled_out(adding(sglang, tokenizer), "p1_0")
    first, last = rollout.of("model_call")
    assert [first["call_id"], last["call_id"]] == ["p1_0-0", "p1_0-1"]
    assert first["finish_reason"] == {"type": "stop", "matched": 151645}
    assert (first["weight_spans"], first["extra"]["weight_version_stamped"]) == (
        [{"start": 0, "version": "v1"}],
        "at_output",
    )
    assert last["weight_spans"] == [{"start": 0, "version": "7"}, {"start": 1, "version": "8"}]
    assert (first["extra"]["num_retractions"], last["extra"]["num_retractions"]) == (0, 1)
    assert first["server_e2e_us"] == 125_000
    assert first["raw_text"] == calling("add", a=1, b=2) + END
    assert first["tool_calls"][0]["arguments_parsed"] == {"a": 1, "b": 2}
    assert first["tool_calls"][0]["parser"] == "HermesToolParser"


def test_a_rollout_begins_with_what_is_known_of_it(sglang: ScriptedSGLang, tokenizer: Any) -> None:
    sglang.script("p1_0", *says("3"))
    options: dict[str, Any] = {"prompt_id": prompt_id_of_sample, "group_size": 4, "weights_version": lambda: "v1"}
    _, rollout = rolled_out(adding(sglang, tokenizer, max_tool_calls=5), "p1_0", **options)
    fields = rollout.fields
    assert (fields["task_id"], fields["group_id"], fields["group_size"]) == ("p1", "p1", 4)
    assert (fields["rollout_id"], fields["attempt"], fields["env_name"]) == ("p1_0", 0, "Adding")
    assert fields["prompt"] == "[p1_0] What is 1 + 2?"
    assert fields["task_metadata"] == {"ground_truth": "3", "level": 2}
    assert fields["limits"] == {"max_tool_calls": 5}
    assert fields["weights_version"] == "v1"
    assert [one["function"]["name"] for one in fields["tools"]] == ["add", "divide", "now"]
    assert fields["sampling"]["max_tokens"] == 64
    assert len(fields["tokenizer_sha256"]) == len(fields["template_sha256"]) == 64
    assert [event[0] for event in rollout.events] == [
        "phase_done",
        "message",
        "message",
        "model_call",
        "end",
        "phase_done",
        "verdict",
        "closed",
        "phase_done",
    ]
    assert [one["a"] for one in rollout.of("message")] == ["system", "user"]
    assert [one["a"] for one in rollout.of("phase_done")] == ["sandbox_setup", "verify", "cleanup"]
    assert rollout.of("phase_done")[0]["started_at_us"] == fields["started_at_us"]


def test_without_a_prompt_id_there_is_no_group(sglang: ScriptedSGLang, tokenizer: Any) -> None:
    sglang.script("p1_0", *says("3"))
    _, rollout = rolled_out(adding(sglang, tokenizer), "p1_0", group_size=4)
    fields = rollout.fields
    assert (fields["task_id"], fields["group_id"], fields["group_size"]) == ("p1_0", None, None)


def test_routed_experts_are_written_to_a_folder(sglang: ScriptedSGLang, tokenizer: Any, tmp_path: Path) -> None:
    experts = np.arange(12, dtype="<i4").tobytes()
    meta = {"routed_experts": base64.b64encode(experts).decode()}
    sglang.script("p1_0", Sampled("3" + END, meta=meta))
    aux = AuxFolder(tmp_path, shape=(2, 2))
    result, rollout = rolled_out(adding(sglang, tokenizer, experts=True), "p1_0", aux=aux)
    (call,) = rollout.of("model_call")
    assert call["aux_ref"]["shape"] == [3, 2, 2]
    (kept,) = tmp_path.iterdir()
    assert kept.read_bytes() == base64.b64decode(result.rollout.routed_experts[0])


def test_rollouts_of_one_environment_at_once_do_not_mix(sglang: ScriptedSGLang, tokenizer: Any) -> None:
    sglang.script("p1_0", *says(calling("add", a=1, b=2), "3"))
    sglang.script("p1_1", *says(calling("add", a=10, b=20), "30"))
    recorder, env = FakeRecorder(), adding(sglang, tokenizer)
    record_environment(env, recorder)

    async def run() -> None:
        await asyncio.gather(env.rollout(task("p1_0")), env.rollout(task("p1_1")))

    asyncio.run(run())
    found = {rollout.fields["rollout_id"]: rollout for rollout in recorder.rollouts}
    for marker in ("p1_0", "p1_1"):
        assert [call["call_id"] for call in found[marker].of("model_call")] == [f"{marker}-0", f"{marker}-1"]
        assert len(found[marker].of("tool_result")) == 1
        assert [one["a"] for one in found[marker].of("end")] == ["task_complete"]
