"""Counts what files of A2E hold, by themselves: python a2e_counts.py FILE …"""

import json
import sys


def main(paths: list[str]) -> None:
    rollouts: set[str] = set()
    rewards: dict[str, list[float | None]] = {}
    steps: set[tuple[str, str]] = set()
    tools: set[str] = set()
    calls: set[str] = set()
    for path in paths:
        for line in open(path, encoding="utf-8"):
            if not line.strip():
                continue
            message = json.loads(line)
            kind = message["type"]
            if kind == "model_call":
                calls.add(line.strip())
            elif kind == "env/reset/resp":
                rollouts.add(message["obs"]["episode_id"])
            elif kind == "env/step/req":
                steps.add((message["episode_id"], message["id"]))
            elif kind == "env/step/resp":
                obs = message["obs"]
                rewards.setdefault(obs["episode_id"], []).append(obs.get("reward"))
                rollouts.add(obs["episode_id"])
                if not message.get("req_id"):
                    steps.add((obs["episode_id"], message["id"]))
            elif kind == "tool/call/req":
                tools.add(message["id"])
    returns = [sum(r or 0 for r in given) for given in rewards.values() if given[-1] is not None]
    print(
        json.dumps(
            {
                "rollouts": len(rollouts),
                "model_calls": len(calls),
                "tool_results": len(steps) + len(tools),
                "rewards": sorted(returns),
            }
        )
    )


main(sys.argv[1:])
