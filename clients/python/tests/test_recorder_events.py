"""What is recorded arrives as it was given."""

from __future__ import annotations

import array
import inspect
import json
import math
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rollstream import Rollout
from rollstream.recording.container import step_event_schema

from recording_server import STEP_EVENT, RecordingServer, in_threads, recording_server


@pytest.fixture
def server() -> Iterator[RecordingServer]:
    with recording_server() as server:
        yield server


def without_docs(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {key: without_docs(value) for key, value in schema.items() if key != "doc"}
    return [without_docs(value) for value in schema] if isinstance(schema, list) else schema


def ids(*numbers: int) -> bytes:
    return struct.pack(f"<{len(numbers)}I", *numbers)


def test_the_schema_that_is_shipped_is_that_of_the_repository() -> None:
    assert step_event_schema() == without_docs(STEP_EVENT)


def test_every_field_of_every_kind_arrives(server: RecordingServer, tmp_path: Path) -> None:
    sampling = {
        "temperature": 0.7,
        "top_p": 0.9,
        "top_k": -1,
        "max_tokens": 64,
        "seed": 7,
        "extra_json": {"min_p": 0.1},
    }
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "cached_tokens": 1, "reasoning_tokens": 0}
    call = {
        "call_id": "a",
        "name": "add",
        "arguments_raw": '{"x": 1',
        "arguments_parsed": {"x": 1},
        "char_start": 2,
        "char_end": 9,
        "parse_status": "repaired",
        "parser": "hermes",
    }
    aux = {"name": "routed_experts", "uri": "s3://b/k", "sha256": "ab", "shape": [2, 3], "dtype": "int32"}
    start: dict[str, Any] = {
        "tokenizer_id": "tok",
        "tokenizer_sha256": "aa",
        "template_sha256": "bb",
        "weights_version": "0.1",
        "env_image_digest": "sha256:cc",
        "seeds": {"env": 3},
        "sampling": sampling,
        "limits": {"max_tokens": 10, "max_turns": 3, "max_tool_calls": 2, "max_wall_us": 9},
    }
    with server.recorder(tmp_path, actor="w0", producer_id="worker", purpose="eval", epoch=2) as recorder:
        with recorder.rollout(
            "task-1",
            group_id="g",
            group_size=4,
            rollout_id="x",
            attempt=1,
            prompt="add \ud800",
            task_metadata={"answer": 3},
            tools=[{"name": "add"}],
            template_vars={"think": True},
            **start,
            extra={"note": "s"},
        ) as rollout:
            rollout.message("system", [{"type": "text", "text": "\ud83d"}], extra={"name": "judge"})
            index = rollout.model_call(
                call_id="c0",
                model="m",
                replica="r0",
                prompt_ids=[1, 2, 3],
                completion_ids=[4, 5],
                completion_logprobs=[-0.5, -0.25],
                logprobs_mode="raw",
                raw_text="<think>\udfff",
                weight_spans=[(0, "0.1"), {"start": 1, "version": "0.2"}],
                sampling=sampling,
                usage=usage,
                finish_reason={"type": "length", "length": 2},
                queue_us=1,
                prefill_us=2,
                decode_us=3,
                server_e2e_us=7,
                tool_calls=[call],
                aux_ref=aux,
                error=TimeoutError("late"),
                segment_id="sub",
                started_at_us=1_700_000_000_000_000,
                duration_us=8,
                extra={"id": "q"},
            )
            rollout.tool_result(
                call_id="a",
                output="3\n",
                turn=index,
                name="add",
                status="tool_error",
                executed_arguments={"x": 1},
                exit_code=2,
                wait_us=4,
                exec_us=5,
                duration_us=10,
                error={"type": "E", "message": "m"},
                output_ref="s3://o",
            )
            rollout.phase_done("cpu", 11, detail="hash", error="slow", started_at_us=1_700_000_000_000_001)
            rollout.end(
                reason="stop",
                system="mine",
                detail="d",
                final_response="3",
                env_reward=0.5,
                reasons=[{"raw": "late", "system": "mine", "after_end": True}],
                exception=ValueError("no"),
                limit={"kind": "turns", "limit": 3, "used": 3},
            )
        rollout.verdict("exact", rewards={"a": None, "b": 0.0}, reward=1, scorer_version="2", bound_to=0, report=["ok"])
        assert recorder.flush()
        assert {name: recorder.stats()[name] for name in ("recorded", "sent", "errors")} == {
            "recorded": 7,
            "sent": 7,
            "errors": 0,
        }
    events = server.rollout("x")
    identity = {
        "run_id": "r1",
        "purpose": "eval",
        "env_name": "calculator",
        "task_id": "task-1",
        "epoch": 2,
        "group_id": "g",
        "group_size": 4,
        "rollout_id": "x",
        "attempt": 1,
        "producer_id": recorder.producer_id,
    }
    assert recorder.producer_id.startswith("worker-")
    for seq, event in enumerate(events):
        assert {name: event[name] for name in identity} == identity
        assert event["seq"] == (seq if seq < 6 else None)
        assert event["source"]["format"] == "rollstream-python"
    told, said, asked, ran, spent, ended, judged = events
    as_read = {**sampling, "extra_json": '{"min_p":0.1}'}
    assert told["start"] == {
        **start,
        "sampling": as_read,
        "prompt": b"add \xed\xa0\x80",
        "task_metadata_json": '{"answer":3}',
        "tools_json": '[{"name":"add"}]',
        "template_vars_json": '{"think":true}',
    }
    assert json.loads(told["extra_json"])["note"] == "s"
    assert said["message"] == {"role": "system", "parts_json": '[{"type":"text","text":"\\ud83d"}]'}
    assert said["extra_json"] == '{"name":"judge"}'
    assert (asked["segment_id"], asked["duration_us"], asked["extra_json"]) == ("sub", 8, '{"id":"q"}')
    assert asked["started_at"].timestamp() == 1_700_000_000
    assert asked["model_call"] == {
        "call_id": "c0",
        "model": "m",
        "replica": "r0",
        "prompt_prefix_len": 0,
        "prompt_delta_ids": ids(1, 2, 3),
        "completion_ids": ids(4, 5),
        "completion_logprobs": struct.pack("<2f", -0.5, -0.25),
        "logprobs_mode": "raw",
        "weight_spans": [{"start": 0, "version": "0.1"}, {"start": 1, "version": "0.2"}],
        "raw_text": b"<think>\xed\xbf\xbf",
        "finish_reason": '{"type":"length","length":2}',
        "sampling": as_read,
        "usage": usage,
        "queue_us": 1,
        "prefill_us": 2,
        "decode_us": 3,
        "server_e2e_us": 7,
        "tool_calls": [{**call, "arguments_raw": b'{"x": 1', "arguments_parsed": '{"x":1}'}],
        "aux_ref": aux,
        "error": {"type": "TimeoutError", "message": "late"},
    }
    assert ran["tool_result"] == {
        "call_id": "a",
        "turn": 0,
        "name": "add",
        "executed_arguments": '{"x":1}',
        "status": "tool_error",
        "output": b"3\n",
        "output_ref": "s3://o",
        "exit_code": 2,
        "wait_us": 4,
        "exec_us": 5,
        "error": {"type": "E", "message": "m"},
    }
    assert spent["phase"] == {"phase": "cpu", "detail": "hash", "error": {"type": None, "message": "slow"}}
    assert ended["end"] == {
        "reasons": [
            {"raw": "stop", "system": "mine", "detail": "d", "after_end": False},
            {"raw": "late", "system": "mine", "detail": None, "after_end": True},
        ],
        "final_response": b"3",
        "env_reward": 0.5,
        "exception": {"type": "ValueError", "message": "no"},
        "limit": {"kind": "turns", "limit": 3.0, "used": 3.0},
    }
    assert judged["verdict"] == {
        "scorer": "exact",
        "scorer_version": "2",
        "status": "scored",
        "rewards": {"a": None, "b": 0.0, "reward": 1.0},
        "bound_to": 0,
        "report_json": '["ok"]',
    }


