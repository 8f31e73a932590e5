"""Counts what result files of verifiers hold, of either kind, without the project's own code."""

import json
import sys


def row_counts(row):
    completion = row.get("completion")
    messages = completion if isinstance(completion, list) else []
    calls = sum(1 for message in messages if message["role"] == "assistant")
    scored = row.get("error") is None and row.get("reward") is not None
    if row.get("reward") == 0 and row.get("metrics") == {}:
        scored = False
    return {
        "rollouts": 1,
        "model_calls": 1 if isinstance(completion, str) else calls,
        "tool_results": sum(1 for message in messages if message["role"] == "tool"),
        "rewards": [row["reward"]] if scored else [],
    }


def is_answer(nodes, node):
    """Below a sampled message."""
    parent = node.get("parent")
    while parent is not None:
        if nodes[parent]["sampled"]:
            return True
        parent = nodes[parent].get("parent")
    return False


def trace_counts(trace):
    nodes = trace["nodes"]
    failed = [call for call in trace.get("calls", []) if call.get("node") is None and call.get("error")]
    tools = [node for node in nodes if node["message"]["role"] == "tool" and is_answer(nodes, node)]
    rewards = trace.get("rewards", {}) if trace["ok"] and trace.get("stop_condition") != "scoring_timeout" else {}
    return {
        "rollouts": 1,
        "model_calls": sum(1 for node in nodes if node["sampled"]) + len(failed),
        "tool_results": len(tools),
        "rewards": [reward["score"] * reward.get("weight", 1) for reward in rewards.values() if reward],
    }


def counts(lines):
    total = {"rollouts": 0, "model_calls": 0, "tool_results": 0, "rewards": []}
    for line in lines:
        record = json.loads(line)
        for each in map(trace_counts, record["traces"]) if "traces" in record else [row_counts(record)]:
            total = {key: total[key] + each[key] for key in total}
    return {**total, "rewards": sorted(total["rewards"])}


if __name__ == "__main__":
    found = [line for path in sys.argv[1:] for line in open(path, encoding="utf-8") if line.strip()]
    print(json.dumps(counts(found)))
