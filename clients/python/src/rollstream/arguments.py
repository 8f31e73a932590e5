"""Arguments as they may be: what no request can carry is refused where it is given, by its name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import SupportsIndex

from .errors import BadRequest

# What the server takes for a lease.
_SHORTEST_LEASE_S, _LONGEST_LEASE_S = 0.1, 604_800.0


def whole(name: str, value: SupportsIndex, least: int = 0, most: int | None = None) -> int:
    """Of any type that stands for a whole number (numpy's too)."""
    try:
        number = index(value)
    except TypeError:
        number = None
    if number is not None and number >= least and (most is None or number <= most):
        return number
    wanted = f"of {least} or more" if most is None else f"from {least} to {most}"
    raise BadRequest(f"{name}: a whole number {wanted} is needed, not {value!r}", field=name)


def whole_or_none(name: str, value: SupportsIndex | None, least: int = 0) -> int | None:
    return None if value is None else whole(name, value, least)


def seconds(name: str, value: float, least: float = 0.0, most: float = math.inf, *, above: bool = False) -> float:
    """above: more than the least."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if (number > least if above else number >= least) and number <= most:
        return number
    wanted = f"{'more than ' if above else ''}{least:g}{'' if above else ' or more'}"
    if most < math.inf:
        wanted = f"{least:g} to {most:g}"
    raise BadRequest(f"{name}: {wanted} seconds are needed, not {value!r}", field=name)


def idle_seconds(value: float | None) -> float | None:
    number = None if value is None else seconds("idle_s", value)
    if number == math.inf:
        raise BadRequest("idle_s: None waits for ever, not inf", field="idle_s")
    return number


def lease_seconds(value: float | None) -> float | None:
    return None if value is None else seconds("lease_s", value, _SHORTEST_LEASE_S, _LONGEST_LEASE_S)


def text(name: str, value: str) -> str:
    """Not empty, and such as UTF-8 can say: no half of a surrogate pair."""
    if not isinstance(value, str) or value == "":
        raise BadRequest(f"{name}: a text that is not empty is needed, not {value!r}", field=name)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadRequest(f"{name}: {value!r} is no Unicode text: it has half of a surrogate pair", field=name) from None
    return value


def text_or_none(name: str, value: str | None) -> str | None:
    return None if value is None else text(name, value)


def server_url(value: str) -> str:
    """Without a slash at its end. Else each request would be tried again until there is no time left."""
    if not (isinstance(value, str) and value.startswith(("http://", "https://"))):
        raise BadRequest(f"url: http:// or https:// and a host are needed, not {value!r}", field="url")
    return value.rstrip("/")


def bearer_token(value: str | None) -> str | None:
    if value is not None and not (isinstance(value, str) and value.isascii() and value.isprintable()):
        raise BadRequest("token: printable ASCII is needed, without a line end", field="token")
    return value


def one_of(name: str, value: str, values: Sequence[str]) -> None:
    if value not in values:
        raise BadRequest(f"{name}: {', '.join(values[:-1])} or {values[-1]}, not {value!r}", field=name)
