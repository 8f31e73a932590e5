"""What named queries have to answer, computed without SQL from raw rows that were exported as JSON Lines.

named_queries_b.py FOLDER: one file a table, as it is after merging (FINAL), times in microseconds since the epoch.
Answers {query: rows} as JSON. Who owns what, which replays count and what a rewind took back is worked out here, too.
"""

import json
import math
import sys
from collections import defaultdict
from pathlib import Path

READY = {"train", "train_masked", "penalise"}
AFTER_END = {"verify", "cleanup", "trainer_wait"}
HOUR_US = 3_600_000_000


def table(name):
    lines = (Path(sys.argv[1]) / f"{name}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines if line]


def below_by_owner():
    lanes = {(row["topic"], row["partition"]): row for row in table("lanes")}
    terms = {(row["topic"], row["partition"], row["term"]): row["restored"] for row in table("terms")}
    below = {}
    for (topic, partition, term) in terms:
        lane = lanes.get((topic, partition))
        if lane is None:
            continue
        following = terms.get((topic, partition, term + 1), 0)
        if term == lane["term"]:
            below[topic, partition, term] = lane["frontier"]
        elif term < lane["term"]:
            below[topic, partition, term] = min(following, lane["frontier"])
    return below


BELOW = below_by_owner()


def live(name, offset="offset"):
    """Rows that an owner wrote below what it owned, replays left out."""
    return [
        row
        for row in table(name)
        if row.get("replay_id", "") == "" and row[offset] < BELOW.get((row["topic"], row["partition"], row["term"]), -1)
    ]


STEPS = [row for row in live("steps", "cause") if row["kind"] != "control"]
DECISIONS = live("decisions")
ATTEMPTS = live("attempts")
TRAJECTORIES = live("trajectories")
OPEN_UNITS = {unit for row in table("lanes") for unit in row["open"]}


def attempt_of(row):
    return row["run_id"], row["unit"], row["rollout_id"], row["attempt"]


def grouped(rows, *columns):
    groups = defaultdict(list)
    for row in rows:
        groups[tuple(row[column] for column in columns)].append(row)
    return groups.items()


def quantile(values, level):
    """The element at floor(level * n) of the sorted ones."""
    ordered = sorted(values)
    return ordered[min(int(level * len(ordered)), len(ordered) - 1)] if ordered else None


def mean(values):
    values = list(values)
    return math.fsum(values) / len(values) if values else None


def total(values):
    values = list(values)
    return math.fsum(values) if values else None


def per(value, whole):
    return None if value is None or not whole else value / whole


def named(names, key):
    return dict(zip(names, key))


def hour_of(us):
    return None if us is None else us - us % HOUR_US


def phases():
    out = []
    for key, rows in grouped(TRAJECTORIES, "run_id", "env_name"):
        wall = math.fsum(row["wall_ms"].get("total", 0) for row in rows)
        for phase in {name for row in rows for name in row["wall_ms"]} - {"total"}:
            having = [row["wall_ms"] for row in rows if phase in row["wall_ms"]]
            timed = math.fsum(parts[phase] for parts in having if "total" in parts)
            values = [parts[phase] for parts in having]
            out.append({
                **named(("run_id", "env_name"), key), "phase": phase, "attempts": len(values), "sum_ms": total(values),
                "p50_ms": quantile(values, 0.5), "p95_ms": quantile(values, 0.95),
                "share": None if phase in AFTER_END else per(timed, wall),
            })
    return out


def phases_over_time():
    sums = defaultdict(list)
    for row in TRAJECTORIES:
        for phase, ms in row["wall_ms"].items():
            if phase != "total":
                sums[row["run_id"], hour_of(row["ended_at"]), phase].append(ms)
    return [
        {**named(("run_id", "hour", "phase"), key), "attempts": len(ms), "sum_ms": total(ms), "mean_ms": mean(ms)}
        for key, ms in sums.items()
    ]


def tool_us(row):
    both = None if row["wait_us"] is None or row["exec_us"] is None else row["wait_us"] + row["exec_us"]
    us = next((one for one in (row["duration_us"], both, row["exec_us"], row["wait_us"]) if one is not None), None)
    return us if us is not None and us >= 0 else None


def slow_tools():
    out = []
    calls = [{**row, "tool": row["tool_name"] or "", "us": tool_us(row)} for row in STEPS if row["kind"] == "tool_result"]
    for key, rows in grouped(calls, "run_id", "env_name", "tool"):
        us = [row["us"] for row in rows if row["us"] is not None]
        both = [row for row in rows if row["us"] is not None and row["wait_us"] is not None]
        out.append({
            **named(("run_id", "env_name", "tool"), key), "calls": len(rows),
            "errors": sum(row["status"] not in ("ok", "unknown", "") or row["has_error"] for row in rows),
            "measured": len(us), "sum_ms": per(total(us), 1000), "p50_ms": per(quantile(us, 0.5), 1000),
            "p95_ms": per(quantile(us, 0.95), 1000), "max_ms": per(max(us, default=None), 1000),
            "wait_share": per(total(min(row["wait_us"], row["us"]) for row in both), total(row["us"] for row in both)),
            "example_rollout": max((-1 if row["us"] is None else row["us"], row["rollout_id"]) for row in rows)[1],
        })
    return out


def sandbox_times():
    out = []
    wanted = [row for row in STEPS if row["kind"] == "phase" and row["phase"] in ("sandbox_setup", "agent_setup", "cleanup")]
    for key, rows in grouped(wanted, "run_id", "env_name", "phase"):
        us = []
        for row in rows:
            took = row["duration_us"]
            if took is None and row["started_at"] is not None and row["ended_at"] is not None:
                took = row["ended_at"] - row["started_at"]
            if took is not None and took >= 0:
                us.append(took)
        out.append({
            **named(("run_id", "env_name", "phase"), key), "count": len(rows), "measured": len(us),
            "p50_ms": per(quantile(us, 0.5), 1000), "p95_ms": per(quantile(us, 0.95), 1000),
            "max_ms": per(max(us, default=None), 1000), "failed": sum(row["has_error"] for row in rows),
        })
    return out


def group_facts():
    wanted = [row for row in DECISIONS if row["purpose"] == "train" and row["group_id"] is not None]
    for (run, unit), rows in grouped(wanted, "run_id", "unit"):
        is_filtered = any("zero_variance" in row["why"] for row in rows)
        counted = [
            row for row in rows
            if row["reward_valid"] and row["reward"] is not None and (row["in_baseline"] or "zero_variance" in row["why"])
        ]
        rewards = [row["reward"] for row in counted]
        ready = sum(row["disposition"] in READY for row in rows)
        expected = rows[0]["group_size"]
        state = (
            "open" if unit in OPEN_UNITS else "rejected" if ready == 0 else "unsized" if expected is None
            else "complete" if ready >= expected else "partial"
        )
        is_flat = len(rewards) > 1 and max(rewards) - min(rewards) <= 1e-9 * max(1, abs(max(rewards)), abs(min(rewards)))
        yield {
            "run_id": run, "unit": unit, "env_name": rows[0]["env_name"], "group_id": rows[0]["group_id"],
            "task_id": rows[0]["task_id"], "expected": expected, "state": state, "rewards": rewards, "rows": rows,
            "members": len({row["rollout_id"] for row in rows}), "is_zero_variance": is_filtered or is_flat,
            "outside": sum(row["disposition"] not in ("retry", "superseded") and row not in counted for row in rows),
        }


def group_health():
    out = []
    for key, groups in grouped(group_facts(), "run_id", "env_name"):
        scored = [group["rewards"] for group in groups if group["rewards"]]
        states = [group["state"] for group in groups]
        out.append({
            **named(("run_id", "env_name"), key), "groups": len(groups),
            **{state: states.count(state) for state in ("complete", "partial", "rejected", "open", "unsized")},
            "zero_variance": sum(group["is_zero_variance"] for group in groups),
            "mean_size": mean(group["members"] for group in groups),
            "mean_reward": mean(mean(rewards) for rewards in scored),
            "mean_spread": mean(max(rewards) - min(rewards) for rewards in scored),
            "out_of_baseline": sum(group["outside"] for group in groups),
        })
    return out


def groups():
    out = []
    for group in group_facts():
        rows, rewards = group["rows"], group["rewards"]
        centre = mean(rewards)
        std = math.sqrt(math.fsum((one - centre) ** 2 for one in rewards) / (len(rewards) - 1)) if len(rewards) > 1 else None
        names = ("run_id", "env_name", "unit", "group_id", "task_id", "expected", "members", "state", "is_zero_variance")
        out.append({
            **{name: group[name] for name in names},
            "in_loss": sum(row["in_loss"] for row in rows), "in_baseline": sum(row["in_baseline"] for row in rows),
            "reward_mean": centre, "reward_std": std,
            "first_ready_at": min(
                (row["decided_at"] for row in rows if row["disposition"] in READY and not row["held"]), default=None),
        })
    return out


def retries():
    last = {}
    for row in DECISIONS:
        key = attempt_of(row)[:3]
        last[key] = max(last.get(key, row), row, key=lambda one: one["attempt"])
    begun = defaultdict(int)
    for row in ATTEMPTS:
        key = attempt_of(row)[:3]
        begun[key] = max(begun[key], row["attempt"])
    again = [{**row, "reason": row["why"][0]} for row in DECISIONS if row["disposition"] == "retry"]
    out = []
    for key, rows in grouped(again, "run_id", "env_name", "reason"):
        after = [last[attempt_of(row)[:3]] for row in rows if last[attempt_of(row)[:3]]["attempt"] > row["attempt"]]
        out.append({
            **named(("run_id", "env_name", "reason"), key), "retried": len(rows),
            "came_back": sum(begun[attempt_of(row)[:3]] > row["attempt"] for row in rows),
            "trained": sum(row["in_loss"] for row in after),
            "mean_reward_after": mean(row["reward"] for row in after if row["reward_valid"] and row["reward"] is not None),
        })
    return out


def pass_at_k():
    tasks = defaultdict(list)
    for row in DECISIONS:
        if row["reward_valid"] and row["reward"] is not None and row["disposition"] != "superseded":
            key = row["run_id"], row["purpose"], row["env_name"], row["weights_version_min"]
            tasks[key, row["task_id"]].append(row["reward"] >= 1)
    out = []
    for key in {key for key, _ in tasks}:
        mine = [passed for (of, _), passed in tasks.items() if of == key]
        for k in (1, 2, 4, 8):
            large = [passed for passed in mine if len(passed) >= k]
            # As it stands in the paper: binomials, which Python has exactly.
            rates = [1 - math.comb(len(p) - sum(p), k) / math.comb(len(p), k) for p in large]
            out.append({
                **named(("run_id", "purpose", "env_name", "weights_version"), key), "tasks": len(large),
                "attempts": sum(map(len, large)), "k": k, "pass_at_k": mean(rates),
            })
    return out


def surviving(row, cuts):
    return not any(cut["lineage"] > row["lineage"] and cut["step"] < (row["step"] or 0) for cut in cuts[row["run_id"]])


def trained():
    cuts = defaultdict(list)
    for row in table("lineages"):
        if row["kind"] == "rewind":
            cuts[row["run_id"]].append(row)
    return [row for row in table("deliveries") if row["state"] == "trained" and surviving(row, cuts)]


def staleness_at_train():
    return [
        {**named(("run_id", "step", "lag"), key), "trajectories": len(rows), "tokens": sum(row["tokens"] for row in rows)}
        for key, rows in grouped(trained(), "run_id", "step", "lag")
    ]


def waits():
    leases, deliveries, walls = defaultdict(list), defaultdict(list), defaultdict(list)
    for row in table("delivery_leases"):
        leases[row["run_id"]].append(row)
    for row in table("deliveries"):
        if row["taken_at"] is not None:
            deliveries[row["run_id"]].append(row)
    for row in DECISIONS:
        walls[row["run_id"]]
        if row["started_at"] is not None and row["ended_at"] is not None and row["ended_at"] >= row["started_at"]:
            walls[row["run_id"]].append((row["ended_at"] - row["started_at"]) / 1000)
    out = []
    for run in set(walls) | set(leases):
        waited = total(row["waited_ms"] for row in leases[run])
        busy = total((row["ended_at"] - row["granted_at"]) / 1000 for row in leases[run] if row["ended_how"] == "trained")
        lay = [max(0, (row["taken_at"] - row["ready_at"]) / 1000 - (row["waited_ms"] or 0)) for row in deliveries[run]]
        held = [(row["ended_at"] - row["taken_at"]) / 1000 for row in deliveries[run] if row["state"] == "trained"]
        if not leases[run]:
            who = ""
        elif waited > 0 and waited >= (waited + (busy or 0)) / 10:
            who = "trainer"
        else:
            who = "rollouts" if lay and held and mean(lay) > mean(held) else "balanced"
        out.append({
            "run_id": run, "trainer_wait_ms": waited, "trainer_busy_ms": busy, "ready_wait_ms": total(lay),
            "rollout_ms": total(walls[run]), "who_waits": who,
        })
    return out


def verifier_disagreement():
    finished = {row["replay_id"] for row in table("replays") if row["state"] == "done" and row["saved"]}
    told = [{**row, "order": (row["late"], row["offset"])} for row in live("verdicts", "cause") if row["status"] == "scored"]
    told += [
        {**row, "bound_to": None if row["turn"] < 0 else row["turn"], "order": (1, 0)}
        for row in table("replay_verdicts") if row["status"] == "scored" and row["replay_id"] in finished
    ]
    values = defaultdict(dict)
    for row in sorted(told, key=lambda one: one["order"]):
        for component, value in row["rewards"].items():
            if value is not None:
                place = (*attempt_of(row), row["bound_to"])
                values[row["run_id"], row["scorer"], component, place][row["scorer_version"]] = value
    pairs = defaultdict(list)
    for (run, scorer, component, place), by_version in values.items():
        versions = sorted(by_version)
        for i, a in enumerate(versions):
            for b in versions[i + 1:]:
                pairs[run, scorer, component, a, b].append((by_version[a], by_version[b], place[2]))
    out = []
    for key, both in pairs.items():
        far = [(abs(a - b), rollout) for a, b, rollout in both if abs(a - b) > 1e-9]
        out.append({
            **named(("run_id", "scorer", "component", "version_a", "version_b"), key), "both": len(both), "differ": len(far),
            "differ_share": len(far) / len(both), "mean_a": mean(a for a, _, _ in both), "mean_b": mean(b for _, b, _ in both),
            "mean_abs_diff": mean(abs(a - b) for a, b, _ in both), "example_rollout": max(far)[1] if far else "",
        })
    return out


def producer_of(row):
    return json.loads(row["extra_json"] or "{}").get("producer")


def bottleneck():
    told = defaultdict(dict)
    for row in STEPS:
        producer = producer_of(row) if row["kind"] in ("start", "end") else None
        if producer is None:
            continue
        facts = told[attempt_of(row)]
        facts.update(run=row["run_id"], env=row["env_name"])
        if producer.get("in_flight") is not None:
            facts["in_flight"] = max(facts.get("in_flight", 0), producer["in_flight"])
        if row["kind"] == "end":
            facts["actor"] = producer.get("actor")
            lag = producer.get("loop_lag_ms") or {}
            facts["late_ms"] = lag["mean"] * lag["n"] if lag else None
            facts["took_ms"] = per(row["duration_us"] if (row["duration_us"] or 0) > 0 else None, 1000)
    levels = defaultdict(lambda: defaultdict(list))
    for facts in told.values():
        if facts.get("in_flight") and facts.get("took_ms"):
            levels[facts["run"], facts["env"]][2 ** int(math.log2(facts["in_flight"]))].append(facts)
    best = {}
    for place, by_level in levels.items():
        rate = {n: mean(f["in_flight"] for f in of) / mean(f["took_ms"] for f in of) for n, of in by_level.items()}
        best[place] = None if len(rate) < 2 else max(rate, key=lambda n: (rate[n], -n))
    timed = [{**row, "actor": told[attempt_of(row)].get("actor") or ""} for row in TRAJECTORIES if "total" in row["wall_ms"]]
    out = []
    for key, rows in grouped(timed, "run_id", "env_name", "actor"):
        wall = math.fsum(row["wall_ms"]["total"] for row in rows)
        share = lambda *parts: per(math.fsum(row["wall_ms"].get(part, 0) for row in rows for part in parts), wall)
        facts = [told[attempt_of(row)] for row in rows]
        late = [one for one in facts if one.get("late_ms") is not None and one.get("took_ms") is not None]
        shares = {
            "model": share("model"), "tools": share("tool_wait"), "sandbox": share("sandbox_setup", "agent_setup"),
            "rate_limit": share("rate_limit"), "loop": per(total(one["late_ms"] for one in late), total(one["took_ms"] for one in late)),
        }
        span = max(row["ended_at"] for row in rows) - min(row["started_at"] for row in rows)
        largest = max(shares, key=lambda layer: shares[layer] or 0)
        out.append({
            **named(("run_id", "env_name", "actor"), key), "attempts": len(rows), "per_hour": per(len(rows) * 3_600_000_000, span),
            "in_flight": max((one["in_flight"] for one in facts if one.get("in_flight") is not None), default=None),
            "best_in_flight": best.get(key[:2]), **{f"{layer}_share": value for layer, value in shares.items()},
            "blocks": largest if (shares[largest] or 0) > 0 else "",
        })
    return out


def blame_step():
    """Every step of every run, the one before it compared with nothing: rows of the trajectories that survive in it."""
    decisions = {(row["unit"], row["rollout_id"], row["attempt"], ""): row for row in DECISIONS}
    replayed = {(row["unit"], row["rollout_id"], row["attempt"], row["replay_id"]): row for row in table("decisions") if row["replay_id"]}
    tokens = {(row["unit"], row["rollout_id"], row["attempt"], ""): row["rollout_loss_tokens"] for row in TRAJECTORIES}
    tokens |= {
        (row["unit"], row["rollout_id"], row["attempt"], row["replay_id"]): row["rollout_loss_tokens"]
        for row in table("trajectories") if row["replay_id"]
    }
    found = defaultdict(lambda: (set(), set()))
    for row in live("audits") + [row for row in table("audits") if row["replay_id"]]:
        classes, results = found[row["unit"], row["rollout_id"], row["attempt"], row["replay_id"]]
        classes.update({row["class"]} - {""})
        results.add(row["result"])
    out = []
    for row in trained():
        key = row["unit"], row["rollout_id"], row["attempt"], row["replay_id"]
        decision = ({**decisions, **replayed}).get(key, {"why": [""], "advantage": None, "reward": None, "reward_valid": False})
        classes, results = found[key] if key in found else found.get((*key[:3], ""), (set(), set()))
        loss, advantage = tokens.get(key), decision["advantage"]
        out.append({
            **{name: row[name] for name in ("run_id", "step", "lineage", "rollout_id", "attempt", "replay_id", "tokens", "lag")},
            "reason": decision["why"][0], "reward": decision["reward"] if decision["reward_valid"] else None,
            "advantage": advantage, "loss_tokens": loss,
            "weight": None if advantage is None or loss is None else abs(advantage) * loss,
            "classes": sorted(classes), "is_audited": bool(results - {"not_auditable"}),
        })
    return out


QUERIES = (
    phases, phases_over_time, slow_tools, sandbox_times, group_health, groups, retries, pass_at_k, staleness_at_train, waits,
    verifier_disagreement, bottleneck, blame_step,
)
print(json.dumps({query.__name__: query() for query in QUERIES}))
