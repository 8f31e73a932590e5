"""Programs of rollstream that stand beside a server: the scripted engine, and the proxy in front of it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from served_program import PROGRAM
from strands_live.conftest import TOKENIZER


@contextmanager
def started_program(*argv: str) -> Iterator[str]:
    """Its address: the first that it says. It takes variables of its name for configuration, and is given none."""
    if not PROGRAM.exists():
        pytest.skip("the program is not built (npm run build)")
    settings = {name: value for name, value in os.environ.items() if not name.startswith("ROLLSTREAM_")}
    child = subprocess.Popen(["node", str(PROGRAM), *argv], env=settings, stderr=subprocess.PIPE, text=True)
    assert child.stderr is not None
    try:
        line = child.stderr.readline()
        said = re.search(r"http://[\d.:]+", line)
        assert said is not None, line + child.stderr.read()
        threading.Thread(target=child.stderr.read, daemon=True).start()
        yield said[0]
    finally:
        child.send_signal(signal.SIGINT)
        try:
            child.wait(30)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        child.stderr.close()


@dataclass
class Engine:
    """`rollstream conform`, and what it knows of each call that it answered."""

    url: str
    log: Path

    def truth(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()[1:]]


@contextmanager
def started_engine(folder: Path) -> Iterator[Engine]:
    log = folder / "engine.jsonl"
    with started_program("conform", "--listen", "127.0.0.1:0", "--tokenizer", str(TOKENIZER), "--log", str(log)) as url:
        yield Engine(url, log)


@contextmanager
def started_proxy(state: Path, upstream: str, server: str, run: str) -> Iterator[str]:
    flags = ["--upstream", upstream, "--server", server, "--run", run, "--state", str(state)]
    with started_program("proxy", "--listen", "127.0.0.1:0", *flags) as url:
        yield url
