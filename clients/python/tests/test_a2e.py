"""Episodes of A2E are recorded from their messages, as they come."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rollstream.integrations.a2e import A2ERecorder

from fake_recorder import FakeRecorder, FakeRollout
from recording_server import recording_server


class Wire:
    def __init__(self) -> None:
        self.fake = FakeRecorder()
        self.a2e = A2ERecorder(self.fake)
        self.sent = 0

    def send(self, kind: str, **fields: Any) -> str:
        self.sent += 1
        self.a2e.message({"type": kind, "id": f"m{self.sent}", "version": "1.0", "ts": 1.0, **fields})
        return f"m{self.sent}"

    def reset(self, episode: str, **options: Any) -> None:
        asked = self.send("env/reset/req", env_name="shop", seed=7, options=options)
        self.send("env/reset/resp", req_id=asked, obs={"episode_id": episode, "step_num": 0, "state": {"out": "hi"}})

    def step(self, episode: str, action: Any, **obs: Any) -> None:
        asked = self.send("env/step/req", episode_id=episode, action=action)
        observed = {"episode_id": episode, "step_num": 1, "state": {"out": "x"}, "done": False, "truncated": False}
        self.send("env/step/resp", req_id=asked, obs={**observed, **obs})

    @property
    def rollout(self) -> FakeRollout:
        assert self.a2e.faults == 0, self.a2e.last_fault
        return self.fake.rollouts[-1]


@pytest.fixture
def wire() -> Iterator[Wire]:
    yield Wire()


def test_an_episode_is_a_rollout_with_its_calls(wire: Wire) -> None:
    wire.reset("e1", task_id="t", group_id="g", group_size=4)
    answer = {
        "text": "buy",
        "output_ids": [5, 6],
        "meta_info": {
            "id": "r1",
            "finish_reason": {"type": "stop"},
            "output_token_logprobs": [[-1, 5, None], [-2, 6, None]],
        },
    }
    assert wire.a2e.generate("e1", {"input_ids": [1, 2]}, answer) == 0
    wire.step("e1", {"action_type": "buy", "payload": {"item": "tea"}}, reward=0.25)
    wire.step("e1", {"action_type": "stop", "payload": {}}, reward=1.0, done=True)
    closing = wire.send("env/close/req", episode_id="e1")
    assert closing
    wire.send("env/close/resp", closed=True)
    rollout = wire.rollout
    fields = rollout.fields
    assert [fields[name] for name in ("task_id", "group_id", "group_size", "rollout_id", "env_name", "seeds")] == [
        "t",
        "g",
        4,
        "e1",
        "shop",
        {"env": 7},
    ]
    assert [name for name, _, _ in rollout.events] == [
        "phase_done",
        "message",
        "model_call",
        "tool_result",
        "tool_result",
        "end",
        "verdict",
        "phase_done",
    ]
    assert rollout.of("model_call")[0]["completion_ids"] == [5, 6]
    bought = rollout.of("tool_result")[0]
    assert (bought["name"], bought["executed_arguments"], bought["status"]) == ("buy", {"item": "tea"}, "ok")
    assert rollout.of("end")[0]["a"] == "done"
    assert rollout.of("end")[0]["env_reward"] == 1.0
    assert rollout.of("verdict")[0]["rewards"] == {"env_return": 1.25}


@pytest.mark.parametrize(
    ("obs", "reward", "status", "value"),
    [({}, None, "missing", None), ({"reward": None}, None, "missing", None), ({"reward": 0.0}, 0.0, "scored", 0.0)],
)
def test_an_absent_reward_is_not_0(wire: Wire, obs: Any, reward: Any, status: str, value: Any) -> None:
    wire.reset("e1")
    wire.step("e1", {}, done=True, **obs)
    assert wire.rollout.of("end")[0]["env_reward"] == reward
    verdict = wire.rollout.of("verdict")[0]
    assert (verdict["status"], verdict["rewards"]) == (status, {"env_return": value})


def test_an_error_that_nothing_follows_ends_it_in_its_own_word(wire: Wire) -> None:
    wire.reset("e1")
    asked = wire.send("env/step/req", episode_id="e1", action={"action_type": "go", "payload": {}})
    wire.send("error", req_id=asked, code="sandbox_crash", message="gone", retryable=True)
    wire.send("env/close/req", episode_id="e1")
    assert wire.rollout.of("tool_result")[0]["status"] == "sandbox_error"
    end = wire.rollout.of("end")[0]
    assert (end["a"], end["detail"], end["reasons"]) == (
        "sandbox_crash",
        "gone (retryable)",
        [{"raw": "closed", "system": "a2e"}],
    )
    assert wire.rollout.of("verdict") == []


def test_truncated_and_terminal_are_their_own_words(wire: Wire) -> None:
    wire.reset("e1")
    wire.step("e1", {}, done=True, truncated=True)
    assert wire.rollout.of("end")[0]["reasons"] == [{"raw": "truncated", "system": "a2e"}]
    wire.reset("e2")
    wire.send("env/state/push", episode_id="e2", step_id=0, event_type="status", reason="oom", terminal=True)
    end = wire.rollout.of("end")[0]
    assert (end["a"], end["detail"], end["env_reward"]) == ("terminal", "oom", None)


def test_the_same_id_again_is_another_rollout(wire: Wire) -> None:
    wire.reset("e1")
    wire.reset("e1")
    assert [rollout.fields["rollout_id"] for rollout in wire.fake.rollouts] == ["e1", "e1.1"]


def test_nothing_is_raised_into_the_loop(wire: Wire) -> None:
    for broken in ({}, {"type": "env/reset/resp", "obs": {}}, None, 5):
        wire.a2e.message(broken)
    assert wire.a2e.generate("e1", {}, {"unknown": 1}) is None or wire.a2e.faults >= 4
    assert wire.a2e.faults >= 4


def test_what_is_recorded_arrives(tmp_path: Path) -> None:
    with recording_server() as server:
        with server.recorder(tmp_path) as recorder:
            wire = Wire()
            wire.a2e = A2ERecorder(recorder)
            wire.reset("e1", task_id="t")
            meta = {"id": "r1", "output_token_logprobs": [[-1, 5, None]], "weight_version": "8"}
            wire.a2e.generate("e1", {"input_ids": [1, 2]}, {"text": "a", "output_ids": [5], "meta_info": meta})
            wire.step("e1", {"action_type": "buy", "payload": {"item": "tea"}}, reward=1.0, done=True)
            assert recorder.flush()
            assert wire.a2e.faults == 0, wire.a2e.last_fault
        assert server.kinds("e1") == ["start", "phase", "message", "model_call", "tool_result", "end", "verdict"]
        events = {event["kind"]: event for event in server.rollout("e1")}
        assert events["model_call"]["model_call"]["completion_ids"] == struct.pack("<I", 5)
        assert events["end"]["end"]["env_reward"] == 1.0
        assert events["verdict"]["verdict"]["rewards"] == {"env_return": 1.0}
