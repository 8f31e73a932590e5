"""A policy that learns to spell: a softmax over the letters, at each place of each word. numpy only."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

WORDS = ("flow", "gate", "lane", "step")
LETTERS = "".join(sorted(set("".join(WORDS))))
LENGTH = len(WORDS[0])
# Ids: a letter each, then a prompt each, which names the word that is wanted.
PROMPTS = tuple(len(LETTERS) + word for word in range(len(WORDS)))
CLIP = 0.2


@dataclass(frozen=True)
class Update:
    """What the trainer reports with its ack."""

    kl: float
    max_logprob_diff: float
    clipped_share: float


class Policy:
    """logits: word, place, letter."""

    def __init__(self, logits: NDArray[np.float64] | None = None) -> None:
        self.logits = np.zeros((len(WORDS), LENGTH, len(LETTERS))) if logits is None else logits

    def logprobs(self) -> NDArray[np.float64]:
        shifted = self.logits - self.logits.max(axis=-1, keepdims=True)
        logprobs: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
        return logprobs

    def sample(self, word: int, random: np.random.Generator) -> tuple[list[int], list[float]]:
        """Letters, and the logprob that each was drawn with."""
        logprobs = self.logprobs()[word]
        ids = [int(random.choice(len(LETTERS), p=np.exp(place))) for place in logprobs]
        return ids, [float(logprobs[place, letter]) for place, letter in enumerate(ids)]

    def update(
        self,
        words: NDArray[np.int64],
        letters: NDArray[np.int64],
        old: NDArray[np.float64],
        advantages: NDArray[np.float64],
        rate: float,
    ) -> Update:
        """One step up the clipped objective of GRPO. letters and old (logprobs at sampling) have a row a rollout."""
        places = np.arange(LENGTH)
        logprobs = self.logprobs()
        new = logprobs[words[:, None], places, letters]
        ratio = np.exp(new - old)
        gain = advantages[:, None]
        clipped = np.where(gain > 0, ratio > 1 + CLIP, ratio < 1 - CLIP)
        weight = np.where(clipped, 0.0, ratio * gain)
        gradient = np.zeros_like(self.logits)
        # d log p(letter) / d logits: one at the letter, less the probabilities.
        np.add.at(gradient, (words[:, None], places, letters), weight)
        np.add.at(gradient, (words[:, None], places), -weight[..., None] * np.exp(logprobs)[words])
        self.logits += rate * gradient / len(words)
        return Update(
            kl=float((ratio - 1 - np.log(ratio)).mean()),
            max_logprob_diff=float(np.abs(new - old).max()),
            clipped_share=float(clipped.mean()),
        )


def score(word: int, letters: list[int]) -> float:
    """The verifier: the share of letters that are right."""
    return sum(LETTERS[letter] == right for letter, right in zip(letters, WORDS[word], strict=True)) / LENGTH


def replace_file(path: Path, data: bytes) -> None:
    """Whole or not at all, whenever the process dies: on the disk before it has its name."""
    draft = path.with_suffix(".new")
    with draft.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
