"""One rollout of an environment on its way into a recorder."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from ..clock import Clock
from ..guarded import guarded
from ..records_rollouts import RecordsRollouts
from .agent_facts import AgentFacts
from .endings import exception_of, limit_of, reason_of
from .hooks import Hooks
from .reward_verdict import reward_verdict


class Episode:
    """Begins when its agent is made, for only then its tools are known; ends when its loop does, before the reward."""

    def __init__(
        self,
        recorder: RecordsRollouts,
        identity: dict[str, Any],
        env: Any,  # an Environment
        scorer: str,
        reset: tuple[Clock, int] | None,
    ) -> None:
        self._recorder, self._identity, self._env, self._scorer, self._reset = recorder, identity, env, scorer, reset
        self._clock = Clock() if reset is None else reset[0]
        self._open = ExitStack()
        self._r: Any = None
        self._ended = False
        self._models = 0
        self.about_model: dict[str, Any] = {}
        self.agent = AgentFacts()
        self.token_models: list[Any] = []
        """Those whose calls are recorded with their tokens. One may wait for what the parser makes of it."""

    @property
    def r(self) -> Any:  # a Rollout
        self.begin(None)
        return self._r

    def begin(self, tools: object) -> None:
        if self._r is not None:
            return
        fields = {**self._identity, **self.about_model, "tools": tools, "started_at_us": self._clock.started_at_us}
        self._r = self._open.enter_context(self._recorder.rollout(**fields))
        if self._reset is not None:
            clock, took_us = self._reset
            self._r.phase_done("sandbox_setup", took_us, detail="reset", started_at_us=clock.started_at_us)

    def agent_made(self, agent: Any) -> None:  # an Agent
        """The first is the environment's own; what its tools make is theirs."""
        if self._r is not None:
            return
        self.begin(self.agent.of(agent))
        r = self.r
        if agent.system_prompt:
            r.message("system", [{"text": agent.system_prompt}])
        for message in agent.messages:
            r.message(message["role"], message["content"], extra={"history": True})

    def next_segment(self) -> str:
        """The agent's own model is the main one; others that the environment makes meanwhile have their own tokens."""
        self._models += 1
        return "main" if self._models == 1 else f"model-{self._models - 1}"

    def hooks(self) -> Hooks:
        return Hooks(self)

    @guarded
    def failed_to_reset(self, error: BaseException) -> None:
        """No loop began. The evaluator calls that not_terminated, and gives the sample up."""
        self._reset, reset = None, self._reset
        self.begin(None)
        if reset is not None:
            clock, took_us = reset
            self._r.phase_done("sandbox_setup", took_us, detail="reset", error=error, started_at_us=clock.started_at_us)
        self._end("not_terminated", reasons=[{"raw": "aborted", "system": "strands-env"}], exception=error)
        self._r.verdict(self._scorer, status="not_run")
        self._open.close()

    @guarded
    def loop_ended(self, result: Any) -> None:  # a RolloutResult
        if self._ended:
            return
        self.begin(None)
        self._finish_calls()
        reason = reason_of(result)
        self._end(
            reason,
            final_response=getattr(result, "final_response", None),
            exception=exception_of(self.agent.raised),
            limit=limit_of(reason, result, self._env, (self.about_model.get("sampling") or {}).get("max_tokens")),
            extra={"metrics": getattr(result, "metrics", None)},
        )

    @guarded
    def judged(self, reward_fn: object, said: object, clock: Clock, error: BaseException | None) -> None:
        """`said`: what the reward function returned; with `error`, None."""
        name = type(reward_fn).__name__
        self.r.phase_done("verify", clock.elapsed_us(), error=error, started_at_us=clock.started_at_us)
        self._r.verdict(self._scorer, **reward_verdict(said, error), extra={"reward_fn": name})

    @guarded
    def finished(self, result: Any) -> None:
        """Without a reward function nobody has judged it yet: whoever does hands in the verdict."""
        self.loop_ended(result)
        self._open.close()

    @guarded
    def broke_off(self, error: BaseException) -> None:
        """It raised, or was cancelled from outside, before or after its loop had ended."""
        self.begin(None)
        self._finish_calls()
        if not self._ended:
            self._end("not_terminated", reasons=[{"raw": "aborted", "system": "strands-env"}], exception=error)
            self._r.verdict(self._scorer, status="not_run")
        self._open.close()

    @guarded
    def cleaned_up(self, clock: Clock, error: BaseException | None) -> None:
        if self._r is not None:
            self._r.phase_done("cleanup", clock.elapsed_us(), error=error, started_at_us=clock.started_at_us)

    def _end(self, reason: str, **fields: Any) -> None:
        self._ended = True
        self._r.end(reason, system="strands-env", **fields)

    def _finish_calls(self) -> None:
        for model in self.token_models:
            model.finish()
