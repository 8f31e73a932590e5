"""Counts what rollouts of NeMo Gym hold, without the project's own code."""

import json
import sys


def model_calls(output):
    """Items of the model in a row are one call, until its tokens stand on one or something else comes."""
    calls, is_open = 0, False
    for item in output:
        is_model = item.get("type") != "function_call_output" and item.get("role", "assistant") == "assistant"
        if is_model and not is_open:
            calls += 1
        is_open = is_model and not item.get("generation_token_ids")
    return calls


def counts(lines):
    total = {"rollouts": 0, "model_calls": 0, "tool_results": 0, "rewards": []}
    for line in lines:
        row = json.loads(line)
        output = (row.get("response") or {}).get("output") or []
        total["rollouts"] += 1
        total["model_calls"] += model_calls(output)
        total["tool_results"] += sum(1 for item in output if item.get("type") == "function_call_output")
        if row.get("reward") is not None and not row.get("_ng_failure_class"):
            total["rewards"].append(row["reward"])
    return {**total, "rewards": sorted(total["rewards"])}


if __name__ == "__main__":
    found = [line for path in sys.argv[1:] for line in open(path, encoding="utf-8") if line.strip()]
    print(json.dumps(counts(found)))
