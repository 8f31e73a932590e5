"""Records rollouts of verifiers 1 as they happen, with every digit of their logprobs: its records on disk have four."""

from __future__ import annotations

from .record_runs import record_agent, record_env

__all__ = ["record_agent", "record_env"]
