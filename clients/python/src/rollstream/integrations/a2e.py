"""Records episodes of A2E from the messages of its wire, as they are sent and received."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from rollstream.engines import record_generate

from .a2e_episode import Asked, Episode
from .a2e_words import Action, action_of, error_status, label_of, leftover, number_or_none, tool_status

Json = Mapping[str, Any]
SYSTEM = "a2e"
SCORER = "a2e/env"
# Requests without an answer: the oldest of more are forgotten.
_MOST_ASKED = 10_000


class A2ERecorder:
    """
    `message(msg)` for each message that is sent or received, `generate(episode_id, request, response)` for each call of
    the model. The same mapping as importing the wire (docs/importing/a2e.md), and the agent's own clock for durations.
    Never raises into the loop: what could not be recorded is counted in `faults`, with the last one in `last_fault`.
    """

    def __init__(self, recorder: Any) -> None:
        self.faults = 0
        self.last_fault: Exception | None = None
        self._recorder = recorder
        self._episodes: dict[str, Episode] = {}
        self._begun: dict[str, int] = {}
        self._asked: dict[str, Asked] = {}
        self._tools: Any = None

    def message(self, msg: Any) -> None:
        """A message as a mapping, or as a pydantic model of their package."""
        try:
            said = msg if isinstance(msg, Mapping) else msg.model_dump(mode="json")
            self._take(said)
        except Exception as fault:
            self._fault(fault)

    def generate(self, episode_id: str, request: object, response: object, **options: Any) -> int | None:
        """One answer of the engine; options as of record_generate. The index of the call; None: none was kept."""
        try:
            episode = self._episodes.get(episode_id) or self._begin(episode_id, None, {})
            return record_generate(episode.rollout, request, response, **options)
        except Exception as fault:
            self._fault(fault)
            return None

    def _fault(self, fault: Exception) -> None:
        self.faults += 1
        self.last_fault = fault

    def _take(self, said: Json) -> None:
        kind = str(said["type"])
        verb, _, way = kind.rpartition("/")
        if kind == "tool/list/resp":
            self._tools = said.get("tools")
        elif kind == "env/state/push":
            self._push(said)
        elif kind == "learn/experience/req":
            for experience in said.get("experiences") or ():
                episode = self._of(experience.get("episode_id"))
                if episode is not None:
                    episode.rollout.message("experience", dict(experience))
        elif kind == "error":
            self._failed(said)
        elif way == "req":
            self._request(verb, said)
        elif way == "resp":
            self._respond(verb, said)

    def _of(self, episode_id: object) -> Episode | None:
        return self._episodes.get(episode_id) if isinstance(episode_id, str) else None

    def _request(self, verb: str, said: Json) -> None:
        episode = self._of(said.get("episode_id")) or self._of(said.get("correlation_id"))
        if episode is None and verb == "tool/call":
            opened = [one for one in self._episodes.values() if not one.has_ended]
            episode = opened[0] if len(opened) == 1 else None
        self._asked[str(said.get("id"))] = Asked(verb, said, episode)
        if len(self._asked) > _MOST_ASKED:
            self._asked.pop(next(iter(self._asked)))
        if verb == "env/close" and episode is not None and not episode.has_ended:
            self._end_closed(episode)

    def _answered(self, verb: str, said: Json) -> Asked | None:
        req_id = said.get("req_id")
        if req_id:
            return self._asked.pop(str(req_id), None)
        # Their answer to a close has lost the id: it is of the one that has waited longest.
        waiting = next((name for name, asked in self._asked.items() if asked.verb == verb), None)
        return None if waiting is None else self._asked.pop(waiting)

    def _respond(self, verb: str, said: Json) -> None:
        asked = self._answered(verb, said)
        obs = said.get("obs") if isinstance(said.get("obs"), Mapping) else None
        if verb == "env/reset" and obs is not None:
            self._reset(obs, asked)
        elif verb == "env/step" and obs is not None:
            self._step(obs, asked)
        elif verb == "tool/call" and asked is not None and asked.episode is not None:
            self._tool(said, asked, asked.episode)
        elif verb == "env/observe" and obs is not None:
            episode = self._of(obs.get("episode_id"))
            if episode is not None:
                episode.rollout.message("environment", obs.get("state"), extra=leftover(obs, "state", "episode_id"))
        elif verb == "env/close" and asked is not None and asked.episode is not None:
            asked.episode.rollout.phase_done("cleanup", asked.took_us(), detail="env/close")
            self._episodes.pop(asked.episode.episode_id, None)

    def _begin(self, episode_id: str, asked: Asked | None, obs: Json) -> Episode:
        request: Json = {} if asked is None else asked.message
        options, metadata = request.get("options"), obs.get("metadata")
        before = self._begun.get(episode_id, 0)
        self._begun[episode_id] = before + 1
        rollout_id = episode_id if before == 0 else f"{episode_id}.{before}"
        group_id = label_of("group_id", options, metadata)
        task_id = label_of("task_id", options, metadata) or group_id or rollout_id
        seed = request.get("seed")
        started_us = None if asked is None else time.time_ns() // 1000 - asked.took_us()
        rollout = self._recorder.rollout(
            task_id=str(task_id),
            rollout_id=rollout_id,
            group_id=None if group_id is None else str(group_id),
            group_size=None if group_id is None else label_of("group_size", options, metadata),
            attempt=label_of("attempt", options, metadata) or 0,
            env_name=request.get("env_name") or None,
            task_metadata={"options": options, "metadata": metadata},
            tools=self._tools,
            seeds={"env": seed} if isinstance(seed, int) else None,
            started_at_us=started_us,
            extra=None if asked is not None else {"without_reset": True},
        )
        episode = self._episodes[episode_id] = Episode(rollout, episode_id)
        return episode

    def _reset(self, obs: Json, asked: Asked | None) -> None:
        episode = self._begin(str(obs["episode_id"]), asked, obs)
        if asked is not None:
            episode.rollout.phase_done("sandbox_setup", asked.took_us(), detail="env/reset")
        episode.rollout.message("environment", obs.get("state"), extra=leftover(obs, "state", "episode_id", "metadata"))

    def _step(self, obs: Json, asked: Asked | None) -> None:
        episode = self._of(obs.get("episode_id")) or self._begin(str(obs["episode_id"]), None, {})
        action = action_of(None if asked is None else asked.message.get("action"))
        self._result(
            episode, asked, action, obs.get("state"), "ok", {"observation": leftover(obs, "state", "episode_id")}
        )
        reward = number_or_none(obs.get("reward"))
        episode.failed = None
        episode.rewards.append(reward)
        episode.steps.append({"step_num": obs.get("step_num"), "reward": reward})
        reasons = [word for word in ("done", "truncated") if obs.get(word) is True]
        if reasons and not episode.has_ended:
            self._end(episode, reasons, reward)

    def _tool(self, said: Json, asked: Asked, episode: Episode) -> None:
        data = said.get("data") if isinstance(said.get("data"), Mapping) else {}
        assert isinstance(data, Mapping)
        action = Action(asked.message.get("tool_name"), asked.message.get("arguments"), None)
        code, error, ms = data.get("error_code"), data.get("error"), data.get("duration_ms")
        self._result(
            episode,
            asked,
            action,
            data.get("data"),
            tool_status(data.get("success"), code),
            {
                "result": leftover(
                    data, "data", "success", "tool_name", "exit_code", "error", "error_code", "duration_ms"
                )
            },
            exit_code=data.get("exit_code"),
            exec_us=ms * 1000 if isinstance(ms, int) else None,
            error={"type": code, "message": error} if code or error else None,
        )

    def _failed(self, said: Json) -> None:
        asked = self._answered("", said) if said.get("req_id") else None
        if asked is None:
            return
        error = {"type": said.get("code"), "message": said.get("message")}
        if asked.episode is not None and asked.verb in ("env/step", "tool/call"):
            if asked.verb == "env/step":
                asked.episode.failed = said
            action = action_of(asked.message.get("action", asked.message))
            extra = {"response": leftover(said, "type", "id", "req_id", "ts", "version", "a2e", "code", "message")}
            self._result(asked.episode, asked, action, None, error_status(said.get("code")), extra, error=error)
        elif asked.verb == "env/reset":
            episode = self._begin(f"reset-{asked.message.get('id')}", asked, {})
            episode.failed = said
            self._end_closed(episode, is_closed=False)

    def _result(
        self,
        episode: Episode,
        asked: Asked | None,
        action: Action,
        output: Any,
        status: str,
        extra: Json,
        **more: Any,
    ) -> None:
        call_id = action.call_id or ("" if asked is None else str(asked.message.get("id")))
        duration_us = None if asked is None else asked.took_us()
        kept = {
            **extra,
            **({"unasked": True} if asked is None else {}),
            **({"action": action.rest} if action.rest else {}),
        }
        episode.rollout.tool_result(
            call_id,
            output,
            name=action.name,
            status=status,
            executed_arguments=action.arguments,
            duration_us=duration_us,
            extra={name: value for name, value in kept.items() if value},
            **more,
        )

    def _push(self, said: Json) -> None:
        episode = self._of(said.get("episode_id"))
        if episode is None:
            return
        kept = leftover(said, "type", "id", "ts", "version", "a2e", "episode_id", "delta")
        episode.rollout.message("environment", said.get("delta"), extra={"push": kept})
        reward = number_or_none(said.get("reward"))
        if reward is not None:
            episode.pushed.append({"step_id": said.get("step_id"), "reward": reward})
        if said.get("terminal") is True and not episode.has_ended:
            episode.rewards.append(reward)
            self._end(episode, ["terminal"], reward, said.get("reason") or said.get("event_type"))

    def _end(self, episode: Episode, reasons: list[str], reward: float | None, detail: Any = None) -> None:
        """A 0 may be the default of the protocol for a reward that was left out: the report says so."""
        episode.has_ended = True
        more = [{"raw": raw, "system": SYSTEM} for raw in reasons[1:]]
        episode.rollout.end(reasons[0], system=SYSTEM, detail=detail, reasons=more, env_reward=reward)
        given = [one for one in episode.rewards if one is not None]
        report: dict[str, Any] = {"final": reward, "steps": episode.steps}
        if episode.pushed:
            report["pushed"] = episode.pushed
        if 0 in given:
            report["zero_may_be_default"] = True
        status = "missing" if reward is None else "scored"
        value = None if reward is None else sum(given)
        episode.rollout.verdict(SCORER, rewards={"env_return": value}, status=status, report=report)

    def _end_closed(self, episode: Episode, is_closed: bool = True) -> None:
        failed = episode.failed
        if failed is None:
            self._end(episode, ["closed"], episode.rewards[-1] if episode.rewards else None)
            return
        episode.has_ended = True
        more = [{"raw": "closed", "system": SYSTEM}] if is_closed else []
        retry = " (retryable)" if failed.get("retryable") is True else ""
        detail = f"{failed.get('message') or ''}{retry}".strip()
        episode.rollout.end(str(failed.get("code")), system=SYSTEM, detail=detail or None, reasons=more)
