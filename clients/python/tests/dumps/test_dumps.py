from __future__ import annotations

import io
import json
import pickle
import struct
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest
from torch_zip import Named, Tensor, pickled, torch_zip

from rollstream.dumps.__main__ import main
from rollstream.dumps.plain import plain
from rollstream.dumps.refused import DumpRefused
from rollstream.dumps.torch_file import load_torch_file


def loaded(path: Path) -> Any:
    return plain(load_torch_file(path), "value")


def test_plain_values_come_back_as_they_are(tmp_path: Path) -> None:
    value = {
        "n": None,
        "t": True,
        "i": [0, -1, 2**40, -(2**70)],
        "f": [0.1, -1e-300],
        "s": "é\ud83d",
        "l": [(1, 2), []],
        "o": OrderedDict(a=1),
        "b": b"\x00\xff",
    }
    got = loaded(torch_zip(tmp_path / "a.pt", value))
    assert got == {**value, "l": [[1, 2], []], "o": {"a": 1}, "b": {"$base64": "AP8="}}


@pytest.mark.parametrize(
    ("kind", "data", "expected"),
    [
        ("FloatStorage", struct.pack("<2f", 0.1, -2.5), [0.10000000149011612, -2.5]),
        ("DoubleStorage", struct.pack("<2d", 0.1, 1e300), [0.1, 1e300]),
        ("HalfStorage", struct.pack("<2e", 1 / 3, 65504), [0.333251953125, 65504.0]),
        # The upper half of a float32: 0x3eaa is 0.33203125, 0x0001 the smallest that is not 0.
        ("BFloat16Storage", struct.pack("<2H", 0x3EAA, 0x0001), [0.33203125, 9.183549615799121e-41]),
        ("LongStorage", struct.pack("<2q", 2**53 + 1, -1), [9007199254740993, -1]),
        ("IntStorage", struct.pack("<2i", 7, -7), [7, -7]),
        ("ShortStorage", struct.pack("<2h", 7, -7), [7, -7]),
        ("CharStorage", b"\x07\xf9", [7, -7]),
        ("ByteStorage", b"\x07\xf9", [7, 249]),
        ("BoolStorage", b"\x01\x00", [True, False]),
    ],
)
def test_numbers_of_a_tensor_are_exact(tmp_path: Path, kind: str, data: bytes, expected: list[float]) -> None:
    path = torch_zip(tmp_path / "a.pt", Tensor(kind, "0", 2, (2,), (1,)), {"0": data})
    assert loaded(path) == expected


def test_a_tensor_is_a_view_of_its_storage(tmp_path: Path) -> None:
    data = struct.pack("<6i", *range(6))
    views = [
        Tensor("IntStorage", "0", 6, (2, 3), (3, 1)),
        Tensor("IntStorage", "0", 6, (3, 2), (1, 3)),
        Tensor("IntStorage", "0", 6, (2,), (2,), offset=1),
        Tensor("IntStorage", "0", 6, (3,), (0,), offset=5),
        Tensor("IntStorage", "0", 6, (0,), (1,)),
        Tensor("IntStorage", "0", 6, (), ()),
    ]
    got = loaded(torch_zip(tmp_path / "a.pt", views, {"0": data}))
    assert got == [[[0, 1, 2], [3, 4, 5]], [[0, 3], [1, 4], [2, 5]], [1, 3], [5, 5, 5], [], 0]


def test_a_file_of_a_big_endian_machine(tmp_path: Path) -> None:
    tensor = Tensor("IntStorage", "0", 1, (1,), (1,))
    assert loaded(torch_zip(tmp_path / "a.pt", tensor, {"0": struct.pack(">i", 7)}, byte_order="big")) == [7]
    assert loaded(torch_zip(tmp_path / "b.pt", tensor, {"0": struct.pack("<i", 7)}, byte_order=None)) == [7]


def reduced(module: str, name: str, *arguments: object) -> bytes:
    """A pickle that calls a global."""
    parts = [pickle.PROTO + b"\x02", b"c" + f"{module}\n{name}\n".encode(), pickle.MARK]
    parts += [pickled(argument)[2:-1] for argument in arguments]
    return b"".join([*parts, pickle.TUPLE + pickle.REDUCE + pickle.STOP])


@pytest.mark.parametrize(
    ("module", "name"),
    [("os", "system"), ("builtins", "eval"), ("__builtin__", "getattr"), ("numpy", "load"), ("torch", "load")],
)
def test_a_name_that_is_no_data_is_refused_and_never_called(tmp_path: Path, module: str, name: str) -> None:
    path = torch_zip(tmp_path / "a.pt", reduced(module, name, f"touch {tmp_path}/was-run"))
    with pytest.raises(DumpRefused, match=rf"{module}\.{name}: a pickle may name tensors and plain containers"):
        load_torch_file(path)
    assert not (tmp_path / "was-run").exists()


def test_objects_are_neither_made_nor_changed(tmp_path: Path) -> None:
    state = pickled(Named("collections", "OrderedDict"))[:-1] + pickled({"a": 1})[2:-1] + pickle.BUILD + pickle.STOP
    with pytest.raises(DumpRefused, match="an object of some class"):
        load_torch_file(torch_zip(tmp_path / "a.pt", state))


