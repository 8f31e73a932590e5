"""The program itself, as a process that serves until a test is done with it."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from trajectories import REPOSITORY

NAMED = os.environ.get("ROLLSTREAM_TEST_PROGRAM")
PROGRAM = Path(NAMED or REPOSITORY / "dist" / "src" / "cli" / "main.js")


def settings(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The program takes variables of its name for configuration: it is given none but these."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ROLLSTREAM_")}
    return {**environment, **(more or {})}


@contextmanager
def started_program(
    *argv: str, ready: str, env: Mapping[str, str] | None = None, cwd: str | None = None
) -> Iterator[str]:
    """What it wrote to stderr when it served: the first line that `ready` stands in."""
    child = subprocess.Popen(
        ["node", str(PROGRAM), *argv],
        env=settings(env),
        cwd=cwd,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    said: list[str] = []
    assert child.stderr is not None
    try:
        for line in child.stderr:
            said.append(line)
            if ready in line:
                break
        else:
            pytest.fail(f"it ended before it served: {''.join(said)}")
        # What nobody reads would stop it.
        threading.Thread(target=child.stderr.read, daemon=True).start()
        yield said[-1]
    finally:
        child.send_signal(signal.SIGINT)
        try:
            child.wait(30)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        child.stderr.close()
