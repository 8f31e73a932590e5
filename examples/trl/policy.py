"""A policy small enough for one core: two layers, thirteen words, random weights. Nothing is downloaded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tokenizers
import torch
import transformers

WORDS = ["<pad>", "<eos>", "=", *map(str, range(10))]
MAX_TOKENS = 4


@dataclass(frozen=True)
class Sampled:
    """Completion of one prompt. logprobs: of each token at the temperature it was sampled at. ended: it said <eos>."""

    ids: list[int]
    logprobs: list[float]
    ended: bool


def tokenizer() -> transformers.PreTrainedTokenizerFast:
    words = tokenizers.models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="<pad>")
    of_words = tokenizers.Tokenizer(words)
    of_words.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=of_words, pad_token="<pad>", eos_token="<eos>")


def model(seed: int) -> Any:
    torch.manual_seed(seed)
    config = transformers.LlamaConfig(
        vocab_size=len(WORDS),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=16,
        pad_token_id=0,
        bos_token_id=None,
        eos_token_id=1,
    )
    return transformers.LlamaForCausalLM(config)


@torch.no_grad()
def sample(policy: Any, prompts: list[list[int]], temperature: float, generator: torch.Generator) -> list[Sampled]:
    """Prompts of one length, all at once. Dropout is off, as it is when the trainer computes its logprobs."""
    was_training = policy.training
    policy.eval()
    ids = torch.tensor(prompts)
    start, picked = ids.shape[1], []
    for _ in range(MAX_TOKENS):
        logprobs = torch.log_softmax(policy(ids).logits[:, -1].float() / temperature, dim=-1)
        token = torch.multinomial(logprobs.exp(), 1, generator=generator)
        picked.append(logprobs.gather(1, token))
        ids = torch.cat([ids, token], dim=1)
    policy.train(was_training)
    return [_until_eos(*row) for row in zip(ids[:, start:].tolist(), torch.cat(picked, dim=1).tolist(), strict=True)]


def _until_eos(ids: list[int], logprobs: list[float]) -> Sampled:
    end = ids.index(1) + 1 if 1 in ids else len(ids)
    return Sampled(ids[:end], logprobs[:end], 1 in ids)
