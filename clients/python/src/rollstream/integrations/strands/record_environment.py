"""One call makes an environment of strands-env record its rollouts."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar

from rollstream.engines import AuxFolder

from ..clock import Clock
from ..records_rollouts import RecordsRollouts
from ..stand_in import StandIn
from .episode import Episode
from .identity import Identity
from .recorded_model import record_model
from .recorded_reward import recorded_compute

Env = TypeVar("Env")
Named = str | Callable[[Any], str | None] | None

_MARK = "_rollstream_recorded"
_METHODS = ("reset", "rollout", "cleanup", "model_factory", "get_hooks")


def prompt_id_of_sample(task: Any) -> str:  # a Task
    """Tasks of strands-env's Evaluator are called `{prompt_id}_{sample}`. Others are not: then do not use it."""
    return str(task.id).rpartition("_")[0] or str(task.id)


def record_environment(
    env: Env,
    recorder: RecordsRollouts,
    *,
    task: object = None,
    prompt_id: Named = None,
    rollout_id: Named = None,
    group_size: int | None = None,
    attempt: int = 0,
    env_name: str | None = None,
    weights_version: str | Callable[[], str | None] | None = None,
    scorer: str = "strands-env",
    aux: AuxFolder | None = None,
) -> Env:
    """
    Makes this environment record each of its rollouts, and returns it. Its class and the objects that it shares with
    others (client, tokenizer, reward function) stay as they are.

    `task`: the task that it was made for, where that is known before `reset`: then a reset that fails is an attempt
    too. `prompt_id`: of a task, what all samples of one prompt share; it is group and task id, as for imported results
    (see `prompt_id_of_sample`). Without it there is no group. `rollout_id`: task.id unless given. `attempt`: of the
    first rollout with an id; further ones of this environment count up. `aux`: where routed experts are written to.
    """
    if getattr(env, _MARK, False):
        raise ValueError("this environment is recorded already")
    missing = [name for name in _METHODS if not callable(getattr(env, name, None))]
    if missing:
        raise ValueError(f"an environment of strands-env 0.5 is needed; this one has no {', '.join(missing)}")
    identity = Identity(prompt_id, rollout_id, group_size, attempt, env_name or type(env).__name__, weights_version)
    _Recording(env, recorder, identity, scorer, aux).install(task)
    setattr(env, _MARK, True)
    return env


class _Recording:
    """The environment with its methods done in another way: each calls its own, and tells the episode."""

    def __init__(
        self,
        env: Any,
        recorder: RecordsRollouts,
        identity: Identity,
        scorer: str,
        aux: AuxFolder | None,
    ) -> None:
        self.env, self._recorder, self._identity, self._scorer, self._aux = env, recorder, identity, scorer, aux
        self._reset: tuple[Clock, int] | None = None
        self._last: Episode | None = None
        # Rollouts of one environment may run at once, each in a task of its own.
        self._now: ContextVar[Episode | None] = ContextVar("rollstream_episode", default=None)

    def install(self, task: object) -> None:
        env = self.env
        self._reset_env, self._rollout_env, self._cleanup_env = env.reset, env.rollout, env.cleanup
        self._make_model, self._own_hooks, self._task = env.model_factory, env.get_hooks, task
        env.reset, env.rollout, env.cleanup = self._recorded_reset, self._recorded_rollout, self._recorded_cleanup
        env.model_factory, env.get_hooks = self._recorded_model, self._recorded_hooks
        if env.reward_fn is not None:
            env.reward_fn = StandIn(env.reward_fn, compute=recorded_compute(env.reward_fn, self._now.get))

    async def _recorded_reset(self, *args: object, **kwargs: object) -> object:
        clock = Clock()
        try:
            return await self._reset_env(*args, **kwargs)
        except BaseException as error:
            if self._task is not None:
                self._episode(self._task, (clock, clock.elapsed_us())).failed_to_reset(error)
            raise
        finally:
            self._reset = (clock, clock.elapsed_us())

    async def _recorded_rollout(self, task: Any, *args: object, **kwargs: object) -> object:
        reset, self._reset = self._reset, None
        episode = self._episode(task, reset)
        token = self._now.set(episode)
        try:
            result = await self._rollout_env(task, *args, **kwargs)
        except BaseException as error:
            episode.broke_off(error)
            raise
        else:
            episode.finished(result)
        finally:
            self._now.reset(token)
        return result

    async def _recorded_cleanup(self, *args: object, **kwargs: object) -> object:
        clock = Clock()
        error: BaseException | None = None
        try:
            return await self._cleanup_env(*args, **kwargs)
        except BaseException as raised:
            error = raised
            raise
        finally:
            if self._last is not None:
                self._last.cleaned_up(clock, error)

    def _recorded_model(self, *args: object, **kwargs: object) -> object:
        model = self._make_model(*args, **kwargs)
        episode = self._now.get()
        if episode is not None:
            record_model(model, episode, self._aux)
        return model

    def _recorded_hooks(self) -> list[Any]:
        episode = self._now.get()
        own = list(self._own_hooks())
        # First: callbacks after a call are run in reverse order, and this one is to see what the others made of it.
        return own if episode is None else [episode.hooks(), *own]

    def _episode(self, task: object, reset: tuple[Clock, int] | None) -> Episode:
        self._last = Episode(self._recorder, self._identity.of(task, self.env), self.env, self._scorer, reset)
        return self._last
