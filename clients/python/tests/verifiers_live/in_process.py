"""A harness of verifiers that asks the model from this process, and its task: no program is installed or started."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import httpx
import pytest
import verifiers.v1 as vf
from verifiers.v1.agent import Agent
from verifiers.v1.clients import TrainClientConfig
from verifiers.v1.configs.agent import AgentConfig
from verifiers.v1.configs.harness import HarnessConfig
from verifiers.v1.configs.task import TaskConfig
from verifiers.v1.configs.taskset import TasksetConfig
from verifiers.v1.envs.single_agent import SingleAgentEnv, SingleAgentEnvConfig
from verifiers.v1.harness import Harness
from verifiers.v1.runtimes import ProgramResult, SubprocessConfig
from verifiers.v1.task import Task, TaskData
from verifiers.v1.taskset import Taskset

TOOLS = [{"type": "function", "function": {"name": "add", "parameters": {"type": "object", "properties": {}}}}]


class InProcess(Harness[HarnessConfig]):
    """Runs `add` as often as the model calls it."""

    EXECUTES_CODE = False
    NEEDS_CONTAINER = False
    APPENDS_SYSTEM_PROMPT = True

    async def launch(
        self, ctx: Any, trace: Any, runtime: Any, endpoint: str, secret: str, mcp_urls: Any, data: Any, **_: Any
    ) -> ProgramResult:
        messages: list[dict[str, Any]] = [{"role": "user", "content": data.prompt}]
        async with httpx.AsyncClient(timeout=60, headers={"authorization": f"Bearer {secret}"}) as client:
            while True:
                asked = {"model": ctx.model, "messages": messages, "tools": TOOLS}
                answer = await client.post(f"{endpoint}/chat/completions", json=asked)
                if answer.status_code != 200:
                    return ProgramResult(1, "", answer.text)
                said = answer.json()["choices"][0]["message"]
                messages.append(said)
                for call in said.get("tool_calls") or ():
                    given = json.loads(call["function"]["arguments"])
                    total = str(given["a"] + given["b"])
                    messages.append({"role": "tool", "tool_call_id": call["id"], "content": total})
                if not said.get("tool_calls"):
                    return ProgramResult(0, "", "")


class Sum(Task):
    @vf.reward()
    async def right(self, trace: Any) -> float:
        return float("3" in trace.last_reply)


def task() -> Sum:
    return Sum(TaskData(idx=0, prompt="What is 1 + 2?"), TaskConfig())


def agent(url: str, tokenizer: str, monkeypatch: pytest.MonkeyPatch) -> Agent:
    """As a trainer has it: prompts are rendered to token ids here, and the engine is handed those."""
    monkeypatch.setattr("verifiers.v1.utils.loaders.load_harness", InProcess)
    return Agent(AgentConfig(model="m", runtime=SubprocessConfig(), client=training_client(url, tokenizer)))


def training_client(url: str, tokenizer: str) -> TrainClientConfig:
    from renderers import Qwen3RendererConfig

    return TrainClientConfig(
        base_url=f"{url}/v1", api_key_var="NO_KEY", renderer=Qwen3RendererConfig(), renderer_model_name=tokenizer
    )


class Sums(Taskset[Sum, TasksetConfig]):
    def load(self) -> Iterator[Sum]:
        yield task()


def environment(monkeypatch: pytest.MonkeyPatch) -> SingleAgentEnv:
    """The environment that every plain taskset has."""
    monkeypatch.setattr("verifiers.v1.utils.loaders.load_harness", InProcess)
    module = ModuleType("sums")
    module.__dict__.update(__all__=["Sums"], Sums=Sums)
    monkeypatch.setitem(sys.modules, "sums", module)
    monkeypatch.setattr("verifiers.v1.env.default_agent_harness", lambda _: HarnessConfig(id="bash"))
    seat = AgentConfig(runtime=SubprocessConfig())
    return SingleAgentEnv(SingleAgentEnvConfig(taskset=TasksetConfig(id="sums"), agent=seat))
