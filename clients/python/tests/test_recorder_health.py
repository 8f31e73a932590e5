"""What a producer tells of itself with each start and end."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rollstream.recording.health import LoopLag

from recording_server import RecordingServer, recording_server


@pytest.fixture
def server() -> Iterator[RecordingServer]:
    with recording_server() as server:
        yield server


def told(server: RecordingServer, rollout_id: str, kind: str) -> dict[str, Any]:
    (event,) = [event for event in server.rollout(rollout_id) if event["kind"] == kind]
    found: dict[str, Any] = json.loads(event["extra_json"])["producer"]
    return found


def test_rollouts_in_flight_are_counted_by_environment(server: RecordingServer, tmp_path: Path) -> None:
    with server.recorder(tmp_path, actor="w0") as recorder:
        with recorder.rollout("t", rollout_id="a"):
            with recorder.rollout("t", rollout_id="b"), recorder.rollout("t", rollout_id="c", env_name="other"):
                pass
            with recorder.rollout("t", rollout_id="d"):
                pass
        assert recorder.flush()
    in_flight = {name: tuple(told(server, name, kind)["in_flight"] for kind in ("start", "end")) for name in "abcd"}
    assert in_flight == {"a": (1, 1), "b": (2, 2), "c": (1, 1), "d": (2, 2)}
    who = {"actor": "w0", "pid": os.getpid(), "host": socket.gethostname()}
    assert told(server, "a", "start") == {**who, "in_flight": 1}
    assert told(server, "a", "end") == {
        **who,
        "in_flight": 1,
        "loop_lag_ms": None,
        "rate_limit_wait_us": 0,
        "sandbox_us": None,
    }


def test_a_loop_that_is_blocked_is_seen_by_the_rollouts_that_were_open(server: RecordingServer, tmp_path: Path) -> None:
    async def run(name: str, blocks_s: float) -> None:
        recorder = server.recorder(tmp_path, sample_every_s=0.005)
        async with recorder, recorder.rollout("t", rollout_id=name):
            await asyncio.sleep(0.02)
            async with recorder.rollout("t", rollout_id=f"{name}-before"):
                await asyncio.sleep(0.02)
            time.sleep(blocks_s)  # noqa: ASYNC251
            await asyncio.sleep(0.02)

    # Each loop has its own timer, which ends with it.
    asyncio.run(run("blocked", 0.2))
    asyncio.run(run("free", 0))
    lag = told(server, "blocked", "end")["loop_lag_ms"]
    assert lag["max"] >= 190 and lag["n"] >= 2 and 0 <= lag["mean"] <= lag["max"]
    assert told(server, "blocked-before", "end")["loop_lag_ms"]["max"] < lag["max"]
    assert told(server, "free", "end")["loop_lag_ms"]["n"] >= 2


class Clock:
    """An event loop whose time a test sets."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[Any] = []

    def time(self) -> float:
        return self.now

    def is_closed(self) -> bool:
        return False

    def call_at(self, when: float, call: Any) -> None:
        self.timers.append((when, call))

    def late(self, lag_s: float) -> None:
        when, call = self.timers.pop()
        self.now = when + lag_s
        call()


def test_mean_and_largest_lag_are_of_the_samples_since_a_rollout_began() -> None:
    clock = Clock()
    lag = LoopLag(clock, 1.0)  # type: ignore[arg-type]
    first = lag.begin()
    for late in (0.5, 0.1, 0.3):
        clock.late(late)
    second = lag.begin()
    for late in (0.2, 0.1):
        clock.late(late)
    third = lag.begin()
    assert lag.since(first) == {"mean": 240.0, "max": 500.0, "n": 5}
    assert lag.since(second) == {"mean": 150.0, "max": 200.0, "n": 2}
    assert lag.since(third) is None
    for _ in range(3):
        lag.end()
    # The last sample; nobody asks for another.
    clock.late(0)
    assert clock.timers == []
    lag.begin()
    assert len(clock.timers) == 1


def test_waits_for_a_rate_limit_and_the_life_of_a_sandbox_are_summed(server: RecordingServer, tmp_path: Path) -> None:
    with server.recorder(tmp_path) as recorder:
        with recorder.rate_limit_wait():
            pass
        with recorder.rollout("t", rollout_id="x") as rollout:
            rollout.phase_done("sandbox_setup", 2_000_000)
            rollout.phase_done("rate_limit", 300)
            with recorder.rate_limit_wait():
                time.sleep(0.001)
            with rollout.phase("rate_limit", "tokens a minute"):
                pass
            rollout.phase_done("cleanup", 10)
            cleaned = rollout._sandbox.us
        assert recorder.flush()
        assert recorder.stats()["rate_limit_wait_us"] >= 1000
    end = told(server, "x", "end")
    assert end["rate_limit_wait_us"] >= 1300
    assert end["sandbox_us"] == cleaned is not None and cleaned >= 2_000_000
    assert [event["phase"]["phase"] for event in server.rollout("x")[1:-1]] == [
        *("sandbox_setup", "rate_limit", "rate_limit", "rate_limit", "cleanup")
    ]
