"""The trainer: takes whole groups in ready order, updates, acknowledges, and restores its data with its checkpoint."""

from __future__ import annotations

import argparse
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from rollstream import Batch, Ready

from policy import LENGTH, PROMPTS, Policy, replace_file

RATE = 16.0
SECONDS_A_LEASE = 10.0


class Checkpoint:
    """One file: weights, what they were trained on, and the state that restores the data with them."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "checkpoint.npz"

    def load(self) -> tuple[Policy, dict[str, Any]] | None:
        if not self.file.exists():
            return None
        with np.load(self.file) as saved:
            return Policy(saved["logits"]), json.loads(str(saved["facts"]))

    def save(self, policy: Policy, facts: Mapping[str, object]) -> None:
        replace_file(self.file, npz(logits=policy.logits, facts=json.dumps(facts)))


def npz(**arrays: object) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def train(policy: Policy, batch: Batch) -> dict[str, float]:
    """One optimizer step. The advantages are rollstream's, by the policy in force: GRPO."""
    rows = batch.pad()
    # A row is the prompt, which names the word, and its letters.
    words = rows["token_ids"][:, 0].astype(np.int64) - PROMPTS[0]
    letters = rows["token_ids"][:, 1 : 1 + LENGTH].astype(np.int64)
    old = rows["logprobs"][:, 1 : 1 + LENGTH].astype(np.float64)
    update = policy.update(words, letters, old, rows["advantages"].astype(np.float64), RATE)
    return {"kl": update.kl, "max_logprob_diff": update.max_logprob_diff, "clipped_share": update.clipped_share}


def run(ready: Ready, folder: Path, steps: int, groups: int, every: int) -> None:
    checkpoint = Checkpoint(folder)
    restored = checkpoint.load()
    policy, facts = (Policy(), {"history": [], "ready": None}) if restored is None else restored
    # Back to the data of that checkpoint: what was trained after it comes again, what its weights hold does not.
    # Without a checkpoint to the beginning, unless this is the beginning.
    if restored is not None or (folder / "weights.npz").exists():
        ready.resume(facts["ready"])
    history: list[dict[str, Any]] = facts["history"]
    step = len(history)
    publish(ready, policy, step, folder)
    if step == steps:
        return
    for batch in ready.batches(groups=groups, lease_s=SECONDS_A_LEASE):
        stats = train(policy, batch)
        step += 1
        rewards = [trajectory.reward for trajectory in batch]
        history.append(
            {
                "step": step,
                "reward": float(np.mean([reward for reward in rewards if reward is not None])),
                "trained": [[trajectory.rollout_id, trajectory.attempt] for trajectory in batch],
            }
        )
        version = publish(ready, policy, step, folder)
        batch.ack(step=step, version=version, stats=stats)
        if step % every == 0 or step == steps:
            # A death before the save goes back to the checkpoint before it, one behind it to this one: sealed or not.
            state = ready.state(step)
            checkpoint.save(policy, {"history": history, "ready": state})
            ready.checkpoint(state)
        print(
            json.dumps({"step": step, "lineage": ready.lineage, "reward": round(history[-1]["reward"], 3)}), flush=True
        )
        if step == steps:
            return


def publish(ready: Ready, policy: Policy, step: int, folder: Path) -> str:
    """Announced before the rollout side can see them. A name is used once in a run."""
    lineage = 0 if ready.lineage is None else ready.lineage
    version = f"{lineage}.{step}"
    ready.announce(version, step)
    replace_file(folder / "weights.npz", npz(logits=policy.logits, version=version))
    return version


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", required=True)
    parser.add_argument("--run", required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--groups", type=int, default=8, help="groups of a step")
    parser.add_argument("--every", type=int, default=5, help="steps between checkpoints")
    options = parser.parse_args()
    with Ready(options.url, run=options.run, consumer="spelling-trainer") as ready:
        run(ready, options.folder, options.steps, options.groups, options.every)


if __name__ == "__main__":
    main()
