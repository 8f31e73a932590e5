"""The program itself, for tests that ask it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest

from started_program import NAMED, PROGRAM, started_program


@contextmanager
def served_program(*flags: str, settings: Mapping[str, str] | None = None) -> Iterator[str]:
    """Its url, while it serves a folder of its own."""
    # Whoever names a program wants to see it tested.
    if NAMED is None and (shutil.which("node") is None or not PROGRAM.exists()):
        pytest.skip("the program is not built (npm run build), or there is no node")
    with (
        tempfile.TemporaryDirectory() as data,
        started_program("up", *flags, "--data", f"{data}/data", ready="serving at ", env=settings, cwd=data) as said,
    ):
        yield said.split()[2]
