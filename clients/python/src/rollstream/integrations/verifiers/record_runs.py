"""One call makes an agent, or an environment with its agents, record its rollouts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..records_rollouts import RecordsRollouts
from .watched_trace import WatchedTrace

T = TypeVar("T")
Named = str | Callable[[Any], str | None] | None


def record_agent(agent: T, recorder: RecordsRollouts, **identity: Any) -> T:
    """
    Makes `agent.run` record, and returns the agent. Each trace is a rollout, named by its id; a run that is tried
    again is a trace of its own. `identity`: group_id (a name, or of a task), group_size, env_name, weights_version (a
    name, or what tells it), and whatever else Recorder.rollout takes.
    """
    return _recorded(agent, "run", recorder, identity)


def record_env(env: T, recorder: RecordsRollouts, **identity: Any) -> T:
    """The same for `env.run_episode`: each trace of an episode's agents, scored when the episode is."""
    return _recorded(env, "run_episode", recorder, identity)


def _recorded(runner: T, method: str, recorder: RecordsRollouts, identity: dict[str, Any]) -> T:
    run = getattr(runner, method)
    if getattr(run, "_rollstream_recorded", False):
        raise ValueError(f"this {type(runner).__name__} is recorded already")

    async def recorded(task: Any, *args: Any, on_trace: Callable[[Any], None] | None = None, **kwargs: Any) -> Any:
        watched: list[WatchedTrace] = []

        def minted(trace: Any) -> None:
            watched.append(WatchedTrace(trace, recorder, _of(identity, task)))
            watched[-1].watch()
            if on_trace is not None:
                on_trace(trace)

        try:
            return await run(task, *args, on_trace=minted, **kwargs)
        finally:
            for one in watched:
                one.finish()

    recorded._rollstream_recorded = True  # type: ignore[attr-defined]
    setattr(runner, method, recorded)
    return runner


def _of(identity: dict[str, Any], task: Any) -> dict[str, Any]:
    group_id, version = identity.get("group_id"), identity.get("weights_version")
    return {
        **identity,
        "group_id": group_id(task) if callable(group_id) else group_id,
        "weights_version": version() if callable(version) else version,
    }