def packed(given: Any) -> list[Any]:
    """The same ids in each form they come in."""
    numbers = np.array(given)
    return [
        *(given, tuple(given), numbers, numbers.astype("<u4"), numbers.astype(np.int32), array.array("I", given)),
        *(ids(*given), bytearray(ids(*given)), memoryview(ids(*given)), numbers.repeat(2)[::2]),
    ]


def test_ids_and_logprobs_are_the_same_bits_whatever_holds_them(server: RecordingServer, tmp_path: Path) -> None:
    values = [-0.1, -1e-30, -math.inf]
    bits = struct.pack("<3f", *values)
    logprobs: list[Any] = [values, tuple(values), np.array(values), np.array(values, "<f4"), bits, memoryview(bits)]
    with server.recorder(tmp_path) as recorder, recorder.rollout("t", rollout_id="x") as rollout:
        for form in packed([0, 2**31 - 1, 7]):
            rollout.model_call(prompt_delta_ids=form, prompt_prefix_len=0, completion_ids=form)
        for form in logprobs:
            rollout.model_call(
                prompt_delta_ids=[], prompt_prefix_len=0, completion_ids=[1, 2, 3], completion_logprobs=form
            )
    calls = [event["model_call"] for event in server.rollout("x") if event["kind"] == "model_call"]
    assert {call["prompt_delta_ids"] for call in calls[:10]} == {ids(0, 2**31 - 1, 7)}
    assert {call["completion_ids"] for call in calls[:10]} == {ids(0, 2**31 - 1, 7)}
    assert [call["completion_logprobs"] for call in calls[10:]] == [bits] * len(logprobs)


