"""What a server holds of rollouts that were recorded by a proxy, as its SQL tells it."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

import httpx
import numpy as np


@dataclass
class Call:
    prompt_ids: list[int]
    completion_ids: list[int]
    logprobs: list[float]
    finish_reason: Any

    @classmethod
    def of_truth(cls, line: dict[str, Any]) -> Call:
        """As the engine knows it. vLLM, and streams with messages, end with a word, another one after calls."""
        reason = line["finishReason"]
        if line["route"] != "generate" and (line["dialect"] == "vllm" or line["streamed"]):
            reason = "tool_calls" if line["parsedCalls"] else reason["type"]
        return cls(line["promptIds"], line["completionIds"], float32(line["logprobs"]), reason)


@dataclass
class Recorded:
    """A rollout: its calls, with prompts put together from what travelled of them, and what its tools said."""

    calls: list[Call]
    executed: list[dict[str, Any]]
    """The arguments, as the history that the client sends says them."""
    results: list[str]
    ends: list[list[str]]


class Store:
    def __init__(self, url: str) -> None:
        self._http = httpx.Client(base_url=url, timeout=30)

    def close(self) -> None:
        self._http.close()

    def query(self, sql: str) -> list[dict[str, Any]]:
        answer = self._http.post("/v1/query", json={"sql": sql, "format": "json"})
        assert answer.status_code == 200, answer.text
        rows: list[dict[str, Any]] = answer.json()
        return rows

    def waited(self, sql: str, rows: int) -> list[dict[str, Any]]:
        """Once there are so many: what a proxy was told is on its way."""
        until = time.monotonic() + 60
        while len(found := self.query(sql)) < rows:
            assert time.monotonic() < until, found
        return found

    def recorded(self, run: str, rollouts: int) -> dict[str, Recorded]:
        """By rollout, once so many have ended."""
        steps = f"FROM rollstream.steps FINAL WHERE run_id = '{run}'"
        self.waited(f"SELECT rollout_id {steps} AND kind = 'end'", rollouts)
        rows = self.query(
            f"""SELECT rollout_id, kind, segment_id, prompt_prefix_len, prompt_delta_ids, completion_ids,
              completion_logprobs, finish_reason, text, executed_arguments, reasons.raw
            {steps} ORDER BY rollout_id, attempt, seq"""
        )
        held: dict[tuple[str, str], list[int]] = {}
        recorded: dict[str, Recorded] = {}
        for row in rows:
            of = recorded.setdefault(row["rollout_id"], Recorded([], [], [], []))
            if row["kind"] == "end":
                of.ends.append(row["reasons.raw"])
            elif row["kind"] == "tool_result":
                of.results.append(row["text"])
                of.executed.append(json.loads(row["executed_arguments"]))
            elif row["kind"] == "model_call":
                segment = (row["rollout_id"], row["segment_id"])
                prompt = [*held.get(segment, [])[: row["prompt_prefix_len"]], *row["prompt_delta_ids"]]
                held[segment] = [*prompt, *row["completion_ids"]]
                logprobs = float32(row["completion_logprobs"])
                of.calls.append(Call(prompt, row["completion_ids"], logprobs, reason_of(row["finish_reason"])))
        return recorded

    def are_booked(self, run: str, rollouts: int) -> bool:
        """Each started once, none is open any more, and all are in exactly one book."""
        until = time.monotonic() + 60
        while True:
            (books,) = self._http.get("/v1/accounting", params={"run": run}).json()["runs"]
            if books["open"] == 0 or time.monotonic() > until:
                return bool(books["balanced"]) and (books["started"], books["open"]) == (rollouts, 0)


def reason_of(text: str) -> Any:
    """A word, or SGLang's object."""
    return json.loads(text) if text.startswith("{") else text


def float32(values: list[float]) -> list[float]:
    return [float(np.float32(value)) for value in values]
