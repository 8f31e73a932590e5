"""Which rollout the code that runs belongs to."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .rollout import Rollout

# The innermost block; of a task, that of the task.
current: ContextVar[Rollout | None] = ContextVar("rollstream_rollout", default=None)
