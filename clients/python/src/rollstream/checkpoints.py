"""What a trainer keeps in its checkpoint, so that it is restored with the data that its weights hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict

from .errors import BadRequest


class Held(TypedDict):
    """A lease that was trained into the weights and for which no ack was answered."""

    step: int
    offsets: list[int]


Tokens = dict[str, Held]


class State(TypedDict):
    """JSON; lives inside the trainer's own checkpoint. Names it by (lineage, step), and vouches for the leases that the
    weights hold and the server may not know of."""

    rollstream: int
    run: str
    lineage: int
    step: int
    tokens: Tokens


FORMAT = 1


class Trained:
    """Leases that were trained and not yet acked, by id. They stay here after a refused ack, so that no checkpoint is
    sealed with data that another was granted."""

    def __init__(self) -> None:
        self._held: dict[str, Held] = {}
        # The last step that was trained, and the last checkpoint that was sealed.
        self.step = 0
        self.sealed: State | None = None

    def add(self, lease: str, step: int, offsets: Sequence[int]) -> None:
        self.step = max(self.step, step)
        self._held.setdefault(lease, {"step": step, "offsets": list(offsets)})

    def settle(self, leases: Iterable[str]) -> None:
        for lease in leases:
            self._held.pop(lease, None)

    def __contains__(self, lease: str) -> bool:
        return lease in self._held

    def upto(self, step: int) -> Tokens:
        """Of the leases that weights of this step hold."""
        return {
            lease: {"step": held["step"], "offsets": list(held["offsets"])}
            for lease, held in self._held.items()
            if held["step"] <= step
        }

    def restored(self, step: int) -> None:
        """After a rewind the weights are those of the checkpoint, and its tokens are in the books."""
        self._held, self.step, self.sealed = {}, step, None


def state_of(value: Mapping[str, object], run: str) -> State:
    """A state as a checkpoint had it; refused where it is damaged or of another run."""
    if not isinstance(value, Mapping):
        raise BadRequest(f"state: what Ready.state() made is needed, not {type(value).__name__}")
    lineage, step, tokens = value.get("lineage"), value.get("step"), value.get("tokens")
    if value.get("rollstream") != FORMAT:
        raise BadRequest(f"state: written in format {value.get('rollstream')!r}; this client knows {FORMAT}")
    if value.get("run") != run:
        raise BadRequest(f"state: of run {value.get('run')!r}, not {run!r}", field="run")
    if type(lineage) is not int or type(step) is not int or not isinstance(tokens, Mapping):
        raise BadRequest("state: lineage, step and tokens are needed, as Ready.state() made them")
    return {
        "rollstream": FORMAT,
        "run": run,
        "lineage": lineage,
        "step": step,
        "tokens": {str(lease): _held_of(str(lease), held) for lease, held in tokens.items()},
    }


def _held_of(lease: str, held: object) -> Held:
    step, offsets = (held.get("step"), held.get("offsets")) if isinstance(held, Mapping) else (None, None)
    if type(step) is not int or not isinstance(offsets, Sequence) or not all(type(o) is int for o in offsets):
        raise BadRequest(f"state: tokens.{lease}: a step and offsets are needed", field=f"tokens.{lease}")
    return {"step": step, "offsets": list(offsets)}


def merge_states(states: Sequence[Mapping[str, object]]) -> State:
    """One state for the checkpoint that several consumers of a run share: the tokens of all, for weights of one
    step."""
    if not states:
        raise BadRequest("merge_states: no state")
    run = states[0].get("run")
    known = [state_of(state, str(run)) for state in states]
    names = {(state["lineage"], state["step"]) for state in known}
    if len(names) > 1:
        raise BadRequest(f"merge_states: states of different checkpoints: {sorted(names)}")
    tokens: Tokens = {}
    for state in known:
        for lease, held in state["tokens"].items():
            offsets = {*tokens[lease]["offsets"], *held["offsets"]} if lease in tokens else held["offsets"]
            tokens[lease] = {"step": held["step"], "offsets": sorted(offsets)}
    return {**known[0], "tokens": tokens}
