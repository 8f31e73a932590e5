"""A trace of verifiers on its way into a recorder, call by call as it grows."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from ..guarded import guarded
from ..records_rollouts import RecordsRollouts
from .trace_calls import content_text, model_call_of, path_to
from .trace_end import end_of, verdict_of

_BEFORE = {"boot": "sandbox_setup", "setup": "agent_setup"}
_AFTER = {"finalize": "cleanup", "scoring": "verify"}


class WatchedTrace:
    """Ends when the trace's agent does, before its scoring."""

    def __init__(self, trace: Any, recorder: RecordsRollouts, identity: Mapping[str, Any]) -> None:
        self._trace, self._recorder, self._identity = trace, recorder, identity
        self._open = ExitStack()
        self._r: Any = None
        self._calls = 0
        self._nodes: set[int] = set()
        self._asked: dict[str, tuple[int, str]] = {}
        self._phases: set[str] = set()
        self._has_ended = False

    @guarded
    def watch(self) -> None:
        """Whoever watched it before goes on watching."""
        earlier = getattr(self._trace, "_on_change", None)

        def changed(trace: Any) -> None:
            self._changed()
            if earlier is not None:
                earlier(trace)

        self._trace.watch(changed)

    @guarded
    def finish(self) -> None:
        """The run has returned: it is scored, or nobody will."""
        self._grow()
        self._end()
        for name, phase in _AFTER.items():
            self._phase(name, phase)
        self._r.verdict("verifiers", **verdict_of(self._trace))
        self._open.close()

    @guarded
    def _changed(self) -> None:
        self._grow()
        if self._trace.timing.agent.end:
            self._end()

    def _grow(self) -> None:
        if self._has_ended:
            return
        self._begin()
        for name, phase in _BEFORE.items():
            self._phase(name, phase)
        for index in range(self._calls, len(self._trace.calls)):
            self._calls = index + 1
            self._call(self._trace.calls[index], index)

    def _begin(self) -> None:
        if self._r is not None:
            return
        trace = self._trace
        data, config = trace.task.data, trace.agent.config
        about = {
            "task_id": str(trace.task.key or trace.task.hash or trace.id),
            "rollout_id": trace.id,
            "env_name": "verifiers",
            "prompt": data.prompt if isinstance(data.prompt, str) else None,
            "task_metadata": data.model_dump(mode="json"),
            "sampling": config.sampling.model_dump(mode="json", exclude_none=True) or None,
            "limits": {"max_tokens": config.max_total_tokens, "max_turns": config.max_turns},
            "started_at_us": round(trace.timing.start * 1e6),
            "extra": {"agent": {"name": trace.agent.name, "trainable": trace.agent.trainable}},
        }
        given = {name: value for name, value in self._identity.items() if value is not None}
        self._r = self._open.enter_context(self._recorder.rollout(**{**about, **given}))

    def _call(self, call: Any, index: int) -> None:
        path = [] if call.node is None else path_to(self._trace, call.node)
        for node in path[:-1]:
            self._message(node)
        if call.node is not None:
            self._nodes.add(call.node)
        turn = self._r.model_call(**model_call_of(self._trace, call, index, path))
        if path:
            for one in self._trace.nodes[path[-1]].message.tool_calls or ():
                self._asked[one.id] = (turn, one.name)

    def _message(self, index: int) -> None:
        """What no model call wrote, once. Nodes exist when the call that was shown them is answered."""
        node = self._trace.nodes[index]
        if index in self._nodes or node.sampled:
            return
        self._nodes.add(index)
        message = node.message
        if message.role != "tool":
            self._r.message(message.role, message.model_dump(mode="json")["content"])
            return
        turn, name = self._asked.get(message.tool_call_id, (None, None))
        text = content_text(message.content)
        self._r.tool_result(message.tool_call_id, text, turn=turn, name=message.name or name, segment_id="main")

    def _phase(self, name: str, phase: str) -> None:
        span = getattr(self._trace.timing, name)
        if name in self._phases or not span.start or not span.end:
            return
        self._phases.add(name)
        started_at_us = round(span.start * 1e6)
        self._r.phase_done(phase, round(span.end * 1e6) - started_at_us, detail=name, started_at_us=started_at_us)

    def _end(self) -> None:
        if not self._has_ended:
            # Tool results that no further call was shown.
            for index in range(len(self._trace.nodes)):
                self._message(index)
            self._has_ended = True
            self._r.end(**end_of(self._trace))
