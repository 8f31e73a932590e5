"""Recorded live, against the program itself."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from rollstream import Ready, Recorder

from recording_server import PATIENCE_S, forked


def ready_lines(url: str, run: str, count: int) -> list[dict[str, Any]]:
    """Once so many are ready, in the order of their ids."""
    by = time.monotonic() + PATIENCE_S
    while True:
        lines = httpx.get(f"{url}/v1/ready", params={"run": run, "limit": 1000}).text.splitlines()
        if len(lines) >= count:
            return sorted((json.loads(line) for line in lines), key=lambda line: str(line["rollout_id"]))
        assert time.monotonic() < by, lines
        time.sleep(0.05)


def test_a_rollout_recorded_live_is_ready_with_the_ids_masks_and_logprobs_it_had(url: str, tmp_path: Path) -> None:
    logprobs = np.array([-0.125, -3.7, -1e-7], "<f4")
    with Recorder(url, "live", env_name="calculator", spool_dir=tmp_path) as recorder:
        for number in range(2):
            with recorder.rollout("task-1", group_id="g", group_size=2, rollout_id=f"r{number}") as rollout:
                first = rollout.model_call(
                    prompt_ids=[10, 11],
                    completion_ids=np.array([20 + number, 4_294_967_295, 21]),
                    completion_logprobs=logprobs,
                    logprobs_mode="processed",
                    weight_spans=[(0, "0.0"), (2, "0.1")],
                    finish_reason="tool_calls",
                    tool_calls=[{"call_id": "a", "name": "add", "arguments_raw": "{}", "parse_status": "ok"}],
                )
                rollout.tool_result("a", "3", turn=first, status="ok")
                rollout.model_call(
                    prompt_ids=[10, 11, 20 + number, 4_294_967_295, 21, 30],
                    completion_ids=[22],
                    completion_logprobs=[-0.25],
                    weight_spans=[(0, "0.1")],
                    finish_reason="stop",
                )
            rollout.verdict("exact", reward=float(number))
        assert recorder.flush()
        assert recorder.stats()["refused"] == 0
    for number, found in enumerate(ready_lines(url, "live", 2)):
        (segment,) = found["segments"]
        assert segment["token_ids"] == [10, 11, 20 + number, 4_294_967_295, 21, 30, 22]
        assert segment["sampled_mask"] == segment["loss_mask"] == [0, 0, 1, 1, 1, 0, 1]
        assert np.array(segment["logprobs"], "<f4").tolist() == [0, 0, *logprobs.tolist(), 0, -0.25]
        assert segment["weight_spans"] == [
            *({"start": start, "version": version} for start, version in ((2, "0.0"), (4, "0.1")))
        ]
        assert (found["reward"], found["reasons"][0]["code"]) == (number, "task_complete")
        assert [turn["finish_reason"] for turn in found["turns"]] == ["tool_calls", "stop"]
    with Ready(url, "live", "trainer-0") as ready:
        batch = next(ready.batches(groups=1))
        assert sorted(trajectory.rollout_id for trajectory in batch) == ["r0", "r1"]
        assert batch.trajectories[0].segments[0].token_ids.dtype == np.uint32


def test_a_rewritten_history_becomes_a_derived_segment(url: str, tmp_path: Path) -> None:
    with (
        Recorder(url, "rewritten", env_name="calculator", spool_dir=tmp_path) as recorder,
        recorder.rollout("task-1", rollout_id="x") as rollout,
    ):
        rollout.model_call(prompt_ids=[1, 2], completion_ids=[3, 4], completion_logprobs=[-0.5, -0.25])
        rollout.model_call(prompt_ids=[1, 2, 3, 9], completion_ids=[5], completion_logprobs=[-0.75])
        rollout.verdict("exact", reward=1.0)
    (found,) = ready_lines(url, "rewritten", 1)
    named = {segment["segment_id"]: segment for segment in found["segments"]}
    assert named["main"]["token_ids"] == [1, 2, 3, 4]
    assert (named["main~1"]["token_ids"], named["main~1"]["fork_at"]) == ([1, 2, 3, 9, 5], 3)
    assert named["main~1"]["sampled_mask"] == [0, 0, 1, 0, 1] and named["main~1"]["loss_mask"] == [0, 0, 0, 0, 1]


def test_an_attempt_of_a_killed_producer_closes_and_the_next_is_trained(url: str, tmp_path: Path) -> None:
    read, write = os.pipe()

    def produce() -> None:
        recorder = Recorder(url, "killed", env_name="calculator", spool_dir=tmp_path)
        rollout = recorder.rollout("task-1", rollout_id="x")
        for turn in range(20):
            rollout.model_call(prompt_delta_ids=[1], completion_ids=[turn], completion_logprobs=[-0.5])
        os.write(write, b".")
        signal.pause()

    pid = forked(produce)
    assert os.read(read, 1) == b"."
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    with Recorder(url, "killed", env_name="calculator", spool_dir=tmp_path) as recorder:
        by = time.monotonic() + PATIENCE_S
        while list(tmp_path.iterdir()) != [recorder_folder(tmp_path, recorder)]:
            assert time.monotonic() < by
            time.sleep(0.02)
        with recorder.rollout("task-1", rollout_id="x", attempt=1) as rollout:
            rollout.model_call(prompt_ids=[1], completion_ids=[2], completion_logprobs=[-0.5])
        rollout.verdict("exact", reward=1.0)
    (found,) = ready_lines(url, "killed", 1)
    assert found["attempt"] == 1
    sql = "SELECT reason_code, n_turns FROM rollstream.live_decisions WHERE run_id = 'killed' AND attempt = 0"
    rows = httpx.post(f"{url}/v1/query", json={"sql": sql}).json()
    assert rows == [{"reason_code": "worker_lost", "n_turns": 20}]


def recorder_folder(spool: Path, recorder: Recorder) -> Path:
    named = {json.loads((path / "producer.json").read_text())["producer_id"]: path for path in spool.iterdir()}
    return named[recorder.producer_id]
