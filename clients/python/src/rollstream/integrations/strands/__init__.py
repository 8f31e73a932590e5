"""Records rollouts of strands-env as they happen: what its RolloutResult keeps, and what it drops."""

from __future__ import annotations

from .record_environment import prompt_id_of_sample, record_environment

__all__ = ["prompt_id_of_sample", "record_environment"]
