"""strands-env, with strands-sglang's own client, against `rollstream conform`: what was sent is what they hold."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from strands import tool
from strands_env.core import Environment
from strands_env.core.models import sglang_model_factory
from strands_env.core.types import Task
from strands_env.eval import Evaluator
from strands_sglang import SGLangClient

from started_program import PROGRAM, settings
from strands_live.beside_server import Engine, started_engine

PLAYED = "honest,noncanonical_split,abort_partial,malformed_call"


@tool
def search(query: str = "") -> str:
    """Looks something up."""
    return f"executed search {json.dumps({'query': query} if query else {})}"


@tool
def calculator(expression: str) -> str:
    """Evaluates an expression."""
    return f"executed calculator {json.dumps({'expression': expression})}"


class Tasks(Environment):
    def get_tools(self) -> list[Any]:
        return [search, calculator]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with started_engine(tmp_path_factory.mktemp("conform")) as engine:
        yield engine


def command(*argv: str) -> subprocess.CompletedProcess[str]:
    run = ["node", str(PROGRAM), "conform", *argv]
    return subprocess.run(run, env=settings(), capture_output=True, text=True, check=False)


async def play(tasks: list[dict[str, Any]], client: SGLangClient, tokenizer: Any, output: Path) -> None:
    sampling = {"max_new_tokens": 512}
    model = sglang_model_factory(client=client, tokenizer=tokenizer, sampling_params=sampling, enable_thinking=False)

    async def environment(_: Task) -> Environment:
        return Tasks(model_factory=model, max_tool_iters=8)

    async with client:
        evaluator = Evaluator(environment, keep_rollout=True, output_path=output)
        await evaluator.run([Task(id=line["task_id"], message=line["prompt"]) for line in tasks])


def test_what_the_engine_knows_is_what_the_stack_holds_and_what_it_launders_is_found(
    engine: Engine, tokenizer: Any, tmp_path: Path
) -> None:
    tasks = [json.loads(line) for line in command("tasks", "--scenario", PLAYED).stdout.splitlines()]
    output = tmp_path / "results.jsonl"
    asyncio.run(play(tasks, SGLangClient(engine.url, max_retries=0), tokenizer, output))

    report = command("report", str(engine.log), "--output", os.fspath(output), "--json")
    found = {case["scenario"]: case for case in json.loads(report.stdout)["cases"]}
    assert {scenario: case["verdict"] for scenario, case in found.items()} == {
        "honest": "faithful",
        "noncanonical_split": "faithful",
        "abort_partial": "laundered",
        "malformed_call": "laundered",
    }
    honest = {(one["check"], one["verdict"]) for one in found["honest"]["judgements"]}
    assert honest == {
        ("next_prompt_ids", "faithful"),
        ("recorded_ids", "faithful"),
        ("recorded_logprobs", "faithful"),
        ("arguments", "faithful"),
    }
    laundered = [one["class"] for one in found["malformed_call"]["judgements"] if one["verdict"] == "laundered"]
    assert laundered == ["empty_arguments"]
    assert report.returncode == 1
