"""Holds `rollstream ready` against the source file, read here without any of rollstream's code.

usage: check_ready.py {nemo-gym,strands-env} SOURCE.jsonl READY.jsonl
Each ready trajectory must have the source's token ids, masks and sampled logprobs (as float32), and 0 where nothing was sampled.
Prints the number of trajectories compared; exits 1 at the first difference.
"""
import json
import struct
import sys


def float32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def nemo_sequences(row):
    """Flat ids, mask and logprobs of a row whose prompts each extend what is held; turns as (start, end)."""
    ids, mask, logprobs, turns = [], [], [], []
    for item in row["response"]["output"]:
        if "generation_token_ids" not in item:
            continue
        prompt, sampled = item["prompt_token_ids"], item["generation_token_ids"]
        if prompt[: len(ids)] != ids:
            return None
        added = prompt[len(ids) :]
        ids = prompt + sampled
        mask += [0] * len(added) + [1] * len(sampled)
        logprobs += [0.0] * len(added) + [float32(x) for x in item["generation_log_probs"]]
        turns.append((len(prompt), len(ids)))
    return ids, mask, logprobs, turns


def strands_sequences(row):
    result = row.get("result") or row["step_result"]
    rollout = result.get("rollout") or (result.get("observation") or {}).get("tokens")
    if not rollout or not rollout["token_ids"]:
        return None
    ids, mask = rollout["token_ids"], rollout["loss_mask"]
    logprobs = [float32(p) if m else 0.0 for p, m in zip(rollout["logprobs"], mask)]
    turns, at = [], 0
    for sampled, length in rollout["segment_info"]:
        if sampled:
            turns.append((at, at + length))
        at += length
    return ids, mask, logprobs, turns


def rows_of(path):
    with open(path, encoding="utf-8-sig") as file:
        for line in file:
            try:
                yield json.loads(line)
            except json.JSONDecodeError:
                continue  # a torn line: rollstream refuses it as well


def expected(form, path):
    found = {}
    for row in rows_of(path):
        if form == "nemo-gym":
            agent = (row.get("agent_ref") or {}).get("name")
            name = f"{agent}/{row['_ng_task_index']}/{row['_ng_rollout_index']}" if "_ng_task_index" in row else None
            sequence = nemo_sequences(row) if "response" in row else None
        else:
            name, sequence = row["task"]["id"], strands_sequences(row)
        if name is not None and sequence is not None:
            found.setdefault(name, []).append(sequence)
    return found


def main():
    form, source, ready = sys.argv[1:4]
    wanted, compared = expected(form, source), 0
    for trajectory in rows_of(ready):
        candidates = wanted.get(trajectory["rollout_id"])
        if candidates is None or trajectory["segment_count"] != 1:
            continue
        (segment,) = trajectory["segments"]
        turns = [(turn["start"], turn["end"]) for turn in trajectory["turns"] if turn["end"] > turn["start"]]
        got = segment["token_ids"], segment["sampled_mask"], [float32(x) for x in segment["logprobs"]], turns
        if not any(got == (ids, mask, logprobs, ends) for ids, mask, logprobs, ends in candidates):
            sys.exit(f"{trajectory['rollout_id']} differs from {source}")
        compared += 1
    print(compared)


main()
