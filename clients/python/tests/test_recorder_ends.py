"""However a rollout ends, and whoever calls: the loop goes on, and what happened is told."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rollstream import BadRequest, Recorder

from recording_server import RecordingServer, forked, record_steps, recording_server, until


@pytest.fixture
def server() -> Iterator[RecordingServer]:
    with recording_server() as server:
        yield server


def end_of(server: RecordingServer, rollout_id: str) -> dict[str, Any]:
    (end,) = [event for event in server.rollout(rollout_id) if event["kind"] == "end"]
    return end


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"url": "localhost:8080"}, "url"),
        ({"run_id": ""}, "run_id"),
        ({"purpose": "training"}, "purpose"),
        ({"token": "a\n"}, "token"),
        ({"epoch": -1}, "epoch"),
        ({"spool_max_bytes": 10}, "spool_max_bytes"),
        ({"sample_every_s": 0}, "sample_every_s"),
        ({"spool_dir": "/dev/null/spool"}, "spool_dir"),
    ],
)
def test_a_wrong_argument_is_named_when_the_recorder_is_made(
    tmp_path: Path, options: dict[str, Any], field: str
) -> None:
    with pytest.raises(BadRequest) as error:
        Recorder(**{"url": "http://127.0.0.1:1", "run_id": "r1", "spool_dir": tmp_path, **options})
    assert error.value.field == field


def test_a_block_that_is_left_ends_its_rollout_and_what_was_raised_goes_on(
    server: RecordingServer, tmp_path: Path
) -> None:
    with server.recorder(tmp_path) as recorder:
        with recorder.rollout("t", rollout_id="done"):
            pass
        with recorder.rollout("t", rollout_id="said") as rollout:
            rollout.end("task_complete", system="strands-env")
        for number, error in enumerate(
            (KeyboardInterrupt(), SystemExit(3), TimeoutError("slow"), json.JSONDecodeError("x", "", 0))
        ):
            with pytest.raises(type(error)), recorder.rollout("t", rollout_id=f"raised-{number}"):
                raise error
        with pytest.raises(ZeroDivisionError), recorder.rollout("t", rollout_id="late") as rollout:
            rollout.end("task_complete")
            raise ZeroDivisionError
    assert [end_of(server, name)["end"]["reasons"][0]["raw"] for name in ("done", "said", "late")] == [
        *("completed", "task_complete", "task_complete")
    ]
    assert end_of(server, "done")["end"]["reasons"][0]["system"] == "rollstream"
    assert end_of(server, "done")["end"]["exception"] is None
    raised = [end_of(server, f"raised-{number}")["end"] for number in range(4)]
    assert [(end["reasons"][0]["raw"], end["reasons"][0]["system"]) for end in raised] == [
        *(("KeyboardInterrupt", "python"), ("SystemExit", "python"), ("TimeoutError", "python")),
        ("JSONDecodeError", "python"),
    ]
    assert [end["exception"]["type"] for end in raised[2:]] == ["TimeoutError", "json.decoder.JSONDecodeError"]
    assert raised[2]["exception"]["message"] == "slow"
    # Behind the end nothing has a place, and the reason stands.
    late = server.rollout("late")[-1]
    assert (late["seq"], late["phase"]["error"]["type"]) == (None, "ZeroDivisionError")


def test_tasks_of_asyncio_end_theirs_by_themselves(server: RecordingServer, tmp_path: Path) -> None:
    async def run() -> None:
        async with server.recorder(tmp_path) as recorder:
            begun = asyncio.Event()

            async def loop(name: str) -> None:
                async with recorder.rollout("t", rollout_id=name) as rollout:
                    for _ in range(3):
                        rollout.model_call(prompt_delta_ids=[1], completion_ids=[2])
                        await asyncio.sleep(0)
                    with recorder.rate_limit_wait():
                        if name == "stuck":
                            begun.set()
                            await asyncio.Event().wait()

            stuck = asyncio.create_task(loop("stuck"))
            await asyncio.gather(*(loop(f"r{number}") for number in range(5)))
            await begun.wait()
            stuck.cancel()
            with pytest.raises(asyncio.CancelledError):
                await stuck
            assert await recorder.aflush()

    asyncio.run(run())
    for number in range(5):
        # The wait is of the task's own rollout.
        assert server.kinds(f"r{number}") == ["start", *["model_call"] * 3, "phase", "end"]
    stopped = server.rollout("stuck")
    assert stopped[-2]["phase"]["error"]["type"] == "asyncio.exceptions.CancelledError"
    assert stopped[-1]["end"]["reasons"] == [
        {"raw": "CancelledError", "system": "python", "detail": None, "after_end": False}
    ]


def test_a_phase_is_measured_and_behind_the_end_it_has_no_place(server: RecordingServer, tmp_path: Path) -> None:
    with server.recorder(tmp_path) as recorder:
        with (
            recorder.rollout("t", rollout_id="x") as rollout,
            pytest.raises(OSError),
            rollout.phase("sandbox_setup", detail="image"),
        ):
            raise OSError("no image")
        with rollout.phase("cleanup"):
            pass
        rollout.end("again")
        rollout.message("user", "a step behind the end is for the pipeline to flag")
        assert recorder.flush() and recorder.stats()["misused"] == 2
    _, setup, end, late, cleanup = server.rollout("x")
    assert (setup["seq"], end["seq"], late["seq"], cleanup["seq"]) == (1, 2, 3, None)
    assert setup["phase"] == {
        "phase": "sandbox_setup",
        "detail": "image",
        "error": {"type": "OSError", "message": "no image"},
    }
    assert setup["duration_us"] >= 0 and setup["started_at"] <= setup["ended_at"]
    assert json.loads(cleanup["extra_json"])["producer"]["sandbox_us"] >= setup["duration_us"]


def test_what_is_recorded_after_close_is_counted_and_told_once(
    server: RecordingServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    recorder = server.recorder(tmp_path)
    left = recorder.rollout("t", rollout_id="open")
    left.message("user", "hello")
    recorder.close()
    recorder.close()
    with caplog.at_level(logging.WARNING, "rollstream"), recorder.rollout("t", rollout_id="late") as rollout:
        rollout.message("user", "x")
        left.message("user", "x")
        rollout.verdict("v", reward=1.0)
    assert recorder.stats()["after_close"] == 5
    assert [record.message.split(" (")[0] for record in caplog.records] == [
        "recorded after the recorder was closed: lost"
    ]
    assert end_of(server, "open")["end"]["reasons"][0]["raw"] == "recorder_closed"
    assert server.rollout("late") == [] and list(tmp_path.iterdir()) == []


def test_a_child_after_fork_is_a_producer_of_its_own(server: RecordingServer, tmp_path: Path) -> None:
    with server.recorder(tmp_path) as recorder:
        shared = recorder.rollout("t", rollout_id="parent")
        shared.message("user", "before")
        read, write = os.pipe()

        def child() -> None:
            # Of the parent's: counted, and nothing else.
            shared.message("user", "from the child")
            record_steps(recorder, "child", 2)
            is_sent = recorder.flush()
            counts = recorder.stats()
            os.write(write, json.dumps([is_sent, recorder.producer_id, counts["misused"], counts["recorded"]]).encode())
            recorder.close()

        pid = forked(child)
        is_sent, child_id, misused, recorded = json.loads(os.read(read, 10_000))
        assert os.waitpid(pid, 0)[1] == 0
        shared.message("user", "after")
        shared.end("completed")
    assert (is_sent, misused, recorded) == (True, 1, 4)
    assert [event["producer_id"] for event in server.rollout("child")] == [child_id] * 4
    assert [event["seq"] for event in server.rollout("parent")] == [0, 1, 2, 3]
    assert {event["producer_id"] for event in server.rollout("parent")} == {recorder.producer_id} != {child_id}
    assert server.ended == [] and list(tmp_path.iterdir()) == []


def test_a_signal_handler_records_in_the_middle_of_a_record(server: RecordingServer, tmp_path: Path) -> None:
    with server.recorder(tmp_path) as recorder, recorder.rollout("t", rollout_id="x") as rollout:
        seen = [0]

        def handler(*_: object) -> None:
            seen[0] += 1
            rollout.model_call(prompt_ids=[7], completion_ids=[seen[0]], segment_id="handler")
            recorder.flush(0)

        before = signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
        try:
            by = time.monotonic() + 20
            turns = 0
            while (seen[0] < 200 or turns < 200) and time.monotonic() < by:
                rollout.model_call(prompt_ids=[*range(turns + 1)], completion_ids=[turns + 1])
                rollout.message("user", "x")
                turns += 1
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
    events = server.rollout("x")
    assert [event["seq"] for event in events] == [*range(2 + 2 * turns + seen[0])]
    calls = [event["model_call"] for event in events if event["segment_id"] == "main" and event["kind"] == "model_call"]
    assert [call["prompt_prefix_len"] for call in calls] == [0, *range(2, turns + 1)]


def test_an_interrupt_within_a_record_does_not_lose_or_repeat_it(server: RecordingServer, tmp_path: Path) -> None:
    class Stop(BaseException):
        pass

    def handler(*_: object) -> None:
        raise Stop

    with server.recorder(tmp_path) as recorder, recorder.rollout("t", rollout_id="x") as rollout:
        before = signal.signal(signal.SIGALRM, handler)
        stopped = turns = 0
        by = time.monotonic() + 10
        try:
            while stopped < 40 and time.monotonic() < by:
                try:
                    signal.setitimer(signal.ITIMER_REAL, 0.0003)
                    while True:
                        rollout.model_call(prompt_delta_ids=[1], completion_ids=[2])
                        turns += 1
                except Stop:
                    stopped += 1
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
    events = server.rollout("x")
    assert [event["seq"] for event in events] == [*range(len(events))]
    calls = [event["model_call"] for event in events if event["kind"] == "model_call"]
    assert turns <= len(calls) <= turns + stopped
    assert [call["prompt_prefix_len"] for call in calls] == [*range(0, 2 * len(calls), 2)]


def test_a_disk_that_is_full_leaves_events_in_memory_and_the_rest_is_lost(
    server: RecordingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = threading.Event()
    taken = server.take
    server.on("POST", "/v1/steps", lambda asked: taken(asked) if held.is_set() else server.fails(503))
    is_full = [True]

    def full(fd: int, data: bytes, offset: int) -> int:
        if is_full[0]:
            # Part of it is written, as a disk that fills up does.
            if len(data) > 8:
                write(fd, data[:8], offset)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(fd, data, offset)

    with server.recorder(tmp_path, memory_max_bytes=4096) as recorder:
        record_steps(recorder, "before", 1)
        write = os.pwrite
        monkeypatch.setattr(os, "pwrite", full)
        record_steps(recorder, "memory", 2)
        record_steps(recorder, "lost", 40)
        is_full[0] = False
        record_steps(recorder, "after", 1)
        counts = recorder.stats()
        held.set()
        assert recorder.flush()
        until(lambda: recorder.stats()["sent"] == counts["recorded"])
    assert counts["kept_in_memory"] > 4 and counts["lost"] > 20
    for name, calls in (("before", 1), ("memory", 2), ("after", 1)):
        assert server.kinds(name) == ["start", *["model_call"] * calls, "end"]
    assert [event["seq"] for event in server.rollout("lost")] != [*range(42)]
