"""TRL's GRPOTrainer on rollouts from rollstream, with a small random model on the CPU.

    npx rollstream up --data /tmp/trl-data &
    pip install ./clients/python trl
    python examples/trl/train.py --data /tmp/trl-data --folder /tmp/trl

The policy samples a batch ahead, so that what a step trains was sampled by weights that are a step older: TRL gets the
logprobs of those, and the advantages that rollstream computed when the group closed. Each batch is acknowledged after
its step, with the name of the weights that the step made.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
from typing import Any

os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import datasets
import httpx
import policy
import torch
import transformers
import trl
from rollouts import events_of, send

from rollstream import Ready
from rollstream.trainers.trl import ReadyRollouts, ready_reward, ready_trainer
from rollstream.trainers.trl_checkpoints import resume_from, seal_checkpoints

AHEAD = 1
"""Batches that are sampled before the weights are there that a synchronous trainer would wait for."""


class Sampler(transformers.TrainerCallback):
    """New weights are announced, and sample what the step after the next trains."""

    def __init__(self, ready: Ready, net: Any, of: argparse.Namespace) -> None:
        self.ready = ready
        self.net = net
        self.of = of
        self.generator = torch.Generator().manual_seed(of.seed)

    def version(self, step: int) -> str:
        """Name of the weights that this step made: once in a run, over all its lineages."""
        return f"{self.ready.lineage or 0}.{step}"

    def sample(self, step: int) -> None:
        """As many groups as are missing for the next step and those ahead of it: none for a while after a rewind, when
        what was trained since the checkpoint is there again."""
        self.ready.announce(self.version(step), step)
        state = httpx.get(f"{self.of.url}/v1/runs/{self.of.run}/delivery").raise_for_status().json()
        queued = state["ready_states"]["queued"] // self.of.size
        missing = min(1 + AHEAD, self.of.steps - step) * self.of.groups - queued
        if missing <= 0:
            return
        sampled = events_of(
            self.net,
            run=self.of.run,
            version=self.version(step),
            groups=missing,
            size=self.of.size,
            temperature=self.of.temperature,
            generator=self.generator,
        )
        send(sampled, shlex.split(self.of.rollstream), self.of.data)

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self.sample(state.global_step)

    on_step_end = on_train_begin


class Told(transformers.TrainerCallback):
    """A line a step."""

    def __init__(self) -> None:
        self.steps: list[dict[str, Any]] = []

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any], **_: Any) -> None:
        if "loss" in logs:
            names = {"loss": "loss", "reward": "reward", "entropy": "entropy", "clip": "clip_ratio/region_mean"}
            self.steps.append({"step": state.global_step, **{name: round(logs[key], 4) for name, key in names.items()}})
            print(json.dumps(self.steps[-1]), flush=True)


def train(of: argparse.Namespace) -> list[dict[str, Any]]:
    net = policy.model(of.seed)
    with Ready(of.url, run=of.run, consumer="trl") as ready:
        sampler, told = Sampler(ready, net, of), Told()
        checkpoint = resume_from(ready, of.folder)
        rollouts = ReadyRollouts(ready.batches(groups=of.groups, idle_s=60), advantage="rollstream", fit="raise")
        trainer = ready_trainer(trl.GRPOTrainer)(
            model=net,
            args=trl.GRPOConfig(
                output_dir=of.folder,
                use_cpu=True,
                bf16=False,
                per_device_train_batch_size=of.groups * of.size,
                num_generations=of.size,
                max_completion_length=policy.MAX_TOKENS,
                max_steps=of.steps,
                learning_rate=of.learning_rate,
                lr_scheduler_type="constant",
                temperature=of.temperature,
                logging_steps=1,
                save_steps=of.save_steps,
                report_to=[],
                disable_tqdm=True,
                seed=of.seed,
            ),
            train_dataset=datasets.Dataset.from_dict({"prompt": [""] * (of.groups * of.steps)}),
            processing_class=policy.tokenizer(),
            reward_funcs=[ready_reward],
            rollout_func=rollouts,
            callbacks=[rollouts.acknowledge(sampler.version), sampler, seal_checkpoints(ready), told],
        )
        trainer.remove_callback(transformers.PrinterCallback)
        trainer.train(resume_from_checkpoint=checkpoint)
        return told.steps


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:8080")
    parser.add_argument("--data", required=True, help="the data folder of the server")
    parser.add_argument("--rollstream", default="npx rollstream", help="the command (default: npx rollstream)")
    parser.add_argument("--run", default="trl")
    parser.add_argument(
        "--folder", required=True, help="for checkpoints; with some in it, training goes on from the last"
    )
    parser.add_argument("--save-steps", type=int, default=10)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--groups", type=int, default=8)
    parser.add_argument("--size", type=int, default=8, help="rollouts of a group")
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--learning-rate", type=float, default=1e-2)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    train(arguments())
