"""Rollouts of the task "say the digit again" as step events, and how they get into rollstream."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from policy import MAX_TOKENS, WORDS, Sampled, sample

Event = dict[str, Any]


def events_of(
    policy: Any,
    *,
    run: str,
    version: str,
    groups: int,
    size: int,
    temperature: float,
    generator: torch.Generator,
) -> Iterator[Event]:
    """`groups` prompts, `size` rollouts each; the reward is the share of the four tokens that are the digit."""
    digits = torch.randint(0, 10, (groups,), generator=generator).tolist()
    prompts = [[WORDS.index(str(digit)), WORDS.index("=")] for digit in digits for _ in range(size)]
    for at, sampled in enumerate(sample(policy, prompts, temperature, generator)):
        group = f"{version}-{at // size}"
        rollout = {
            "run_id": run,
            "env_name": "say-again",
            "task_id": f"digit-{digits[at // size]}",
            "group_id": group,
            "group_size": size,
            "rollout_id": f"{group}-{at % size}",
        }
        yield from _events(rollout, prompts[at], sampled, version, temperature)


def _events(rollout: Event, prompt: list[int], sampled: Sampled, version: str, temperature: float) -> Iterator[Event]:
    correct = sampled.ids.count(prompt[0]) / MAX_TOKENS
    call = {
        "call_id": "0",
        "prompt_delta_ids": prompt,
        "completion_ids": sampled.ids,
        "completion_logprobs": sampled.logprobs,
        "logprobs_mode": "processed",
        "weight_spans": [{"start": 0, "version": version}],
        "raw_text": " ".join(WORDS[each] for each in sampled.ids),
        "finish_reason": "stop" if sampled.ended else "length",
    }
    reason = "task_complete" if sampled.ended else "max_tokens_reached"
    sampling = {"temperature": temperature, "max_tokens": MAX_TOKENS}
    parts: list[Event] = [
        {"kind": "start", "start": {"prompt": WORDS[prompt[0]], "sampling": sampling, "weights_version": version}},
        {"kind": "model_call", "model_call": call},
        {"kind": "end", "end": {"reasons": [{"raw": reason, "system": "strands-env"}]}},
        {"kind": "verdict", "verdict": {"scorer": "count", "status": "scored", "rewards": {"correct": correct}}},
    ]
    for seq, part in enumerate(parts):
        now = time.time_ns() // 1000
        yield {
            **rollout,
            "seq": None if part["kind"] == "verdict" else seq,
            "event_id": f"{rollout['rollout_id']}.{seq}",
            "producer_id": "sampler",
            "started_at": now,
            "ended_at": now,
            "source": {"format": "rollstream", "version": "1"},
            **part,
        }


def send(events: Iterator[Event], command: Sequence[str], data: str) -> None:
    """Into the log of the server that owns the data folder, by `rollstream import -`."""
    lines = "".join(f"{json.dumps(event)}\n" for event in events)
    import_it = [*command, "import", "-", "--format", "rollstream", "--keep-open", "--quiet", "--json", "--data", data]
    done = subprocess.run(import_it, input=lines, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"rollstream import: exit code {done.returncode}\n{done.stdout}{done.stderr}")