def test_only_new_tokens_travel_and_a_rewritten_history_is_told_as_such(
    server: RecordingServer, tmp_path: Path
) -> None:
    with server.recorder(tmp_path) as recorder, recorder.rollout("t", rollout_id="x") as rollout:
        rollout.model_call(prompt_ids=[1, 2], completion_ids=[3, 4])
        rollout.model_call(prompt_ids=[1, 2, 3, 4, 5], completion_ids=[6])
        rollout.model_call(prompt_ids=[9], completion_ids=[8], segment_id="sub")
        # The fourth token was rewritten: a derived segment goes on from there.
        rollout.model_call(prompt_ids=[1, 2, 3, 7, 5], completion_ids=[6])
        rollout.model_call(prompt_ids=np.array([1, 2, 3, 7, 5, 6, 8]), completion_ids=[])
        # A call that failed holds nothing.
        rollout.model_call(prompt_ids=[1, 2, 3, 7, 5, 6, 8, 9], error="503")
        rollout.model_call(prompt_ids=[1, 2], completion_ids=[3])
        rollout.model_call(prompt_delta_ids=[4], completion_ids=[5])
        rollout.model_call(prompt_ids=[1, 2, 3, 4, 5], completion_ids=[6])
    calls = [event["model_call"] for event in server.rollout("x") if event["kind"] == "model_call"]
    assert [(call["prompt_prefix_len"], call["prompt_delta_ids"]) for call in calls] == [
        *((0, ids(1, 2)), (4, ids(5)), (0, ids(9)), (3, ids(7, 5)), (6, ids(8)), (7, ids(9))),
        *((2, b""), (3, ids(4)), (5, b"")),
    ]


def test_what_a_field_cannot_hold_is_left_out_and_named(server: RecordingServer, tmp_path: Path) -> None:
    measured: Any = 1.6
    with server.recorder(tmp_path) as recorder:
        with recorder.rollout("t", rollout_id="x", group_size=3) as rollout:
            rollout.model_call(
                prompt_ids=[1],
                completion_ids=[2, 3],
                completion_logprobs=[-0.5, None],
                usage={"prompt_tokens": "many", "tokens": 3},
                logprobs_mode="cooked",
                queue_us=2**60,
            )
            rollout.model_call(prompt_ids=[1], completion_ids=[2], completion_logprobs=[-0.5, -0.5])
            rollout.tool_result("a", {"rows": np.arange(2)}, status="fine", exit_code=np.int64(1), exec_us=measured)
            rollout.verdict("v", reward=math.nan, report={"nan": math.nan, 1: {2}})
        assert recorder.flush()
        assert (recorder.stats()["lost"], recorder.stats()["errors"]) == (0, 7)
    start, missing, other, ran, _, judged = server.rollout("x")
    faults = json.loads(missing["extra_json"])
    assert faults["missing_logprobs"] == 1
    assert [fault.split(":")[0] for fault in faults["recorder_faults"]] == [
        *("'cooked' is none of raw, processed, unknown", "prompt_tokens", "tokens", "queue_us")
    ]
    assert missing["model_call"]["completion_logprobs"] is None
    assert (missing["model_call"]["logprobs_mode"], missing["model_call"]["queue_us"]) == ("unknown", None)
    assert json.loads(other["extra_json"])["recorder_faults"] == ["completion_logprobs: 2 values for 1 tokens"]
    assert start["group_size"] is None
    assert (ran["tool_result"]["output"], ran["tool_result"]["status"]) == (b'{"rows":[0,1]}', "unknown")
    assert (ran["tool_result"]["exit_code"], ran["tool_result"]["exec_us"]) == (1, 2)
    assert math.isnan(judged["verdict"]["rewards"]["reward"])
    assert json.loads(judged["verdict"]["report_json"]) == {"nan": {"$number": "NaN"}, "1": [2]}


