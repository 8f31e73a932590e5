"""Programs of rollstream that stand beside a server: the scripted engine, and the proxy in front of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from started_program import PROGRAM, started_program
from strands_live.conftest import TOKENIZER


@contextmanager
def beside(*argv: str, ready: str) -> Iterator[str]:
    """Its address: the first that it says."""
    if not PROGRAM.exists():
        pytest.skip("the program is not built (npm run build)")
    with started_program(*argv, "--listen", "127.0.0.1:0", ready=ready) as line:
        said = re.search(r"http://[\d.:]+", line)
        assert said is not None, line
        yield said[0]


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
    with beside("conform", "--tokenizer", str(TOKENIZER), "--log", str(log), ready="; Ctrl-C ends") as url:
        yield Engine(url, log)


@contextmanager
def started_proxy(state: Path, upstream: str, server: str, run: str) -> Iterator[str]:
    flags = ["--upstream", upstream, "--server", server, "--run", run, "--state", str(state)]
    with beside("proxy", *flags, ready="stands in front of") as url:
        yield url
