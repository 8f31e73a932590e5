"""Counts what results.jsonl of strands-env hold, in any of its three shapes, without the project's own code."""

import json
import sys


def parts(line):
    """messages, tokens, reward."""
    if "step_result" in line:
        result = line["step_result"]
        observation = result["observation"]
        return observation["messages"], observation.get("tokens"), result.get("reward")
    result = line["result"]
    return result["messages"], result.get("rollout"), result.get("reward_result")


def sampled_runs(tokens):
    if not tokens:
        return 0
    if tokens.get("segment_info"):
        return sum(1 for is_output, length in tokens["segment_info"] if is_output and length)
    mask = tokens["loss_mask"]
    return sum(1 for i, bit in enumerate(mask) if bit and (i == 0 or not mask[i - 1]))


def scored(reward):
    """What the verifier said, also of a sample that was aborted: why a loop ended is another fact."""
    if reward is None or reward.get("reward") is None:
        return []
    info = reward.get("info") or {}
    failed = info.get("status") == "error" or info.get("reason") in ("gold_parse_failed", "invalid_ground_truth")
    return [] if failed else [reward["reward"]]


def counts(lines):
    total = {"rollouts": 0, "model_calls": 0, "tool_results": 0, "rewards": []}
    for line in lines:
        messages, tokens, reward = parts(json.loads(line))
        said = sum(1 for message in messages if message["role"] == "assistant")
        blocks = [b for m in messages if m["role"] != "assistant" for b in m["content"]]
        total["rollouts"] += 1
        total["model_calls"] += max(said, sampled_runs(tokens))
        total["tool_results"] += sum(1 for block in blocks if "toolResult" in block)
        total["rewards"] += scored(reward)
    return {**total, "rewards": sorted(total["rewards"])}


if __name__ == "__main__":
    found = [line for path in sys.argv[1:] for line in open(path, encoding="utf-8") if line.strip()]
    print(json.dumps(counts(found)))
