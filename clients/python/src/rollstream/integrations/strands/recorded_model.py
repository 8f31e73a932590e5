"""A model of one rollout, whose calls are recorded with what the engine said and what the parser made of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rollstream.engines import AuxFolder

from ..stand_in import StandIn
from .sglang_calls import SGLangCalls, sampling_of_config

if TYPE_CHECKING:
    from .episode import Episode


def record_model(model: Any, episode: Episode, aux: AuxFolder | None) -> None:  # a Model
    """
    A model that speaks with SGLang is recorded with its tokens. Its client and its parser are shared with other
    rollouts: it gets stand-ins of them. Other models are recorded by their messages, by the hooks.
    """
    segment = episode.next_segment()
    client, parser = getattr(model, "client", None), getattr(model, "tool_parser", None)
    if not callable(getattr(client, "generate", None)) or not callable(getattr(parser, "parse", None)):
        return
    if segment == "main":
        episode.about_model = about_model(model)
    calls = SGLangCalls(episode, segment, client, parser, aux)
    model.client = StandIn(client, generate=calls.generate)
    model.tool_parser = StandIn(parser, parse=calls.parse)
    episode.token_models.append(calls)


def about_model(model: Any) -> dict[str, Any]:
    tokenizer, config = getattr(model, "tokenizer", None), getattr(model, "config", None)
    config = config if isinstance(config, Mapping) else {}
    template = getattr(tokenizer, "chat_template", None)
    name = getattr(tokenizer, "name_or_path", None)
    return {
        "tokenizer_id": name or None,
        "tokenizer_sha256": _sha256_of_tokenizer(name),
        "template_sha256": hashlib.sha256(template.encode()).hexdigest() if isinstance(template, str) else None,
        "template_vars": {"enable_thinking": config.get("enable_thinking", True)},
        "sampling": sampling_of_config(config),
    }


def _sha256_of_tokenizer(name: object) -> str | None:
    """Of tokenizer.json where the tokenizer came from a folder; what a hub keeps has a name of its own."""
    if not isinstance(name, str):
        return None
    file = Path(name) / "tokenizer.json"
    try:
        stat = file.stat()
    except OSError:
        return None
    return _sha256(str(file), stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=16)
def _sha256(file: str, _modified_ns: int, _size: int) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()
