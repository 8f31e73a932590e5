"""The program itself, for tests that ask it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from trajectories import REPOSITORY

NAMED = os.environ.get("ROLLSTREAM_TEST_PROGRAM")
PROGRAM = Path(NAMED or REPOSITORY / "dist" / "src" / "cli" / "main.js")


@contextmanager
def served_program(*flags: str, settings: Mapping[str, str] | None = None) -> Iterator[str]:
    """Its url, while it serves a folder of its own."""
    # Whoever names a program wants to see it tested.
    if NAMED is None and (shutil.which("node") is None or not PROGRAM.exists()):
        pytest.skip("the program is not built (npm run build), or there is no node")
    with tempfile.TemporaryDirectory() as data:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("ROLLSTREAM_")}
        child = subprocess.Popen(
            ["node", str(PROGRAM), "up", *flags, "--data", f"{data}/data"],
            env={**environment, **(settings or {})},
            cwd=data,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        said: list[str] = []
        assert child.stderr is not None
        try:
            for line in child.stderr:
                said.append(line)
                if line.startswith("serving at "):
                    break
            else:
                pytest.fail(f"it ended before it served: {''.join(said)}")
            reader = threading.Thread(target=child.stderr.read, daemon=True)
            reader.start()
            yield said[-1].split()[2]
        finally:
            child.send_signal(signal.SIGINT)
            try:
                child.wait(30)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
            child.stderr.close()