@pytest.mark.parametrize(
    "wrong", [[-1], [2**32], [1.5], ["a"], np.array([-1]), np.array([2**32]), np.array([[1]]), b"123", np.array([0.5])]
)
def test_a_call_whose_ids_are_none_leaves_a_gap(server: RecordingServer, tmp_path: Path, wrong: Any) -> None:
    """Recorded without ids it would look like one of a source that has none."""
    with server.recorder(tmp_path) as recorder:
        with recorder.rollout("t", rollout_id="x") as rollout:
            assert rollout.model_call(prompt_ids=[1], completion_ids=wrong) == 0
            assert rollout.model_call(prompt_ids=[1], completion_ids=[2]) == 1
        assert recorder.flush()
        assert (recorder.stats()["lost"], recorder.stats()["errors"]) == (2, 1)
    assert [(event["kind"], event["seq"]) for event in server.rollout("x")] == [("start", 0), ("end", 3)]


def test_threads_of_one_rollout_leave_no_gap_and_no_two_events_in_one_place(
    server: RecordingServer, tmp_path: Path
) -> None:
    with server.recorder(tmp_path) as recorder, recorder.rollout("t", rollout_id="x") as rollout:

        def work(number: int) -> None:
            for turn in range(50):
                index = rollout.model_call(
                    prompt_ids=[number], completion_ids=[turn], segment_id=f"s{number}", call_id=f"{number}/{turn}"
                )
                rollout.tool_result(f"{number}/{turn}", "", turn=index)

        in_threads(8, work)
    events = server.rollout("x")
    assert [event["seq"] for event in events] == [*range(2 + 8 * 50 * 2)]
    calls = [event["model_call"]["call_id"] for event in events if event["kind"] == "model_call"]
    results = [event["tool_result"] for event in events if event["kind"] == "tool_result"]
    assert all(calls[result["turn"]] == result["call_id"] for result in results)


class Odd:
    """Nothing that any argument can be."""

    def __str__(self) -> str:
        raise RuntimeError("not even text")

    __repr__ = __float__ = __index__ = __iter__ = __len__ = __round__ = __str__


def test_whatever_is_handed_in_nothing_is_raised(server: RecordingServer, tmp_path: Path) -> None:
    """Every argument of every method, one after the other."""
    odd: Any = Odd()
    methods: list[tuple[str, list[Any]]] = [
        *(("message", ["user", "x"]), ("model_call", []), ("tool_result", ["a", "x"]), ("phase_done", ["cpu", 1])),
        *(("verdict", ["v"]), ("end", ["done"])),
    ]
    tried = 0
    with server.recorder(tmp_path) as recorder:
        for method, needed in methods:
            for name in inspect.signature(getattr(Rollout, method)).parameters:
                if name == "self":
                    continue
                with recorder.rollout("t", rollout_id=f"{method}.{name}") as rollout:
                    names = list(inspect.signature(getattr(rollout, method)).parameters)[: len(needed)]
                    getattr(rollout, method)(**{**dict(zip(names, needed, strict=True)), name: odd})
                    tried += 1
        for name in inspect.signature(recorder.rollout).parameters:
            with recorder.rollout(**{"task_id": "t", name: odd}) as rollout:
                rollout.message("user", "x")
                tried += 1
        with recorder.rollout("t") as rollout, rollout.phase(odd, odd):
            pass
        assert recorder.flush()
        assert recorder.stats()["errors"] > 60 < tried
