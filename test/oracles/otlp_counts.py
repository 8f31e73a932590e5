"""Counts what traces of OpenTelemetry hold, by themselves: python otlp_counts.py FILE …"""

import base64
import json
import sys

CHAT = {"chat", "text_completion", "generate_content", "call_llm"}


def plain(attributes):
    if isinstance(attributes, dict):
        return attributes
    return {pair["key"]: next(iter(pair["value"].values()), None) for pair in attributes}


def spans_of(record):
    if "spans" in record:
        for span in record["spans"]:
            yield span["context"]["trace_id"], span, plain(span["attributes"])
    for group in record.get("resourceSpans", record.get("resource_spans", [])):
        for scoped in group.get("scopeSpans", group.get("scope_spans", [])):
            for span in scoped["spans"]:
                yield span.get("traceId", span.get("trace_id")), span, plain(span.get("attributes", []))


def number(trace):
    if isinstance(trace, int):
        return trace
    return int(trace, 16) if len(trace) == 32 else int.from_bytes(base64.b64decode(trace), "big")


def records_of(path):
    text = open(path, encoding="utf-8").read()
    try:
        whole = json.loads(text)
        return whole if isinstance(whole, list) else [whole]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]


def main(paths):
    conversations, traces = set(), set()
    counts = {"model_calls": 0, "tool_results": 0}
    rewards = []
    for path in paths:
        for record in records_of(path):
            for trace, span, attributes in spans_of(record):
                named = attributes.get("gen_ai.conversation.id")
                (conversations if named else traces).add(named or number(trace))
                operation = attributes.get("gen_ai.operation.name")
                counts["model_calls"] += operation in CHAT
                counts["tool_results"] += operation == "execute_tool"
                for event in span.get("events", []):
                    if event["name"] == "gen_ai.evaluation.result":
                        score = plain(event["attributes"]).get("gen_ai.evaluation.score.value")
                        if score is not None:
                            rewards.append(float(score))
    print(json.dumps({"rollouts": len(conversations) + len(traces), **counts, "rewards": sorted(rewards)}))


main(sys.argv[1:])
