"""Records rollouts: each event is in the spool when its call returns, and is sent from there."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from .rollout import Rollout


class Recorder:
    """Events of one process, on their way to one server. See README, "Recording"."""

    def __init__(
        self,
        url: str = "http://127.0.0.1:8080",
        run_id: str = "",
        *,
        token: str | None = None,
        env_name: str | None = None,
        purpose: str = "train",
        epoch: int = 0,
        actor: str | None = None,
        spool_dir: str | None = None,
        spool_max_bytes: int = 1 << 30,
        memory_max_bytes: int = 16 << 20,
        producer_id: str | None = None,
        sample_every_s: float = 0.25,
    ) -> None:
        raise NotImplementedError

    def rollout(
        self,
        task_id: str,
        *,
        group_id: str | None = None,
        group_size: int | None = None,
        env_name: str | None = None,
        rollout_id: str | None = None,
        attempt: int = 0,
        epoch: int | None = None,
        prompt: str | bytes | None = None,
        task_metadata: Mapping[str, Any] | None = None,
        tools: object = None,
        tokenizer_id: str | None = None,
        tokenizer_sha256: str | None = None,
        template_sha256: str | None = None,
        template_vars: Mapping[str, Any] | None = None,
        sampling: Mapping[str, Any] | None = None,
        limits: Mapping[str, Any] | None = None,
        weights_version: str | None = None,
        seeds: Mapping[str, int] | None = None,
        env_image_digest: str | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> Rollout:
        raise NotImplementedError

    def rate_limit_wait(self) -> AbstractContextManager[None]:
        """Time spent waiting for a rate limit: a phase of the rollout whose block this is in, if it is in one."""
        raise NotImplementedError

    def flush(self, timeout_s: float = 10.0) -> bool:
        """Whether all that was recorded before has been answered within this time."""
        raise NotImplementedError

    def close(self, timeout_s: float = 10.0) -> None:
        raise NotImplementedError

    def stats(self) -> dict[str, int]:
        raise NotImplementedError
