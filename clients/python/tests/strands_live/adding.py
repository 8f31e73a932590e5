"""An environment as its users write one: tools, a reward function, a reset. Nothing in it knows that it is recorded."""

from __future__ import annotations

import json
from typing import Any

from strands import tool
from strands_env.core import Environment
from strands_env.core.models import sglang_model_factory
from strands_env.core.types import RewardFunction, RewardResult, RolloutResult, Task, TaskContext
from strands_sglang import SGLangClient

from strands_live.scripted_sglang import Sampled, ScriptedSGLang

END = "<|im_end|>"


@tool
def add(a: int, b: int) -> str:
    """Adds two numbers."""
    return str(a + b)


@tool
def divide(a: int, b: int) -> str:
    """Divides two numbers."""
    if b < 0:
        raise TimeoutError("the abacus is slow")
    return str(a // b)


@tool
def now() -> str:
    """Says what time it is."""
    return "noon"


class Judge(RewardFunction):
    """As reward functions of strands-env do, it says in `info` that it could not judge."""

    async def compute(self, task: Task, result: RolloutResult) -> RewardResult:
        wanted = task.context.ground_truth
        if wanted == "raise":
            raise RuntimeError("no judge")
        if wanted == "error":
            return RewardResult(reward=0.0, info={"status": "error", "error_type": "judge_error"})
        right = wanted in (result.final_response or "")
        return RewardResult(reward=float(right), info={"matched": right})


class Adding(Environment):
    breaks_in: str | None = None

    async def reset(self) -> None:
        if self.breaks_in == "reset":
            raise OSError("no sandbox")

    async def cleanup(self) -> None:
        if self.breaks_in == "cleanup":
            raise OSError("it is still there")

    def get_tools(self) -> list[Any]:
        return [add, divide, now]


def adding(sglang: ScriptedSGLang, tokenizer: Any, **config: Any) -> Adding:
    """max_tokens: of a call; judge: None where nobody judges."""
    sampling = {"max_new_tokens": config.pop("max_tokens", 64), "temperature": 0.7}
    experts = config.pop("experts", False)
    client = SGLangClient(sglang.url, max_retries=0)
    factory = sglang_model_factory(
        client=client, tokenizer=tokenizer, sampling_params=sampling, return_routed_experts=experts
    )
    judge = config.pop("judge", Judge())
    return Adding(model_factory=factory, reward_fn=judge, system_prompt="You add.", **config)


def task(marker: str, wanted: str = "3") -> Task:
    """Its marker in the prompt says which script the server follows."""
    return Task(id=marker, message=f"[{marker}] What is 1 + 2?", context=TaskContext(ground_truth=wanted, level=2))


def calling(name: str, **arguments: Any) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


def says(*texts: str) -> list[Sampled]:
    return [Sampled(text + END) for text in texts]
