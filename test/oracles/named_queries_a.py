"""What the named queries of failures, rewards and audits should say, in plain Python over exported rows.

In: one JSON object on stdin, with the rows of `terms`, `lanes`, `released`, `attempts`, `decisions`, `audits`, `calls` (steps of
kind model_call) and `trajectories`, each key once, those of replays and dead owners among them. Out: one JSON object, by query
the list of its rows.
"""

import json
import math
import re
import sys
from collections import Counter, defaultdict

READY = ("train", "train_masked", "penalise")
WORST = ["not_auditable", "pass", "warn", "fail"]
Z = 1.96


def key(row):
    return row["run_id"], row["unit"], row["rollout_id"], row["attempt"]


def hour(time):
    return None if time is None else time[:13] + ":00:00"


def grouped(rows, by):
    groups = defaultdict(list)
    for row in rows:
        groups[by(row)].append(row)
    return groups


def rewards(rows):
    return [row["reward"] for row in rows if row["reward_valid"] and row["reward"] is not None]


def mean(values):
    values = [value for value in values if value is not None]
    return sum(values) / len(values) if values else None


def pick(values, level):
    """The value at that share of the sorted ones: one that was given, none in between."""
    return sorted(values)[math.floor(level * len(values))] if values else None


def wilson(hits, n):
    """Ends of the interval: roots of (p - x)^2 = z^2 x (1 - x) / n."""
    a, b, c = 1 + Z * Z / n, -(2 * hits / n + Z * Z / n), (hits / n) ** 2
    root = math.sqrt(max(0.0, b * b - 4 * a * c))
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def last(rows):
    return max(rows, key=lambda row: (row["decided_at"], row["partition"], row["offset"], row["rollout_id"]))["rollout_id"]


def bucket(value, bounds, names):
    order = sum(1 for bound in bounds if value >= bound)
    return names[order], order


LENGTHS = [256, 1024, 4096, 16384, 65536], ["below 256", "256 to 1 Ki", "1 to 4 Ki", "4 to 16 Ki", "16 to 64 Ki", "64 Ki and more"]
TURNS = [1, 2, 4, 8, 16, 32, 64], ["0", "1", "2 to 3", "4 to 7", "8 to 15", "16 to 31", "32 to 63", "64 and more"]
OWNERS = {
    "policy_failure": "policy", "env_fault": "env", "infra_fault": "infra", "harness_fault": "harness",
    "verifier_fault": "verifier", "budget": "budget", "completion": "completion", "cancelled": "cancelled",
}
# Findings by which the record is not what was sampled or executed, by audit.
OF_HARNESS = set(
    "pipeline_drift history_rewritten replaced render_drift tool_json_rerender prefix_beyond_held usage_mismatch pad_row "
    "routing_misaligned oov_id bos_duplicated bos_missing bos_mid_sequence separator_missing separator_malformed "
    "header_malformed unknown_role text_outside_turn gen_prompt_missing gen_prompt_malformed system_missing "
    "system_inserted end_of_turn_doubled end_of_turn_missing sampled_after_end_of_turn control_token_in_observation "
    "tool_turn_format tool_turn_unmatched tool_call_lost_in_history think_stripped think_prefill_in_completion "
    "think_rewrapped orphan_think_close html_escape double_encoded_arguments special_token_mismatch template_vars "
    "silent_repair args_lost argument_coerced coerced think_call_executed executed_without_call parser_loss "
    "call_not_executed malformed_not_fed_back duplicate_tool_event unanswered_call termination_conflict steps_after_end "
    "logprob_invalid logprob_positive logprob_constant logprob_tail_padding logprob_shift_suspected "
    "logprob_support_mismatch weight_spans_gap version_backwards "
    .split()
)
OWN_COLUMNS = ["malformed", "silent_repair", "args_lost", "think_call_executed", "parser_loss"]


def owned(data):
    """Whether a row counts: it is live, and below what its owner had read when the next one took over."""
    frontiers = {(row["topic"], row["partition"]): row for row in data["lanes"]}
    terms = {(row["topic"], row["partition"], row["term"]): row["restored"] for row in data["terms"]}

    def counts(row):
        lane = frontiers.get((row["topic"], row["partition"]))
        if row["replay_id"] != "" or lane is None or (row["topic"], row["partition"], row["term"]) not in terms:
            return False
        if row["term"] == lane["term"]:
            return row["offset"] < lane["frontier"]
        # An owner whose successor nobody knows restored nothing.
        restored = terms.get((row["topic"], row["partition"], row["term"] + 1), 0)
        return row["term"] < lane["term"] and row["offset"] < min(restored, lane["frontier"])

    return counts