def test_a_pickle_that_asks_for_memory_by_a_number_alone_is_refused(tmp_path: Path) -> None:
    huge = struct.pack("<Q", 1 << 44)
    for body in (pickle.BYTEARRAY8 + huge, pickle.BINUNICODE8 + huge, pickle.BINBYTES8 + huge):
        with pytest.raises(DumpRefused):
            load_torch_file(torch_zip(tmp_path / "a.pt", pickle.PROTO + b"\x05" + body + b"x" + pickle.STOP))
    # The index of a memo that would be 2^32 places long.
    memo = pickle.PROTO + b"\x02" + pickle.EMPTY_LIST + pickle.LONG_BINPUT + b"\xff\xff\xff\xff" + pickle.STOP
    assert load_torch_file(torch_zip(tmp_path / "b.pt", memo)) == []


def test_what_is_nested_without_end_is_refused(tmp_path: Path) -> None:
    deep = pickle.PROTO + b"\x02" + pickle.EMPTY_LIST * 100_000 + pickle.APPEND * 99_999 + pickle.STOP
    with pytest.raises(DumpRefused, match="nested deeper than 100 levels"):
        loaded(torch_zip(tmp_path / "a.pt", deep))
    own: list[object] = []
    own.append(own)
    with pytest.raises(DumpRefused, match="nested deeper than 100 levels"):
        loaded(torch_zip(tmp_path / "b.pt", own))


def test_a_list_said_a_thousand_times_over_is_refused(tmp_path: Path) -> None:
    value: list[object] = [0] * 1000
    for _ in range(4):
        value = [value] * 1000
    with pytest.raises(DumpRefused, match="more than 16000000 values in one sample"):
        loaded(torch_zip(tmp_path / "a.pt", value))


@pytest.mark.parametrize(
    ("tensor", "message"),
    [
        (Tensor("IntStorage", "0", 3, (3,), (1,)), "expected 3 numbers of IntStorage, got 8 bytes"),
        (Tensor("IntStorage", "1", 2, (2,), (1,)), "data/1: expected 2 numbers of IntStorage, got nothing"),
        (Tensor("IntStorage", "0", 2, (2,), (2,)), "reaches to 2 in a storage of 2 numbers"),
        (Tensor("IntStorage", "0", 2, (1 << 40,), (0,)), "a tensor of 1099511627776 numbers on a storage of 2"),
        (Tensor("IntStorage", "0", 2, (2,), (-1,)), "a tensor whose stride is"),
        (Tensor("ComplexFloatStorage", "0", 1, (1,), (1,)), "torch.ComplexFloatStorage: a pickle may name"),
    ],
)
def test_a_tensor_that_does_not_fit_its_storage_is_refused(tmp_path: Path, tensor: Tensor, message: str) -> None:
    with pytest.raises(DumpRefused, match=message):
        load_torch_file(torch_zip(tmp_path / "a.pt", tensor, {"0": struct.pack("<2i", 1, 2)}))


def test_a_member_that_grows_when_it_is_read_is_refused_unread(tmp_path: Path) -> None:
    def bomb(archive: zipfile.ZipFile) -> None:
        archive.writestr("archive/data/0", bytes(50_000_000), zipfile.ZIP_DEFLATED)

    with pytest.raises(DumpRefused, match="archive/data/0 is compressed"):
        load_torch_file(torch_zip(tmp_path / "a.pt", [], change=bomb))


def test_what_is_no_zip_file_says_what_to_do(tmp_path: Path) -> None:
    legacy = tmp_path / "legacy.pt"
    legacy.write_bytes(pickle.dumps(119547037146038801333356, protocol=2))
    with pytest.raises(DumpRefused, match=r"from before 1\.6.*torch\.save\(torch\.load"):
        load_torch_file(legacy)
    text = tmp_path / "a.txt"
    text.write_text("{}")
    with pytest.raises(DumpRefused, match="no zip file"):
        load_torch_file(text)


SAMPLE = {"index": 1, "tokens": [1, 2], "response_length": 1, "status": "completed", "rollout_log_probs": [-0.5]}


def test_a_dump_of_slime_becomes_a_line_a_sample(tmp_path: Path) -> None:
    experts = Tensor("IntStorage", "0", 2, (1, 2), (2, 1))
    dump = {"rollout_id": 3, "samples": [{**SAMPLE, "rollout_routed_experts": experts}, SAMPLE], "note": "n"}
    path = torch_zip(tmp_path / "a.pt", dump, {"0": struct.pack("<2i", 4, 5)})
    out = io.StringIO()
    assert main([str(path)], out) == 0
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert lines == [
        {"rollout_id": 3, "samples": [{**SAMPLE, "rollout_routed_experts": [[4, 5]]}], "note": "n"},
        {"rollout_id": 3, "samples": [SAMPLE]},
    ]


def test_a_dump_that_is_refused_half_way_leaves_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = torch_zip(tmp_path / "a.pt", {"rollout_id": 3, "samples": [SAMPLE, {"index": {1.5: 0}}]})
    assert main([str(path), "--out", str(tmp_path / "a.jsonl")]) == 4
    assert "samples[1].samples[0].index: a key that is float" in capsys.readouterr().err
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.pt"]


def test_another_dump_is_refused_by_what_it_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = torch_zip(tmp_path / "a.pt", {"rollout_id": 3, "rollout_data": {}})
    assert main([str(path)]) == 4
    assert "expected rollout_id and samples, got rollout_id, rollout_data" in capsys.readouterr().err
    assert main([str(tmp_path / "none.pt")]) == 2


def test_a_written_file_is_whole(tmp_path: Path) -> None:
    path = torch_zip(tmp_path / "a.pt", {"rollout_id": None, "samples": [SAMPLE]})
    assert main([str(path), "--out", str(tmp_path / "a.jsonl")]) == 0
    assert json.loads((tmp_path / "a.jsonl").read_text()) == {"rollout_id": None, "samples": [SAMPLE]}
