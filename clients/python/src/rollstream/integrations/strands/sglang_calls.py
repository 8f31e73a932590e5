"""Calls of one model to SGLang's /generate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rollstream.engines import AuxFolder, read_response
from rollstream.engines.record_generate import model_call_fields
from rollstream.engines.sampling import sampling_of

from ..clock import Clock
from ..guarded import guarded

if TYPE_CHECKING:
    from .episode import Episode


def sampling_of_config(config: Mapping[str, Any]) -> dict[str, Any] | None:
    """As the model sends it: special tokens are kept in the text unless the configuration says otherwise."""
    return sampling_of({"skip_special_tokens": False, **(config.get("sampling_params") or {})})


class SGLangCalls:
    """
    A call is recorded when its text has been parsed, so that what the parser made of it stands with it. One whose text
    never is (the model raised before) is recorded by the next call, or at the end.
    """

    def __init__(self, episode: Episode, segment: str, client: Any, parser: Any, aux: AuxFolder | None) -> None:
        self._episode, self._segment, self._client, self._parser, self._aux = episode, segment, client, parser, aux
        self._waiting: dict[str, Any] | None = None
        self._sent = 0
        """Tokens that the last answered call left in the rollout: what is sent begins with them."""

    async def generate(self, input_ids: Sequence[int], **kwargs: Any) -> Any:
        self.finish()
        clock = Clock()
        # The rollout may grow what it handed in before this is recorded.
        request = {**kwargs, "input_ids": list(input_ids)}
        try:
            response = await self._client.generate(input_ids=input_ids, **kwargs)
        except BaseException as error:
            self._failed(request, error, clock)
            raise
        self._answered(request, response, clock)
        return response

    def parse(self, text: str, *args: Any, **kwargs: Any) -> Any:
        try:
            results = self._parser.parse(text, *args, **kwargs)
        except BaseException as error:
            self._parser_raised(error)
            raise
        self._parsed(text, results)
        return results

    @guarded
    def finish(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            turn = self._episode.r.model_call(**waiting)
            self._episode.agent.asked_in(turn, waiting["tool_calls"])

    @guarded
    def _answered(self, request: dict[str, Any], response: object, clock: Clock) -> None:
        took_us = clock.elapsed_us()
        common = {
            "segment_id": self._segment_of(request),
            "started_at_us": clock.started_at_us,
            "duration_us": took_us,
        }
        try:
            call = read_response(request, response)
        except ValueError as error:
            # The environment will stumble over it too; what it stumbled over is kept.
            self._waiting = {**common, "tool_calls": (), "error": error, "extra": {"unread": response}}
            return
        if request.get("image_data"):
            call.extra["images"] = len(request["image_data"])
        self._sent = len(request["input_ids"]) + len(call.completion_ids or ())
        fields = model_call_fields(call, self._aux)
        if fields["sampling"] == self._episode.about_model.get("sampling"):
            fields["sampling"] = None
        self._waiting = {**fields, **common}

    def _segment_of(self, request: dict[str, Any]) -> str:
        """Structured output is asked for with a prompt of its own, and leaves no token in the rollout."""
        is_structured = "json_schema" in (request.get("sampling_params") or {})
        return f"{self._segment}-structured" if is_structured else self._segment

    @guarded
    def _failed(self, request: dict[str, Any], error: BaseException, clock: Clock) -> None:
        """The loop keeps no token of it. What was sent is kept beside: a prompt that did not fit can be seen."""
        ids = request["input_ids"]
        self._episode.r.model_call(
            segment_id=self._segment_of(request),
            error=error,
            sampling=sampling_of(request.get("sampling_params") or {}),
            started_at_us=clock.started_at_us,
            duration_us=clock.elapsed_us(),
            extra={"sent": {"prompt_tokens": len(ids), "new_ids": ids[self._sent :]}},
        )

    @guarded
    def _parsed(self, text: str, results: Sequence[Any]) -> None:
        if self._waiting is None or self._waiting.get("raw_text") != text:
            return
        known, name = self._episode.agent.tool_names, type(self._parser).__name__
        self._waiting["tool_calls"] = [_tool_call(result, known, name) for result in results]
        self.finish()

    @guarded
    def _parser_raised(self, error: BaseException) -> None:
        if self._waiting is not None:
            told = {"type": type(error).__name__, "message": str(error)}
            self._waiting["extra"] = {**(self._waiting["extra"] or {}), "parser_error": told}
            self.finish()


def _tool_call(result: Any, known: frozenset[str] | None, parser: str) -> dict[str, Any]:  # ToolParseResult
    """`raw` is set exactly where the parser failed; the loop runs the named tool all the same, without arguments."""
    status = "ok" if known is None or result.name in known else "unknown_tool"
    return {
        "call_id": str(result.id),
        "name": result.name,
        "arguments_raw": result.raw,
        "arguments_parsed": None if result.is_error else result.input,
        "parse_status": "malformed" if result.is_error else status,
        "parser": parser,
    }