class Rows:
    def __init__(self, data):
        counts = owned(data)
        for name in ("attempts", "decisions", "audits", "calls", "trajectories"):
            data[name] = [row for row in data[name] if counts(row)]
        self.released = {key(row) for row in data["released"]}
        self.attempts = data["attempts"]
        self.all = data["decisions"]
        self.decided = [row for row in self.all if row["disposition"] != "superseded"]
        self.failed = [row for row in self.decided if row["disposition"] not in READY]
        self.by_key = {key(row): row for row in self.all}
        self.audits = data["audits"]
        self.trajectories = {key(row): row for row in data["trajectories"]}
        self.calls = {}
        for of, rows in grouped(data["calls"], key).items():
            self.calls[of] = sorted(rows, key=lambda row: row["seq"])
        # One word an attempt and audit: the worst that was said, and all that was found.
        self.said = defaultdict(lambda: [0, set()])
        for row in self.audits:
            said = self.said[key(row), row["audit"]]
            said[0] = max(said[0], WORST.index(row["result"]))
            if row["class"] != "":
                said[1].add((row["class"], row["severity"]))

    def model(self, of):
        return ", ".join(sorted({call["model"] for call in self.calls.get(of, []) if call["model"]}))

    def flow(self):
        books = defaultdict(Counter)
        for row in self.attempts:
            books[row["run_id"], hour(row["started_at"])]["started"] += 1
        for row in self.all:
            disposition = row["disposition"]
            if disposition == "drop" and row["reason_code"] == "lost":
                book = "lost"
            elif disposition in READY:
                book = "held" if row["held"] and key(row) not in self.released else "ready"
            else:
                book = "superseded" if disposition == "superseded" else "rejected"
            books[row["run_id"], hour(row["started_at"])][book] += 1
        for (run, at), book in books.items():
            out = {name: book[name] for name in ("started", "ready", "rejected", "lost", "superseded", "held")}
            out["open"] = book["started"] - book["ready"] - book["rejected"] - book["lost"] - book["superseded"]
            yield {"run_id": run, "hour": at, **out}

    def failures(self):
        names = ["run_id", "hour", "env_name", "model", "reason", "category", "disposition"]
        counts = Counter(
            (row["run_id"], hour(row["ended_at"]), row["env_name"], self.model(key(row)), row["why"][0], row["category"], row["disposition"])
            for row in self.failed
        )
        for values, n in counts.items():
            yield {**dict(zip(names, values)), "attempts": n}

    def failure_share(self):
        of_env = Counter((row["run_id"], row["env_name"]) for row in self.decided)
        names = ["run_id", "env_name", "reason", "category", "disposition"]
        counts = Counter((row["run_id"], row["env_name"], row["why"][0], row["category"], row["disposition"]) for row in self.decided)
        for values, n in counts.items():
            yield {**dict(zip(names, values)), "is_trained": values[4] in READY, "attempts": n, "share": n / of_env[values[:2]]}

    def worst_tasks(self):
        wanted = [row for row in self.decided if row["why"][0] != "purpose"]
        for (run, env, task), rows in grouped(wanted, lambda row: (row["run_id"], row["env_name"], row["task_id"])).items():
            failed = [row for row in rows if row["disposition"] not in READY]
            reasons = Counter(row["why"][0] for row in failed)
            yield {
                "run_id": run, "env_name": env, "task_id": task, "attempts": len(rows), "failed": len(failed),
                "failed_share": len(failed) / len(rows),
                "by_reason": [[name, n] for name, n in sorted(reasons.items(), key=lambda one: (-one[1], one[0].encode()))],
                "mean_reward": mean(rewards(rows)), "example_rollout": last(failed) if failed else "",
                "failed_low": wilson(len(failed), len(rows))[0],
            }

    def fault_owners(self):
        of_env = Counter((row["run_id"], row["env_name"]) for row in self.decided)

        def owner(row):
            if row["why"][0] in ("verifier_timeout", "reward_missing", "verifier_error"):
                return "verifier"
            if row["why"][0] in OF_HARNESS:
                return "harness"
            return OWNERS.get(row["category"], "unknown")

        for (run, env, name), rows in grouped(self.decided, lambda row: (row["run_id"], row["env_name"], owner(row))).items():
            yield {
                "run_id": run, "env_name": env, "owner": name, "attempts": len(rows), "share": len(rows) / of_env[run, env],
                "trained": sum(row["disposition"] in READY for row in rows), "mean_reward": mean(rewards(rows)),
            }

    def reward_by(self):
        for run, of_run in grouped(self.decided, lambda row: row["run_id"]).items():
            frequent = Counter(row["why"][0] for row in of_run)
            reasons = sorted(frequent, key=lambda name: (-frequent[name], name))
            places = {
                "reason": lambda row: (row["why"][0], reasons.index(row["why"][0])),
                "length": lambda row: bucket(row["n_sampled_tokens"], *LENGTHS),
                "turns": lambda row: bucket(row["n_turns"], *TURNS),
            }
            for dimension, place in places.items():
                for (name, order), rows in grouped(of_run, place).items():
                    given = rewards(rows)
                    yield {
                        "run_id": run, "dimension": dimension, "bucket": name, "bucket_order": order, "attempts": len(rows),
                        "scored": len(given), "mean_reward": mean(given), "p10": pick(given, 0.1), "p50": pick(given, 0.5),
                        "p90": pick(given, 0.9), "zero": sum(value == 0 for value in given),
                    }

    def drift_rates(self):
        looked, whole, in_part, classes = Counter(), Counter(), Counter(), defaultdict(set)
        for (of, audit), (worst, found) in self.said.items():
            at = of[0], hour(self.by_key[of]["ended_at"]), audit
            looked[at] += worst > 0
            classes[of[0], audit] |= found
            for one in found:
                (whole if worst > 0 else in_part)[(*at, one)] += 1
        for (run, time, audit), n in looked.items():
            for one in classes[run, audit]:
                hits = whole[run, time, audit, one]
                yield {
                    "run_id": run, "hour": time, "audit": audit, "class": one[0], "severity": one[1], "attempts_looked": n,
                    "attempts_found": hits, "rate": hits / n if n else None, "attempts_in_part": in_part[run, time, audit, one],
                }

    def tool_of(self, row):
        calls = self.calls.get(key(row), [])
        own = calls[row["turn"]] if 0 <= row["turn"] < len(calls) else None
        names = [] if own is None else [name or "" for name in own["names"]]
        if len(set(names)) == 1:
            return names[0]
        for of_call, name in zip([] if own is None else own["ids"], names):
            if of_call and row["detail"].startswith((of_call[:100] + " (", of_call[:100] + ": ")):
                return name
        told = re.match(r"a call \((.{1,100}?)\): ", row["detail"])
        return told.group(1) if told else ""

    def repairs_by_tool(self):
        unproved = {of for (of, audit), (worst, _) in self.said.items() if audit == "tools" and worst == 0}
        tools = defaultdict(Counter)
        for of, calls in self.calls.items():
            for call in calls:
                names = [name or "" for name in call["names"]]
                for name in names:
                    tools[of[0], name]["calls"] += 1
                for name in set(names):
                    tools[of[0], name]["turns"] += 1
                    tools[of[0], name]["turns_looked"] += of not in unproved
        hit = set()
        for row in self.audits:
            if row["audit"] != "tools" or row["class"] == "":
                continue
            tool = self.tool_of(row)
            name = row["class"] if row["class"] in OWN_COLUMNS else "other_findings"
            tools[row["run_id"], tool][name] += 1
            if key(row) not in unproved and row["turn"] >= 0 and (key(row), row["turn"], tool) not in hit:
                hit.add((key(row), row["turn"], tool))
                tools[row["run_id"], tool]["turns_found"] += 1
        for (run, tool), n in tools.items():
            names = ["calls", *OWN_COLUMNS, "other_findings", "turns", "turns_looked", "turns_found"]
            rate = n["turns_found"] / n["turns_looked"] if n["turns_looked"] else None
            yield {"run_id": run, "tool": tool, **{name: n[name] for name in names}, "rate": rate}

    def audit_results(self):
        # What was deferred and never came has no row: nobody has looked.
        unsaid = {(of, audit): [0, set()] for of, row in self.trajectories.items() for audit in row["missing"]}
        for (run, audit), said in grouped({**unsaid, **self.said}.items(), lambda one: (one[0][0][0], one[0][1])).items():
            n = Counter(WORST[worst] for _, (worst, _) in said)
            auditable = len(said) - n["not_auditable"]
            low, high = wilson(n["fail"], auditable) if auditable else (None, None)
            yield {
                "run_id": run, "audit": audit, **{name: n[name] for name in WORST}, "auditable": auditable,
                "auditable_share": auditable / len(said), "fail_rate": n["fail"] / auditable if auditable else None,
                "fail_low": low, "fail_high": high,
            }

    def audit_offenders(self):
        names = ["run_id", "rollout_id", "attempt", "audit", "class", "severity", "turn", "index", "detail", "ids", "expected_ids", "text", "expected_text"]
        found = [row for row in self.audits if row["class"] != ""]
        found.sort(key=lambda row: (row["severity"] != "fail", -row["offset"], row["partition"]))
        for row in found[:50]:
            decision = self.by_key[key(row)]
            yield {**{name: row[name] for name in names}, "env_name": decision["env_name"], "task_id": decision["task_id"]}

    def contradictions(self):
        names = ["run_id", "conflict", "reason_code", "finish_reason", "verifier_status"]
        sides = [(conflict, row) for row in self.decided for conflict in set(row["conflicts"])]
        by = lambda one: (one[1]["run_id"], one[0], one[1]["reason_code"], one[1]["finish_reason"] or "", one[1]["verifier_status"])
        for values, group in grouped(sides, by).items():
            yield {**dict(zip(names, values)), "attempts": len(group), "example_rollout": last([row for _, row in group])}

    def timeouts(self):
        ended = [
            row for row in self.decided
            if row["reason_code"] == "wall_clock" or ("timeout" in row["reason_code"] and row["category"] != "verifier_fault")
        ]

        def whose(row):
            reasons = self.trajectories.get(key(row), {"codes": [], "attributions": []})
            told = [of for code, of in zip(reasons["codes"], reasons["attributions"]) if code == row["reason_code"]]
            return (told[0] if told else None) or ""

        for (run, env, code, of), rows in grouped(ended, lambda row: (row["run_id"], row["env_name"], row["reason_code"], whose(row))).items():
            n = Counter(row["disposition"] for row in rows)
            yield {
                "run_id": run, "env_name": env, "reason_code": code, "attribution": of, "attempts": len(rows),
                "mean_infra_share": mean([row["infra_share"] for row in rows]),
                "mean_policy_share": mean([row["policy_share"] for row in rows]),
                "trained": n["train"] + n["penalise"], "masked": n["train_masked"], "dropped": n["drop"],
                "retried": n["retry"], "quarantined": n["quarantine"],
            }

    def context_growth(self):
        turns = defaultdict(list)
        for row in self.decided:
            for turn, call in enumerate(self.calls.get(key(row), [])):
                if call["has_prompt_delta_ids"] and call["has_completion_ids"]:
                    prompt = call["prompt_prefix_len"] + call["delta"]
                    turns[row["run_id"], row["env_name"], turn].append((prompt, call["completion"], call["prompt_prefix_len"]))
        for (run, env, turn), calls in turns.items():
            prompts, completions, reused = zip(*calls)
            yield {
                "run_id": run, "env_name": env, "turn": turn, "attempts": len(calls),
                "prompt_tokens_p50": pick(prompts, 0.5), "prompt_tokens_p95": pick(prompts, 0.95),
                "completion_tokens_p50": pick(completions, 0.5), "completion_tokens_p95": pick(completions, 0.95),
                "reuse_share": sum(reused) / sum(prompts) if sum(prompts) else None,
            }


QUERIES = [
    "flow", "failures", "failure_share", "worst_tasks", "fault_owners", "reward_by", "drift_rates", "repairs_by_tool",
    "audit_results", "audit_offenders", "contradictions", "timeouts", "context_growth",
]

if __name__ == "__main__":
    rows = Rows(json.load(sys.stdin))
    json.dump({name: list(getattr(rows, name)()) for name in QUERIES}, sys.stdout)
