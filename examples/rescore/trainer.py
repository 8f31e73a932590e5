"""Takes whole groups in ready order, as a trainer does, and says what of each batch was scored again."""

from __future__ import annotations

import argparse
from statistics import mean

from rollstream import Ready


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8080")
    parser.add_argument("--step", type=int, default=1, help="of the first batch; a real trainer has it in its checkpoint")
    parser.add_argument("--batches", type=int, help="default: until nothing is left")
    options = parser.parse_args()
    with Ready(options.url, run="sums", consumer="sums-trainer") as ready:
        for step, batch in enumerate(ready.batches(groups=8, at_least=1, idle_s=2), options.step):
            rewards = [trajectory.reward for trajectory in batch if trajectory.reward is not None]
            again = sum(trajectory.fields["supersedes"] is not None for trajectory in batch)
            batch.ack(step=step)
            print(f"step {step}: {len(batch)} trajectories, {again} scored again, mean reward {mean(rewards):.3f}")
            if step - options.step + 1 == options.batches:
                return


if __name__ == "__main__":
    main()
