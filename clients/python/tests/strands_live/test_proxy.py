"""Clients as they are, with another base URL: `rollstream proxy` gives them what they have without it, and records."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from strands_sglang import SGLangClient

from strands_live.beside_server import Engine, started_engine, started_proxy
from strands_live.recorded_by_proxy import Call, Store
from strands_live.test_conform import play

# It is not installed where types are checked.
openai = importlib.import_module("openai")

TOOLS = [
    {
        "type": "function",
        "function": {"name": name, "parameters": {"type": "object", "properties": {argument: {"type": "string"}}}},
    }
    for name, argument in (("search", "query"), ("calculator", "expression"))
]
DIALECTS = ("vllm", "sglang")
# Run of calls that name none.
UNNAMED = "strands"
WAYS = ("sync", "sync_streamed", "async", "async_streamed")

Said = dict[str, Any]
Ask = Callable[[list[Any], str], Said | Awaitable[Said]]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with started_engine(tmp_path_factory.mktemp("conform")) as engine:
        yield engine


@pytest.fixture(scope="module")
def proxies(engine: Engine, url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """One in front of each engine that this one plays."""
    with ExitStack() as stack:
        yield {
            dialect: stack.enter_context(
                started_proxy(tmp_path_factory.mktemp(dialect), f"{engine.url}/{dialect}", url, UNNAMED)
            )
            for dialect in DIALECTS
        }


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    store = Store(url)
    yield store
    store.close()


def prompt_of(scenario: str, task: int) -> str:
    """The marker says which script the engine plays."""
    return f"[[rollstream:{scenario}#{task}]] Look it up, do the sum, say the result."


def asker(way: str, base_url: str, dialect: str) -> Ask:
    """Asks as a user of the client does; what it answers with is all that the client was told."""
    given = {"base_url": base_url, "api_key": "none", "max_retries": 0}

    def asked(messages: list[Any], request: str) -> dict[str, Any]:
        # So that two answers to one request are equal: ids of calls follow from it.
        named = {"extra_headers": {"x-request-id": request}} if dialect == "vllm" else {"extra_body": {"rid": request}}
        return {"model": "m", "messages": messages, "tools": TOOLS, **named}

    def sync(messages: list[Any], request: str) -> Said:
        with openai.OpenAI(**given) as client:
            return dict(client.chat.completions.create(**asked(messages, request)).model_dump())

    def sync_streamed(messages: list[Any], request: str) -> Said:
        with openai.OpenAI(**given) as client:
            stream = client.chat.completions.create(**asked(messages, request), stream=True)
            return {"chunks": [chunk.model_dump() for chunk in stream]}

    async def whole(messages: list[Any], request: str) -> Said:
        async with openai.AsyncOpenAI(**given) as client:
            return dict((await client.chat.completions.create(**asked(messages, request))).model_dump())

    async def streamed(messages: list[Any], request: str) -> Said:
        async with openai.AsyncOpenAI(**given) as client:
            stream = await client.chat.completions.create(**asked(messages, request), stream=True)
            return {"chunks": [chunk.model_dump() async for chunk in stream]}

    ways: dict[str, Ask] = {
        "sync": sync,
        "sync_streamed": sync_streamed,
        "async": whole,
        "async_streamed": streamed,
    }
    return ways[way]


def message_of(said: Said) -> Said:
    """The assistant's turn, as it goes into the history."""
    if "chunks" not in said:
        message = said["choices"][0]["message"]
        return {name: message[name] for name in ("role", "content", "tool_calls") if message.get(name)}
    content = ""
    calls: list[Said] = []
    for delta in (choice["delta"] for chunk in said["chunks"] for choice in chunk["choices"]):
        content += delta.get("content") or ""
        for call in delta.get("tool_calls") or []:
            if call["index"] == len(calls):
                calls.append({"id": call["id"], "type": "function", "function": {"name": "", "arguments": ""}})
            for part in ("name", "arguments"):
                calls[call["index"]]["function"][part] += call["function"][part] or ""
    return {"role": "assistant", "content": content, **({"tool_calls": calls} if calls else {})}


async def turns(way: str, base_url: str, dialect: str, task: int) -> list[Said]:
    """All that a loop with tools is told, until nothing is called."""
    ask = asker(way, base_url, dialect)
    messages: list[Any] = [{"role": "user", "content": prompt_of("honest", task)}]
    told: list[Said] = []
    while True:
        said = ask(messages, f"{dialect}-{task}-{len(told)}")
        said = await said if inspect.isawaitable(said) else said
        told.append(said)
        message = message_of(said)
        messages.append(message)
        if "tool_calls" not in message:
            return told
        for call in message["tool_calls"]:
            function = call["function"]
            executed = f"executed {function['name']} {function['arguments']}"
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": executed})


