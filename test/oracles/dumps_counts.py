"""Counts what token dumps hold (slime, SkyRL, NeMo-RL), by the runs of their masks, without the project's own code."""

import itertools
import json
import sys


def calls_of(mask):
    """A call for each run of ones, and one more where zeros (or nothing but a prompt) end it."""
    runs = [value for value, _ in itertools.groupby(mask)]
    return runs.count(1) + (0 if runs and runs[-1] == 1 else 1)


def slime(line):
    for sample in line["samples"] if "samples" in line else [line]:
        mask = sample.get("loss_mask")
        length = sample["response_length"]
        mask = [1] * length if mask is None else mask
        calls = calls_of([0] * (len(sample["tokens"]) - length) + mask)
        reward = sample.get("reward")
        rewards = reward.values() if isinstance(reward, dict) else [reward]
        numbers = [each for each in rewards if isinstance(each, (int, float)) and not isinstance(each, bool)]
        yield calls if sample["tokens"] else int(bool(sample["response"])), numbers


def skyrl(line):
    if line["prompt_token_ids"] and not isinstance(line["prompt_token_ids"][0], list):
        line = {key: [value] for key, value in line.items() if value is not None}
    for i, prompt in enumerate(line["prompt_token_ids"]):
        reward = line["rewards"][i]
        total = sum(reward) if isinstance(reward, list) else reward
        yield calls_of([0] * len(prompt) + line["loss_masks"][i]), [] if total is None else [total]


def nemo_rl(line):
    mask = line["token_loss_mask"][0][: line["input_lengths"][0]]
    reward = line["rewards"][0]
    yield calls_of(mask), [] if reward is None else [reward]


def main(path):
    counts = {"rollouts": 0, "model_calls": 0, "tool_results": 0, "rewards": []}
    with open(path, encoding="utf-8") as lines:
        for text in lines:
            line = json.loads(text)
            kind = nemo_rl if "token_loss_mask" in line else skyrl if "prompt_token_ids" in line else slime
            for calls, rewards in kind(line):
                counts["rollouts"] += 1
                counts["model_calls"] += calls
                counts["rewards"] += rewards
    counts["rewards"].sort()
    print(json.dumps(counts))


main(sys.argv[1])
