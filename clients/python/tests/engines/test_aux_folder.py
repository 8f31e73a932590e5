"""Routed experts are kept beside the events, never in them."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import numpy as np

from rollstream.engines import AuxFolder, record_generate

from recorded import Recorded

# 4 prompt tokens and 2 sampled ones, the last of which routes nothing: 5 rows, 2 layers, top 2.
EXPERTS = np.arange(20, dtype="<i4")
REQUEST = {"input_ids": [9, 17, 10, 17]}


def answer(experts: object) -> dict[str, Any]:
    meta = {"id": "r1", "finish_reason": {"type": "stop"}, "routed_experts": experts}
    return {"text": "4", "output_ids": [19, 99], "meta_info": meta}


def recorded(response: Any, aux: Any, request: Any = REQUEST) -> dict[str, Any]:
    r = Recorded()
    record_generate(r, request, response, aux=aux)
    return r.calls[0]


BASE64 = base64.b64encode(EXPERTS.tobytes()).decode()


def test_they_are_written_once_and_named_with_their_shape(tmp_path: Path) -> None:
    folder = AuxFolder(tmp_path / "aux", shape=(2, 2))
    call = recorded(answer(BASE64), folder)
    ref = call["aux_ref"]
    assert (ref["name"], ref["shape"], ref["dtype"]) == ("routed_experts", [5, 2, 2], "int32")
    kept = Path(urlparse(ref["uri"]).path)
    assert kept.read_bytes() == EXPERTS.tobytes()
    assert ref["sha256"] == hashlib.sha256(EXPERTS.tobytes()).hexdigest()
    assert recorded(answer(BASE64), folder)["aux_ref"] == ref
    assert [one.name for one in (tmp_path / "aux").iterdir()] == [kept.name]
    assert call["extra"] is None


def test_rows_that_are_not_one_a_token_are_told(tmp_path: Path) -> None:
    call = recorded(answer(BASE64), AuxFolder(tmp_path, shape=(2, 2)), {**REQUEST, "routed_experts_start_len": 2})
    assert call["aux_ref"]["shape"] == [5, 2, 2]
    assert call["extra"] == {"disagreement": {"aux_rows": 5, "aux_rows_expected": 3}}


def test_a_shape_that_does_not_fit_is_not_made_to(tmp_path: Path) -> None:
    assert recorded(answer(BASE64), AuxFolder(tmp_path, shape=(3, 2)))["aux_ref"]["shape"] == [20]
    assert recorded(answer(BASE64), AuxFolder(tmp_path))["aux_ref"]["shape"] == [20]


def test_arrays_have_their_own_shape(tmp_path: Path) -> None:
    call = recorded(answer(EXPERTS.reshape(5, 2, 2).tolist()), AuxFolder(tmp_path))
    assert call["aux_ref"]["shape"] == [5, 2, 2]


def test_a_reference_of_the_caller_is_taken_as_it_is() -> None:
    aux = {"uri": "s3://bucket/experts", "sha256": "00", "shape": [5, 2, 2]}
    assert recorded(answer(BASE64), aux)["aux_ref"] == {"name": "routed_experts", "dtype": "int32", **aux}


def test_without_a_place_only_what_they_were_is_told() -> None:
    call = recorded(answer(BASE64), None)
    assert call["aux_ref"] is None
    sha256 = hashlib.sha256(EXPERTS.tobytes()).hexdigest()
    assert call["extra"] == {"aux_not_kept": {"name": "routed_experts", "bytes": 80, "sha256": sha256}}


def test_what_is_no_array_of_int32_is_told() -> None:
    assert "routed_experts" in recorded(answer("AAA"), None)["extra"]["disagreement"]
