"""A trainer's own types, imported when they are first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any, TypeAlias

from .records import Unfit

Foreign: TypeAlias = Any
"""Something of a trainer's: its type is known when it runs, and not to those who have not installed it."""


def upstream(module: str, name: str) -> Foreign:
    """`name` of `module`; says what to install where it is missing."""
    try:
        return getattr(import_module(module), name)
    except ImportError as error:
        raise Unfit(f"{module}.{name} is needed here and cannot be imported: {error}") from error
