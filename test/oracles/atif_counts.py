"""Counts of a folder of ATIF trajectories and Harbor trials, read by themselves: no code of the project.

One JSON object on standard output: rollouts, model calls, tool results (those that name a call) and rewards, sorted.
Usage: atif_counts.py PATH…
"""

import json
import os
import re
import sys


def documents(paths):
    for path in paths:
        if os.path.isdir(path):
            for folder, _, names in os.walk(path):
                yield from documents(os.path.join(folder, name) for name in sorted(names))
        else:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            try:
                yield path, json.loads(text)
            except json.JSONDecodeError:
                for number, line in enumerate(text.splitlines()):
                    if line.strip():
                        yield f"{path}:{number + 1}", json.loads(line)


def trajectories(document):
    """A document and those within it."""
    yield document
    for within in document.get("subagent_trajectories") or []:
        yield from trajectories(within)


def results_of(step):
    return (step.get("observation") or {}).get("results") or []


def main(paths):
    found = dict(documents(paths))
    atif = {path: value for path, value in found.items() if str(value.get("schema_version", "")).startswith("ATIF-")}
    trials = {path: value for path, value in found.items() if "trial_name" in value}
    calls = tools = 0
    sides = set()
    for path, value in atif.items():
        # A continuation and a sub-agent's document are parts of the rollout whose document lies beside them.
        part = re.sub(r"\.(cont-\d+|summarization-[^.]*)\.json$", ".json", path)
        if part != path and part in atif:
            sides.add(path)
        for document in trajectories(value):
            for step in document["steps"]:
                copied = step.get("is_copied_context") is True
                if step["source"] == "agent" and not copied and step.get("llm_call_count") != 0:
                    calls += 1
                if not copied:
                    tools += sum(result.get("source_call_id") is not None for result in results_of(step))
    alone = [
        path
        for path in trials
        if not any(os.path.dirname(other) in (os.path.dirname(path), os.path.join(os.path.dirname(path), "agent")) for other in atif)
    ]
    rewards = []
    for trial in trials.values():
        rewards += ((trial.get("verifier_result") or {}).get("rewards") or {}).values()
    counts = {
        "rollouts": len(atif) - len(sides) + len(alone),
        "model_calls": calls,
        "tool_results": tools,
        "rewards": sorted(rewards),
    }
    print(json.dumps(counts))


if __name__ == "__main__":
    main(sys.argv[1:])
