#!/usr/bin/env python3
"""Plays the tasks of `rollstream conform tasks` with strands-env, as its evaluator does.

    pip install 'strands-env==0.5.1' 'strands-sglang==0.4.2' 'strands-agents==1.62.0'
    rollstream conform --tokenizer models/Qwen3-8B &
    rollstream conform tasks > tasks.jsonl
    python with_strands.py tasks.jsonl --tokenizer models/Qwen3-8B --out results.jsonl
    rollstream conform report rollstream-conform.jsonl --output results.jsonl
"""

import argparse
import asyncio
import json
from pathlib import Path
from typing import Any

from strands import tool
from strands_env.core import Environment
from strands_env.core.models import sglang_model_factory
from strands_env.core.types import Task
from strands_env.eval import Evaluator
from strands_sglang import SGLangClient
from strands_sglang.tool_parsers import get_tool_parser
from transformers import AutoTokenizer

from tools import executed


@tool
def search(query: str) -> str:
    """Look something up and return what was found."""
    return executed("search", {"query": query})


@tool
def calculator(expression: str) -> str:
    """Evaluate an arithmetic expression and return its value."""
    return executed("calculator", {"expression": expression})


@tool(name="search")
def lenient_search(query: str = "") -> str:
    """Look something up and return what was found."""
    return executed("search", {"query": query} if query else {})


class Tasks(Environment):
    lenient = False

    def get_tools(self) -> list[Any]:
        return [lenient_search if self.lenient else search, calculator]


def main() -> None:
    parser = argparse.ArgumentParser(description="Plays the tasks of rollstream conform with strands-env.")
    parser.add_argument("tasks", type=Path)
    parser.add_argument("--url", default="http://127.0.0.1:8200", help="the engine, or a proxy before it")
    parser.add_argument("--tokenizer", required=True, help="folder of the engine's tokenizer")
    parser.add_argument("--out", type=Path, default=Path("results.jsonl"))
    parser.add_argument(
        "--parser",
        default="hermes",
        choices=("hermes", "qwen_xml", "glm", "kimi_k2"),
        help="of strands-sglang; the engine writes calls for it with --calls (kimi for kimi_k2)",
    )
    parser.add_argument("--thinking", action="store_true", help="as the model's template has it by default")
    parser.add_argument("--lenient", action="store_true", help="search takes a call without its argument")
    asked = parser.parse_args()

    lines = [json.loads(line) for line in asked.tasks.read_text().splitlines()]
    tasks = [Task(id=line["task_id"], message=line["prompt"]) for line in lines]
    asked.out.unlink(missing_ok=True)
    asyncio.run(play(tasks, asked))


async def play(tasks: list[Task], asked: argparse.Namespace) -> None:
    client = SGLangClient(asked.url, timeout=60, retry_delay=0.2)
    model = sglang_model_factory(
        client=client,
        tokenizer=AutoTokenizer.from_pretrained(asked.tokenizer),
        tool_parser=get_tool_parser(asked.parser),
        sampling_params={"max_new_tokens": 1024},
        enable_thinking=asked.thinking,
    )

    async def environment(_: Task) -> Environment:
        env = Tasks(model_factory=model, system_prompt="You use tools.", max_tool_iters=8)
        env.lenient = asked.lenient
        return env

    async with client:
        evaluator = Evaluator(environment, max_concurrency=8, keep_rollout=True, output_path=asked.out)
        await evaluator.run(tasks)


if __name__ == "__main__":
    main()
