"""A server in the shape of SGLang: it "samples" what a test has written, token by token, with logprobs and versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scripted_server import Answer, Asked, ScriptedServer

STOP = {"type": "stop", "matched": 151645}


@dataclass
class Sampled:
    """text: what the policy says, as canonical ids; ids: as these. status: HTTP error instead of an answer."""

    text: str = ""
    ids: Sequence[int] | None = None
    finish_reason: dict[str, Any] = field(default_factory=lambda: dict(STOP))
    meta: dict[str, Any] = field(default_factory=dict)
    status: int = 200


class ScriptedSGLang(ScriptedServer):
    """One script a rollout: its marker stands in the prompt."""

    def __init__(self, tokenizer: Any) -> None:
        super().__init__()
        self._tokenizer = tokenizer
        self._scripts: dict[str, list[Sampled]] = {}
        self.answers: dict[str, list[dict[str, Any]]] = {}
        self.on("GET", "/model_info", lambda _: {"has_image_understanding": False})
        self.on("POST", "/generate", self._generate)

    def script(self, marker: str, *says: Sampled) -> None:
        self._scripts[marker] = list(says)
        self.answers[marker] = []

    def split(self, text: str) -> list[int]:
        """The ids of its characters: another encoding of the text than the tokenizer's own."""
        return [token for letter in text for token in self._tokenizer.encode(letter, add_special_tokens=False)]

    def _generate(self, asked: Asked) -> Answer | dict[str, Any]:
        prompt: list[int] = asked.body["input_ids"]
        text = self._tokenizer.decode(prompt)
        marker = next(name for name in self._scripts if f"[{name}]" in text)
        says = self._scripts[marker].pop(0)
        if says.status != 200:
            return Answer({"error": {"message": says.text}}, says.status)
        ids = list(says.ids or self._tokenizer.encode(says.text, add_special_tokens=False))
        at = len(self.answers[marker])
        meta = {
            "id": f"{marker}-{at}",
            "finish_reason": says.finish_reason,
            "prompt_tokens": len(prompt),
            "completion_tokens": len(ids),
            "cached_tokens": len(prompt) // 2,
            "num_retractions": at,
            "weight_version": "v1",
            "input_token_logprobs": prefilled(prompt, asked.body.get("logprob_start_len") or 0),
            "output_token_logprobs": [[logprob_of(token), token, None] for token in ids],
            "output_token_logprobs_length": len(ids),
            "e2e_latency": 0.125,
            **says.meta,
        }
        if not asked.body.get("return_logprob"):
            del meta["input_token_logprobs"], meta["output_token_logprobs"]
        answer = {"text": self._tokenizer.decode(ids), "output_ids": ids, "meta_info": meta}
        self.answers[marker].append(answer)
        return answer


def logprob_of(token: int) -> float:
    """A float32, as engines compute them, in the decimal places of a float64, as JSON has them."""
    return float(np.float32(-(token % 1009) / 1009 - 1e-3))


def prefilled(prompt: Sequence[int], start: int) -> list[list[Any]]:
    """Logprobs of the prompt from `start` on. The first has nothing before it that could have foretold it."""
    return [[None if at == 0 else logprob_of(token), token, None] for at, token in enumerate(prompt[start:])]
