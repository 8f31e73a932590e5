#!/usr/bin/env python3
"""Plays the tasks of `rollstream conform tasks` with verifiers: its agent, its client of OpenAI's route, its traces.

    pip install 'verifiers==0.4.0'
    rollstream conform --tokenizer models/Qwen3-8B &
    rollstream conform tasks > tasks.jsonl
    python with_verifiers.py tasks.jsonl --out traces
    rollstream conform report rollstream-conform.jsonl --output traces/traces.jsonl

The loop that runs the tools is the smallest one there is, and stands here: what is judged is what verifiers sends and keeps.
"""

import argparse
import asyncio
import json
import os
from pathlib import Path
from typing import Any

import httpx
from verifiers.v1.agent import Agent
from verifiers.v1.clients import EvalClientConfig
from verifiers.v1.configs.agent import AgentConfig
from verifiers.v1.configs.harness import HarnessConfig
from verifiers.v1.configs.task import TaskConfig
from verifiers.v1.harness import Harness
from verifiers.v1.runtimes import ProgramResult, SubprocessConfig
from verifiers.v1.task import Task, TaskData
from verifiers.v1.utils import loaders
from verifiers.v1.utils.trace_store import append_trace

from tools import executed

MOST_TURNS = 8
RETRIED = (408, 409, 429, 500, 502, 503, 504)
MOST_TRIES = 5


class Loop(Harness[HarnessConfig]):
    """Asks, runs what was called, asks again; tries again as OpenAI's own client does."""

    EXECUTES_CODE = False
    NEEDS_CONTAINER = False
    APPENDS_SYSTEM_PROMPT = True
    tools: dict[str, list[dict[str, Any]]] = {}

    async def launch(
        self, ctx: Any, trace: Any, runtime: Any, endpoint: str, secret: str, mcp_urls: Any, data: Any, **_: Any
    ) -> ProgramResult:
        messages: list[dict[str, Any]] = [{"role": "user", "content": data.prompt}]
        async with httpx.AsyncClient(timeout=60, headers={"authorization": f"Bearer {secret}"}) as client:
            for _turn in range(MOST_TURNS):
                asked = {"model": ctx.model, "messages": messages, "tools": self.tools[data.prompt]}
                answer = await self.ask(client, f"{endpoint}/chat/completions", asked)
                if answer.status_code != 200:
                    return ProgramResult(1, "", answer.text)
                said = answer.json()["choices"][0]["message"]
                messages.append(said)
                for call in said.get("tool_calls") or ():
                    function = call["function"]
                    try:
                        result = executed(function["name"], json.loads(function["arguments"]))
                    except ValueError as error:
                        result = f"error: the arguments are not valid JSON: {error}"
                    messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
                if not said.get("tool_calls"):
                    break
        return ProgramResult(0, "", "")

    async def ask(self, client: httpx.AsyncClient, url: str, body: dict[str, Any]) -> httpx.Response:
        for left in reversed(range(MOST_TRIES)):
            answer = await client.post(url, json=body)
            if answer.status_code not in RETRIED or left == 0:
                break
            await asyncio.sleep(0.5)
        return answer


async def play(lines: list[dict[str, Any]], url: str, out: Path) -> None:
    Loop.tools = {line["prompt"]: line["tools"] for line in lines}
    loaders.load_harness = Loop  # type: ignore[assignment]
    client = EvalClientConfig(base_url=url, api_key_var="CONFORM_API_KEY")
    config = AgentConfig(model="rollstream-conform", runtime=SubprocessConfig(), client=client)
    lock = asyncio.Lock()
    for at, line in enumerate(lines):
        task = Task(TaskData(idx=at, prompt=line["prompt"]), TaskConfig())
        trace = await Agent(config).run(task)
        await append_trace(out, trace, lock, env="conform")


def main() -> None:
    parser = argparse.ArgumentParser(description="Plays the tasks of rollstream conform with verifiers.")
    parser.add_argument("tasks", type=Path)
    parser.add_argument("--url", default="http://127.0.0.1:8200/v1", help="the engine, or a proxy before it")
    parser.add_argument("--out", type=Path, default=Path("traces"))
    asked = parser.parse_args()
    os.environ.setdefault("CONFORM_API_KEY", "none")
    lines = [json.loads(line) for line in asked.tasks.read_text().splitlines()]
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "traces.jsonl").write_text("")
    asyncio.run(play(lines, asked.url, asked.out))


if __name__ == "__main__":
    main()
