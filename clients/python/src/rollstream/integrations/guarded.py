"""Recording must not end what it records."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

_logger = logging.getLogger(__name__)
P = ParamSpec("P")


def guarded(record: Callable[P, None]) -> Callable[P, None]:
    """What goes wrong in it is logged, and the rollout goes on."""

    @wraps(record)
    def safely(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            record(*args, **kwargs)
        except Exception:
            _logger.exception("%s could not be recorded", record.__name__)

    return safely
