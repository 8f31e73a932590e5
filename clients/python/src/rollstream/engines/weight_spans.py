"""Which version of the weights sampled which token, as far as the engine says so."""

from __future__ import annotations

from collections.abc import Sequence

from .generated_call import GeneratedCall
from .json_fields import Json, count, items, mapping


def set_weight_spans(call: GeneratedCall, meta: Json, tokens: int | None) -> None:
    """
    Half-open spans by output token are taken where they cover every token. A version alone is stamped when the output
    is handled: one span, and `extra` says that a change within the call would not show.
    """
    spans = items(meta.get("weight_versions"))
    version = meta.get("weight_version")
    if spans is not None:
        found = _covering(spans, tokens)
        if found is not None:
            call.weight_spans = found
            return
        # A hole would be filled by the version before it, which did not sample those tokens.
        call.extra["weight_versions"] = list(spans)
        call.disagrees(weight_versions="do not cover the tokens one by one")
        return
    if version is None or isinstance(version, bool):
        return
    if tokens == 0:
        call.extra["weight_version"] = version
        return
    call.weight_spans = [{"start": 0, "version": str(version)}]
    call.extra["weight_version_stamped"] = "at_output"


def _covering(spans: Sequence[object], tokens: int | None) -> list[Json] | None:
    found: list[Json] = []
    at = 0
    for span in map(mapping, spans):
        start, end, version = count(span.get("start")), count(span.get("end")), span.get("version")
        if start != at or end is None or end < start or version is None:
            return None
        if end > start:
            found.append({"start": start, "version": str(version)})
        at = end
    return found if tokens is None or at == tokens else None
