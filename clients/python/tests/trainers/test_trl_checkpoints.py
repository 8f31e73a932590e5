from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest

from rollstream import Ready
from rollstream.trainers.trl_checkpoints import STATE, Run, resume_from, seal_checkpoints


class Books:
    """Remembers what was asked, in order."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, object]] = []

    def state(self, step: int | None = None) -> Mapping[str, object]:
        return {"run": "math", "step": step}

    def checkpoint(self, of: Mapping[str, object]) -> None:
        self.asked.append(("sealed", of["step"]))

    def resume(self, state: Mapping[str, object]) -> int:
        self.asked.append(("resumed", state["step"]))
        return 1


def saved(folder: Path, step: int, state: bool = True) -> None:
    (folder / f"checkpoint-{step}").mkdir()
    if state:
        (folder / f"checkpoint-{step}" / STATE).write_text(json.dumps({"run": "math", "step": step}))


def test_the_client_is_such_a_run() -> None:
    def read(ready: Ready) -> Run:
        return ready

    assert read is not None


def test_the_last_checkpoint_by_number_is_taken(tmp_path: Path) -> None:
    for step in (9, 10, 8):
        saved(tmp_path, step)
    books = Books()
    assert resume_from(books, tmp_path) == str(tmp_path / "checkpoint-10")
    assert books.asked == [("resumed", 10)]


def test_one_that_died_before_its_state_was_written_is_passed_over(tmp_path: Path) -> None:
    saved(tmp_path, 4)
    saved(tmp_path, 6, state=False)
    books = Books()
    assert resume_from(books, tmp_path) == str(tmp_path / "checkpoint-4")


def test_without_a_checkpoint_nothing_is_rewound(tmp_path: Path) -> None:
    saved(tmp_path, 6, state=False)
    (tmp_path / "checkpoint-best").mkdir()
    books = Books()
    assert resume_from(books, tmp_path) is None
    assert resume_from(books, tmp_path / "nowhere") is None
    assert books.asked == []


@pytest.mark.filterwarnings("ignore")
def test_a_checkpoint_is_sealed_once_its_state_is_in_it(tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="transformers is not installed")
    pytest.importorskip("torch", reason="torch is not installed")
    saved(tmp_path, 7, state=False)
    books = Books()

    class Looking(Books):
        def checkpoint(self, of: Mapping[str, object]) -> None:
            assert json.loads((tmp_path / "checkpoint-7" / STATE).read_text()) == of
            books.checkpoint(of)

    seal_checkpoints(Looking()).on_save(SimpleNamespace(output_dir=str(tmp_path)), SimpleNamespace(global_step=7), None)
    assert books.asked == [("sealed", 7)]
    assert sorted(path.name for path in (tmp_path / "checkpoint-7").iterdir()) == [STATE]