def undated(said: Said) -> Said:
    """Two calls are not made in the same second."""
    if "chunks" in said:
        return {"chunks": [undated(chunk) for chunk in said["chunks"]]}
    return {name: value for name, value in said.items() if name != "created"}


def ended(proxy: str, rollout: str, run: str) -> None:
    body = {"reason": "task_complete", "system": "my-loop", "run_id": run}
    answer = httpx.post(f"{proxy}/v1/rollouts/{rollout}/end", json=body)
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("dialect", DIALECTS)
def test_openai_has_what_it_has_without_the_proxy_and_what_the_engine_sampled_is_recorded(
    dialect: str, engine: Engine, proxies: dict[str, str], store: Store
) -> None:
    run = f"openai-{dialect}"
    before = len(engine.truth())

    async def all_ways(base_url: Callable[[str], str]) -> dict[str, list[Said]]:
        told = await asyncio.gather(*(turns(way, base_url(way), dialect, task) for task, way in enumerate(WAYS)))
        return {way: [undated(said) for said in of] for way, of in zip(WAYS, told, strict=True)}

    direct = asyncio.run(all_ways(lambda _: f"{engine.url}/{dialect}/v1"))
    between = len(engine.truth())
    proxied = asyncio.run(all_ways(lambda way: f"{proxies[dialect]}/r/{run}/{way}/v1"))
    assert proxied == direct
    for way in WAYS:
        ended(proxies[dialect], way, run)
    recorded = store.recorded(run, len(WAYS))

    truth = engine.truth()[between:]
    assert between - before == len(truth) == 3 * len(WAYS)
    for task, way in enumerate(WAYS):
        sampled = [line for line in truth if line["task"] == task]
        of = recorded[way]
        assert of.calls == [Call.of_truth(line) for line in sampled], way
        called = [call for line in sampled for call in line["parsedCalls"]]
        assert of.executed == [json.loads(call["arguments"]) for call in called]
        assert of.results == [f"executed {call['name']} {call['arguments']}" for call in called]
        assert of.ends == [["task_complete"]]
    assert store.are_booked(run, len(WAYS))


def of_strands(sample: Said) -> Said:
    """What a sample of its evaluator says, but for times, and ids that it makes up."""
    result = sample["result"]
    messages = [
        {"role": message["role"], "content": [without_tool_use_ids(block) for block in message["content"]]}
        for message in result["messages"]
    ]
    held = {name: result[name] for name in ("rollout", "termination_reason", "reward_result")}
    return {"task": sample["task"], "aborted": sample["aborted"], "messages": messages, **held}


def without_tool_use_ids(block: Said) -> Said:
    return {
        kind: {name: one for name, one in value.items() if name != "toolUseId"} if isinstance(value, dict) else value
        for kind, value in block.items()
    }


def test_strands_sglang_holds_what_it_holds_without_the_proxy_and_what_the_engine_sampled_is_recorded(
    engine: Engine, proxies: dict[str, str], store: Store, tokenizer: Any, tmp_path: Path
) -> None:
    tasks = [(scenario, task) for scenario in ("honest", "noncanonical_split") for task in (90, 91)]
    lines = [{"task_id": f"{name}#{task}", "prompt": prompt_of(name, task)} for name, task in tasks]

    def held(base_url: str, output: Path) -> list[Said]:
        asyncio.run(play(lines, SGLangClient(base_url, max_retries=0), tokenizer, output))
        samples = [of_strands(json.loads(line)) for line in output.read_text().splitlines()]
        return sorted(samples, key=lambda sample: str(sample["task"]["id"]))

    direct = held(engine.url, tmp_path / "direct.jsonl")
    before = len(engine.truth())
    proxied = held(proxies["sglang"], tmp_path / "proxied.jsonl")
    assert proxied == direct
    # Nothing names its rollouts: they are told apart by what they go on with.
    begun = f"SELECT rollout_id FROM rollstream.steps FINAL WHERE run_id = '{UNNAMED}' AND kind = 'start'"
    for row in store.waited(begun, len(tasks)):
        ended(proxies["sglang"], row["rollout_id"], UNNAMED)
    recorded = store.recorded(UNNAMED, len(tasks))

    truth = engine.truth()[before:]
    sampled = [
        [Call.of_truth(line) for line in truth if (line["scenario"], line["task"]) == of_task] for of_task in tasks
    ]
    assert [len(calls) for calls in sampled] == [3, 3, 3, 3]
    assert in_order(of.calls for of in recorded.values()) == in_order(sampled)
    assert [of.ends for of in recorded.values()] == [[["task_complete"]]] * len(tasks)
    assert store.are_booked(UNNAMED, len(tasks))


def in_order(rollouts: Iterable[list[Call]]) -> list[list[Call]]:
    return sorted(rollouts, key=lambda calls: calls[0].prompt_ids)
