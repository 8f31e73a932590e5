"""The five lines of README.md, as they stand there, against the program with the example rollouts."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from recording_server import recording_server
from trajectories import REPOSITORY

README = REPOSITORY / "clients" / "python" / "README.md"
SERVED = "http://127.0.0.1:8080"
PATIENCE_S = 30
# What README says is the trainer's own.
TRAINER = """
import json
optimizer_step = 0
def step(arrays):
    global optimizer_step
    optimizer_step += 1
    print(json.dumps({
        "advantages": [round(float(value), 5) for value in arrays["advantages"]],
        "rewards": float(arrays["rewards"].sum()),
        "loss_tokens": int(arrays["loss_mask"].sum()),
        "shapes": sorted({arrays[name].shape for name in ("token_ids", "loss_mask", "logprobs")}),
    }), flush=True)
"""


def the_lines(path: Path) -> list[str]:
    """The first block of Python of a page."""
    found = re.search(r"```python\n(from rollstream import Ready\n.*?)```", path.read_text(), re.DOTALL)
    assert found is not None
    return found[1].splitlines()


def code(lines: list[str]) -> list[str]:
    return [line.split("#")[0].rstrip() for line in lines]


def test_other_pages_begin_with_the_same_lines() -> None:
    expected = code(the_lines(REPOSITORY / "README.md"))
    assert len(expected) == 4
    assert code(the_lines(REPOSITORY / "docs" / "delivery.md")) == expected
    assert code(the_lines(README)) == expected


def test_the_lines_of_the_readme_train_all_of_an_example_run(url: str) -> None:
    text = "\n".join(the_lines(REPOSITORY / "README.md"))
    assert text.count(SERVED) == 1
    beside = REPOSITORY / "examples" / "rollouts" / "math" / "expected.json"
    expected: list[dict[str, Any]] = json.loads(beside.read_text())["rollouts"]
    child = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", f"{TRAINER}\n{text.replace(SERVED, url)}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stdout is not None
        steps = [json.loads(child.stdout.readline()) for _ in range(2)]
        trained_by = time.monotonic() + PATIENCE_S
        while (states := states_of(url))["trained"] < len(expected):
            assert time.monotonic() < trained_by, states
        # Everything is trained: it waits for more.
        assert child.poll() is None
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=PATIENCE_S)
    finally:
        child.kill()
    assert said.splitlines()[-1] == "KeyboardInterrupt"
    assert states_of(url) == {**dict.fromkeys(states, 0), "trained": 64}
    assert [len(each["advantages"]) for each in steps] == [32, 32]
    assert [len(each["shapes"]) for each in steps] == [1, 1]
    found = sorted(advantage for each in steps for advantage in each["advantages"])
    assert found == pytest.approx(sorted(each["advantage"] for each in expected), abs=2e-5)
    assert sum(each["rewards"] for each in steps) == sum(each["reward"] for each in expected)
    assert sum(each["loss_tokens"] for each in steps) == sum(each["sampled_tokens"] for each in expected)


def test_the_lines_that_record_do_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLSTREAM_SPOOL_DIR", str(tmp_path))
    found = re.search(r"```python\n(from rollstream import Recorder\n.*?)```", README.read_text(), re.DOTALL)
    assert found is not None and found[1].count(SERVED) == 1
    answer = SimpleNamespace(ids=[3], logprobs=[-0.5], version="0.0", finish_reason="stop")
    names = {
        "task_id": "task-1",
        "question": "1 + 2?",
        "prompt_ids": [1, 2],
        "tool": lambda _: "3",
        "engine": SimpleNamespace(generate=lambda _: answer),
    }
    with recording_server() as server:
        exec(found[1].replace(SERVED, server.url), names)
    events = sorted(server.events.values(), key=lambda event: (event["seq"] is None, event["seq"]))
    assert [event["kind"] for event in events] == ["start", "model_call", "tool_result", "end", "verdict"]


def states_of(url: str) -> dict[str, int]:
    states: dict[str, int] = httpx.get(f"{url}/v1/runs/math/delivery").json()["ready_states"]
    return states
