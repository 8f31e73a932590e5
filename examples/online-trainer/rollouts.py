"""The rollout side: samples with the newest weights, and hands in what happened as step events."""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from pathlib import Path

import httpx
import numpy as np

from policy import LETTERS, PROMPTS, WORDS, Policy, score

GROUP = 8
# Rollouts that wait for the trainer: more would only grow old.
ENOUGH = 2 * 8 * GROUP
POLL_S = 0.05

Event = dict[str, object]


def events_of(
    run: str, group: str, index: int, version: str, word: int, policy: Policy, random: np.random.Generator
) -> list[Event]:
    """One rollout: a start, a model call, what the verifier says, an end."""
    rollout = f"{group}.{index}"
    letters, logprobs = policy.sample(word, random)
    about = {
        "run_id": run,
        "env_name": "spelling",
        "task_id": WORDS[word],
        "group_id": group,
        "group_size": GROUP,
        "rollout_id": rollout,
        "producer_id": "spelling-worker",
        "source": {"format": "rollstream", "version": "1"},
    }
    call = {
        "call_id": "0",
        "prompt_prefix_len": 0,
        "prompt_delta_ids": [PROMPTS[word]],
        "completion_ids": letters,
        "completion_logprobs": logprobs,
        "logprobs_mode": "raw",
        # Which weights sampled which tokens: what they were is how stale the rollout is.
        "weight_spans": [{"start": 0, "version": version}],
        "raw_text": "".join(LETTERS[letter] for letter in letters),
        "finish_reason": "stop",
        "sampling": {"temperature": 1, "top_p": 1},
    }
    verdict = {"scorer": "letters", "status": "scored", "rewards": {"letters": score(word, letters)}}
    end = {"reasons": [{"system": "rollstream", "raw": "task_complete"}]}
    kinds: list[tuple[str, Event]] = [
        ("start", {"start": {"prompt": f"Spell: {WORDS[word]}", "weights_version": version}}),
        ("model_call", {"model_call": call}),
        ("end", {"end": end}),
    ]
    steps = [
        {**about, "seq": seq, "event_id": f"{rollout}.{seq}", "kind": kind, **body}
        for seq, (kind, body) in enumerate(kinds)
    ]
    return [*steps, {**about, "event_id": f"{rollout}.verdict", "kind": "verdict", "verdict": verdict}]


def newest_weights(file: Path) -> tuple[Policy, str] | None:
    """The trainer replaces the file whole."""
    if not file.exists():
        return None
    with np.load(file) as weights:
        return Policy(weights["logits"]), str(weights["version"])


def waiting(url: str, run: str) -> int:
    """Rollouts that are ready and that nobody has taken."""
    answer = httpx.get(f"{url}/v1/runs/{run}/delivery", timeout=30)
    answer.raise_for_status()
    return int(answer.json()["waiting"])


def work(url: str, run: str, folder: Path, rollstream: list[str], groups: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    file = folder / "rollouts.jsonl"
    first = 0
    while True:
        found = newest_weights(folder / "weights.npz")
        if found is None or waiting(url, run) >= ENOUGH:
            time.sleep(POLL_S)
            continue
        policy, version = found
        with file.open("w") as lines:
            for number in range(first, first + groups):
                for index in range(GROUP):
                    word = number % len(WORDS)
                    for event in events_of(run, f"g{number}", index, version, word, policy, random):
                        lines.write(json.dumps(event) + "\n")
        # As any producer's file; it goes to the server that owns the data, and is durable when the command ends.
        command = [*rollstream, "import", str(file), "--quiet", "--data", str(folder / "data")]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        first += groups


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", required=True)
    parser.add_argument("--run", required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--groups", type=int, default=16, help="groups of a file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("rollstream", nargs="+", help="how the program is started")
    options = parser.parse_args()
    work(options.url, options.run, options.folder, options.rollstream, options.groups, options.seed)


if __name__ == "__main__":
    main()
