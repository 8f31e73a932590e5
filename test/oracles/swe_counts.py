"""Counts what trajectories of SWE-agent and mini-swe-agent hold, without the project's own code."""

import json
import sys


def swe_agent(document):
    """The last step of a loop that gave up is no answer; an answer that is asked for again ran nothing."""
    runs = document.get("attempts") or [document]
    for run in runs:
        steps = run["trajectory"]
        status = (run.get("info") or {}).get("exit_status") or ""
        last = steps[-1] if steps else {}
        own = "exit_" in status and last.get("action") == "" and last.get("response") == last.get("thought")
        answers = steps[:-1] if own else steps
        yield len(answers), sum(1 for step in answers if step["action"] or step["observation"])


def mini_swe_agent(document):
    messages = document["messages"] if isinstance(document, dict) else document
    calls = sum(1 for message in messages if message.get("role") == "assistant" or message.get("object") == "response")
    results = 0
    for message in messages:
        extra = message.get("extra") or {}
        if extra.get("interrupt_type") == "FormatError" and ("model_response" in extra or "response" in extra):
            calls += 1
        if message.get("role") == "tool" or message.get("type") == "function_call_output" or "returncode" in extra:
            results += 1
    yield calls, results


def main(path):
    counts = {"rollouts": 0, "model_calls": 0, "tool_results": 0, "rewards": []}
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        documents = [json.loads(text)]
    except json.JSONDecodeError:
        documents = [json.loads(line) for line in text.splitlines()]
    for document in documents:
        is_run = isinstance(document, dict) and ("trajectory" in document or "attempts" in document)
        for calls, results in (swe_agent if is_run else mini_swe_agent)(document):
            counts["rollouts"] += 1
            counts["model_calls"] += calls
            counts["tool_results"] += results
    print(json.dumps(counts))


main(sys.argv[1])
