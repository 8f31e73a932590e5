"""What is recorded of a run is what its trace holds, with the tokens that the engine was given and gave."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from verifiers.v1.clients import ModelContext

from rollstream.integrations.verifiers import record_agent, record_env

from fake_recorder import FakeRecorder, FakeRollout
from scripted_server import Answer, Asked, ScriptedServer
from strands_live.conftest import TOKENIZER
from verifiers_live.in_process import agent, environment, task, training_client

CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call><|im_end|>'


class ScriptedVllm(ScriptedServer):
    """vLLM's /inference/v1/generate: token ids in, token ids and their logprobs out."""

    def __init__(self) -> None:
        from transformers import AutoTokenizer

        super().__init__()
        self.encode = AutoTokenizer.from_pretrained(str(TOKENIZER)).encode
        self.says: list[tuple[str, str]] = []
        self.on("GET", "/v1/models", lambda _: {"object": "list", "data": []})
        self.on("POST", "/inference/v1/generate", self._generate)

    def _generate(self, asked: Asked) -> Answer | dict[str, Any]:
        text, reason = self.says.pop(0)
        if reason == "error":
            return Answer({"error": {"message": text, "type": "BadRequestError"}}, 400)
        ids = self.encode(text)
        logprobs = [{"token": f"token_id:{token}", "logprob": -0.1 - token / 1e6} for token in ids]
        choice = {"index": 0, "token_ids": ids, "logprobs": {"content": logprobs}, "finish_reason": reason}
        usage = {"prompt_tokens": len(asked.body["token_ids"]), "completion_tokens": len(ids), "total_tokens": 0}
        return {"request_id": "r", "choices": [choice], "usage": usage}


@pytest.fixture(scope="module")
def vllm() -> Iterator[ScriptedVllm]:
    server = ScriptedVllm()
    yield server
    server.close()


def run(server: ScriptedVllm, monkeypatch: pytest.MonkeyPatch, *says: tuple[str, str]) -> tuple[Any, FakeRollout]:
    server.says = list(says)
    recorder = FakeRecorder()
    runner = record_agent(agent(server.url, str(TOKENIZER), monkeypatch), recorder, group_id=lambda _: "sums")
    trace = asyncio.run(runner.run(task()))
    (rollout,) = recorder.rollouts
    assert rollout.fields["rollout_id"] == trace.id
    return trace, rollout


def test_tokens_and_logprobs_are_those_of_the_trace_and_of_the_engine(
    vllm: ScriptedVllm, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = len(vllm.of("/inference/v1/generate"))
    trace, rollout = run(vllm, monkeypatch, (CALL, "stop"), ("<think>\nok\n</think>\n\n3<|im_end|>", "stop"))
    assert trace.ok, trace.errors
    calls = rollout.of("model_call")
    sent = [asked.body["token_ids"] for asked in vllm.of("/inference/v1/generate")[begun:]]
    assert [call["prompt_ids"] for call in calls] == sent
    (branch,) = trace.branches
    ids = [*calls[-1]["prompt_ids"], *calls[-1]["completion_ids"]]
    assert ids == branch.token_ids
    spread = [0.0] * len(ids)
    for call in calls:
        at = len(call["prompt_ids"])
        spread[at : at + len(call["completion_ids"])] = call["completion_logprobs"]
    assert spread == branch.logprobs


def test_calls_tools_and_rewards_are_recorded_with_their_names(
    vllm: ScriptedVllm, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, rollout = run(vllm, monkeypatch, (CALL, "stop"), ("3<|im_end|>", "stop"))
    assert rollout.fields["group_id"] == "sums"
    first, last = rollout.of("model_call")
    (call,) = first["tool_calls"]
    assert (call["name"], json.loads(call["arguments_parsed"])) == ("add", {"a": 1, "b": 2})
    assert (first["finish_reason"], last["finish_reason"]) == ("tool_calls", "stop")
    (result,) = rollout.of("tool_result")
    assert (result["a"], result["b"], result["turn"], result["name"]) == (call["call_id"], "3", 0, "add")
    names = [event[0] for event in rollout.events]
    assert names.index("end") < names.index("verdict")
    assert rollout.of("end")[0]["reason"] == "agent_completed"
    assert rollout.of("verdict")[0]["rewards"] == {"right": 1.0}
    assert [one["a"] for one in rollout.of("phase_done")] == ["sandbox_setup", "agent_setup", "cleanup", "verify"]


def test_an_engine_that_refuses_is_a_call_that_failed_and_no_reward(
    vllm: ScriptedVllm, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace, rollout = run(vllm, monkeypatch, ("no such model", "error"))
    assert not trace.ok
    (call,) = rollout.of("model_call")
    assert call["error"]["type"] == "ProviderError"
    assert "completion_ids" not in call
    (end,) = rollout.of("end")
    assert (end["reason"], end["system"]) == (trace.stop_condition, "verifiers")
    assert end["exception"]["type"] == trace.last_error.type
    assert rollout.of("verdict")[0]["status"] == "not_run"


def test_traces_of_an_episode_are_recorded_and_seen_by_whoever_else_looks(
    vllm: ScriptedVllm, monkeypatch: pytest.MonkeyPatch
) -> None:
    vllm.says = [(CALL, "stop"), ("4<|im_end|>", "stop")]
    recorder, seen, changes = FakeRecorder(), list[Any](), list[Any]()
    env = record_env(environment(monkeypatch), recorder, env_name="sums")
    context = ModelContext(model="m", client=training_client(vllm.url, str(TOKENIZER)))

    def minted(trace: Any) -> None:
        seen.append(trace)
        recorded = trace._on_change

        def changed(trace: Any) -> None:
            changes.append(len(trace.calls))
            recorded(trace)

        trace.watch(changed)

    episode = asyncio.run(env.run_episode(task(), context, on_trace=minted))
    assert episode.ok
    assert [trace.id for trace in episode.traces] == [trace.id for trace in seen]
    assert max(changes) == 2
    (rollout,) = recorder.rollouts
    assert (rollout.fields["rollout_id"], rollout.fields["env_name"]) == (seen[0].id, "sums")
    assert len(rollout.of("model_call")) == 2
    assert rollout.of("verdict")[0]["rewards"] == {"right": 0.0}


def test_an_agent_is_recorded_once(vllm: ScriptedVllm, monkeypatch: pytest.MonkeyPatch) -> None:
    runner = record_agent(agent(vllm.url, str(TOKENIZER), monkeypatch), FakeRecorder())
    with pytest.raises(ValueError, match="is recorded already"):
        record_agent(runner, FakeRecorder())
