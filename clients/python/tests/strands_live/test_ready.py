"""From a rollout of a real environment to the program, and what the trainer is given of it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from rollstream import Ready, Recorder, Trajectory
from rollstream.integrations.strands import prompt_id_of_sample, record_environment

from strands_live.adding import END, adding, calling, says, task
from strands_live.scripted_sglang import Sampled, ScriptedSGLang

RUN = "strands-live"
ABORT = {"type": "abort", "message": "weights are updated", "status_code": None, "err_type": None}
SPANS = [{"version": "7", "start": 0, "end": 1}, {"version": "8", "start": 1, "end": 2}]


class Recorded:
    """Of each rollout by its id: what the environment returned, and how to ask the program about it."""

    def __init__(self, url: str, sglang: ScriptedSGLang) -> None:
        self.url, self.sglang = url, sglang
        self.results: dict[str, Any] = {}
        self._decided: dict[str, dict[str, Any]] = {}

    def attempt(self, rollout_id: str) -> dict[str, Any]:
        """Once it is decided and audited."""
        if rollout_id in self._decided:
            return self._decided[rollout_id]
        until = time.monotonic() + 20
        while time.monotonic() < until:
            answer = httpx.get(f"{self.url}/v1/rollouts/{rollout_id}", params={"run": RUN})
            if answer.status_code == 200:
                attempt: dict[str, Any] = answer.json()["rollouts"][0]["attempts"][0]
                audited = {one["audit"] for one in attempt["audits"]}
                # Those that need a tokenizer come after the decision.
                if attempt["decision"] is not None and attempt["verdicts"] and audited >= {"template", "reencode"}:
                    return self._decided.setdefault(rollout_id, attempt)
            time.sleep(0.05)
        raise AssertionError(f"{rollout_id} is not decided")

    def findings(self, rollout_id: str, audit: str) -> list[tuple[str, str]]:
        found = self.attempt(rollout_id)["audits"]
        return [(one["result"], one["class"]) for one in found if one["audit"] == audit]


def spelled(sglang: ScriptedSGLang, tokenizer: Any) -> list[int]:
    before, after = "<tool_call>\n", "\n</tool_call>"
    written = calling("add", a=1, b=2).removeprefix(before).removesuffix(after)
    return [*tokenizer.encode(before), *sglang.split(written), *tokenizer.encode(after + END)]


@pytest.fixture(scope="module")
def recorded(url: str, tokenizer: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorded]:
    sglang = ScriptedSGLang(tokenizer)
    found = Recorded(url, sglang)
    scripts: dict[str, tuple[list[Sampled], dict[str, Any], str]] = {
        # The arguments of its first call are spelled letter by letter: no encoding of its text would give them.
        "tools_0": (
            [Sampled(ids=spelled(sglang, tokenizer)), *says("<think>3?</think>3")],
            {},
            "3",
        ),
        "weights_0": (
            [*says(calling("add", a=1, b=2)), Sampled("3" + END, meta={"weight_versions": SPANS})],
            {},
            "3",
        ),
        "refused_0": (says('<tool_call>{"name": "add", "arguments": {oops</tool_call>', "3"), {}, "3"),
        "executed_0": (says('<tool_call>{"name": "now", "arguments": {oops</tool_call>', "3"), {}, "3"),
        "abort_0": ([Sampled("It is", finish_reason=ABORT)], {}, "3"),
        "cut_0": ([Sampled("It is", finish_reason={"type": "length", "length": 2})], {"max_tokens": 2}, "3"),
        "raises_0": (says(calling("divide", a=1, b=0), "3"), {}, "3"),
        "judge_0": (says("3"), {}, "error"),
    }
    with Recorder(url, RUN, spool_dir=tmp_path_factory.mktemp("spool")) as recorder:

        async def run() -> None:
            for marker, (script, config, wanted) in scripts.items():
                sglang.script(marker, *script)
                env = adding(sglang, tokenizer, **config)
                record_environment(env, recorder, prompt_id=prompt_id_of_sample)
                await env.reset()
                found.results[marker] = await env.rollout(task(marker, wanted))
                await env.cleanup()

        asyncio.run(run())
        assert recorder.flush(20)
        stats = recorder.stats()
        assert (stats["refused"], stats["lost"], stats["errors"], stats["misused"]) == (0, 0, 0, 0)
        yield found
    sglang.close()


@pytest.fixture(scope="module")
def trained(recorded: Recorded) -> dict[str, Trajectory]:
    for marker in recorded.results:
        recorded.attempt(marker)
    with Ready(recorded.url, RUN, "trainer-0") as ready:
        return {trajectory.rollout_id: trajectory for batch in ready.rollouts(idle_s=0) for trajectory in batch}


def test_a_trainer_is_given_the_tokens_that_the_environment_holds(
    recorded: Recorded, trained: dict[str, Trajectory]
) -> None:
    assert set(trained) == {"tools_0", "weights_0", "refused_0", "cut_0", "raises_0"}
    for marker, trajectory in trained.items():
        held = recorded.results[marker].rollout
        (segment,) = trajectory.segments
        assert segment.token_ids.tolist() == held.token_ids
        assert segment.sampled_mask.tolist() == held.loss_mask
        assert segment.loss_mask.tolist() == held.loss_mask
        # Where nothing was sampled there is none to learn from; the environment keeps those of the prefill.
        sampled = [logprob if one else 0.0 for logprob, one in zip(held.logprobs, held.loss_mask, strict=True)]
        assert segment.logprobs is not None
        assert segment.logprobs.tolist() == sampled
        assert segment.prompt_len == held.initial_prompt_length


def test_what_the_environment_drops_arrives_too(recorded: Recorded, trained: dict[str, Trajectory]) -> None:
    trajectory = trained["weights_0"]
    first, last = trajectory.turns
    assert (first.call_id, last.call_id) == ("weights_0-0", "weights_0-1")
    assert first.finish_reason == '{"type":"stop","matched":151645}'
    (segment,) = trajectory.segments
    spans = [(span.start, span.version) for span in segment.weight_spans]
    held = recorded.results["weights_0"].rollout
    end = len(held.token_ids)
    assert spans == [(segment.prompt_len, "v1"), (end - 2, "7"), (end - 1, "8")]
    assert trajectory.reward == 1.0
    assert json.loads(trajectory.task_metadata or "") == {"ground_truth": "3", "level": 2}


def test_every_audit_passes(recorded: Recorded) -> None:
    for audit in ("tokens", "template", "tools", "termination", "numbers", "wall", "reencode"):
        assert recorded.findings("weights_0", audit) == [("pass", "")], audit


def test_ids_that_no_encoding_gives_are_told_and_kept(recorded: Recorded) -> None:
    assert recorded.findings("tools_0", "reencode") == [("warn", "bpe_split")]
    assert recorded.findings("tools_0", "tokens") == [("pass", "")]
    assert recorded.findings("tools_0", "template") == [("pass", "")]


def test_an_abort_that_the_loop_calls_complete_is_flagged_and_not_trained(recorded: Recorded) -> None:
    attempt = recorded.attempt("abort_0")
    assert recorded.results["abort_0"].termination_reason.value == "task_complete"
    decision = attempt["decision"]
    assert decision["reason_raw"] == "task_complete"
    assert '"type":"abort"' in decision["finish_reason"]
    # The verifier was not waited for, and what it said is kept.
    assert [verdict["status"] for verdict in attempt["verdicts"]] == ["scored"]
    assert (decision["reason_code"], decision["disposition"]) == ("termination_conflict", "quarantine")
    assert recorded.findings("abort_0", "termination") == [("fail", "termination_conflict")]


def test_a_malformed_call_that_a_function_refused_is_a_warning(recorded: Recorded) -> None:
    assert recorded.findings("refused_0", "tools") == [("warn", "malformed")]
    assert recorded.attempt("refused_0")["decision"]["disposition"] == "train"


def test_a_malformed_call_that_ran_without_arguments_is_not_trained(recorded: Recorded) -> None:
    assert ("fail", "silent_repair") in recorded.findings("executed_0", "tools")
    assert recorded.attempt("executed_0")["decision"]["disposition"] == "quarantine"


def test_tokens_that_ran_out_are_a_budget(recorded: Recorded) -> None:
    decision = recorded.attempt("cut_0")["decision"]
    assert (decision["reason_raw"], decision["reason_code"]) == ("max_tokens_reached", "output_tokens")
    assert '"type":"length"' in decision["finish_reason"]


def test_a_tool_that_raised_is_told_with_its_exception(recorded: Recorded) -> None:
    (step,) = [step for step in recorded.attempt("raises_0")["steps"] if step["kind"] == "tool_result"]
    assert (step["status"], step["error_type"]) == ("tool_error", "ZeroDivisionError")
    assert step["executed_arguments"] == '{"a":1,"b":0}'


def test_a_verifier_that_could_not_judge_is_no_zero(recorded: Recorded) -> None:
    decision = recorded.attempt("judge_0")["decision"]
    assert recorded.results["judge_0"].reward_result.reward == 0.0
    assert (decision["reason_raw"], decision["verifier_status"]) == ("task_complete", "crash")
    assert (decision["disposition"], decision["reward"]) == ("quarantine", None)
