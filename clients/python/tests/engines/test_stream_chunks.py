"""A streamed answer is recorded as the answer that the engine would have given at once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rollstream.engines import record_generate

from recorded import Recorded


def recorded(request: Any, response: Any) -> dict[str, Any]:
    r = Recorded()
    record_generate(r, request, response)
    return r.calls[0]


def sglang(ids: list[int], text: str, counted: int, of: list[int], **meta: Any) -> dict[str, Any]:
    logprobs = [[-0.25, token, None] for token in of]
    about = {"id": "r1", "finish_reason": None, "completion_tokens": counted, "output_token_logprobs": logprobs}
    return {"text": text, "output_ids": ids, "meta_info": {**about, **meta}}


STOP = {"type": "stop", "matched": 7}


@pytest.mark.parametrize(
    "chunks",
    [
        [sglang([5], "a", 1, [5]), sglang([5, 5], "aa", 2, [5, 5]), sglang([5, 5, 7], "aa.", 3, [5, 5, 7])],
        # Each chunk holds what is new.
        [sglang([5], "a", 1, [5]), sglang([5], "a", 2, [5]), sglang([7], ".", 3, [7])],
        # So do these, and their logprobs are all of them.
        [sglang([5], "a", 1, [5]), sglang([5], "a", 2, [5, 5]), sglang([7], ".", 3, [5, 5, 7])],
    ],
)
def test_sglang_chunks_are_joined_whichever_way_they_come(chunks: list[dict[str, Any]]) -> None:
    chunks[-1]["meta_info"]["finish_reason"] = STOP
    call = recorded({"input_ids": [1]}, chunks)
    assert (call["completion_ids"], call["raw_text"]) == ([5, 5, 7], "aa.")
    assert call["completion_logprobs"] == [-0.25, -0.25, -0.25]
    assert call["finish_reason"] == STOP
    assert call["extra"] == {"stream": {"chunks": 3, "done": True}}


def test_a_stream_that_broke_off_has_no_finish_reason() -> None:
    call = recorded({"input_ids": [1]}, [sglang([5], "a", 1, [5])])
    assert call["completion_ids"] == [5]
    assert call["finish_reason"] is None
    assert call["extra"]["stream"] == {"chunks": 1, "done": False}


def chat(delta: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": "c1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, **more}]}


CHAT: list[dict[str, Any]] = [
    {**chat({"role": "assistant", "content": ""}), "prompt_token_ids": [1, 2]},
    chat(
        {"content": "4"}, token_ids=[19], logprobs={"content": [{"token": "4", "logprob": -0.25}]}, finish_reason=None
    ),
    chat({"content": "é"}, token_ids=[99], logprobs={"content": [{"token": "!", "logprob": -0.5}]}),
    chat({}, finish_reason="stop"),
    {"id": "c1", "choices": [], "usage": {"prompt_tokens": 2, "completion_tokens": 2}},
]


def test_chunks_of_a_chat_are_joined() -> None:
    call = recorded({"messages": []}, CHAT)
    assert (call["prompt_ids"], call["completion_ids"]) == ([1, 2], [19, 99])
    assert call["completion_logprobs"] == [-0.25, -0.5]
    assert (call["raw_text"], call["finish_reason"]) == ("4é", "stop")
    assert call["usage"]["completion_tokens"] == 2


def test_events_are_the_same_as_lines_or_as_they_come_from_the_socket() -> None:
    lines = [f"data: {json.dumps(chunk, ensure_ascii=False)}" for chunk in CHAT]
    wire = "\n\n".join([*lines, "data: [DONE]", ""]).encode()
    pieces = [wire[at : at + 7] for at in range(0, len(wire), 7)]
    as_lines = recorded({}, [*lines, "", "data: [DONE]"])
    assert as_lines == recorded({}, pieces)
    assert as_lines["raw_text"] == "4é"
    assert as_lines["extra"]["stream"] == {"chunks": 5, "done": True}


def test_calls_in_deltas_are_joined_by_their_place() -> None:
    def call(at: int, **more: Any) -> dict[str, Any]:
        return chat({"tool_calls": [{"index": at, **more}]})

    found = recorded(
        {},
        [
            call(0, id="a", type="function", function={"name": "add", "arguments": ""}),
            call(0, function={"arguments": '{"x"'}),
            call(1, id="b", type="function", function={"name": "sub", "arguments": "{}"}),
            call(0, function={"arguments": ": 1}"}),
            chat({}, finish_reason="tool_calls"),
        ],
    )
    assert [(one["call_id"], one["name"], one["arguments_parsed"]) for one in found["tool_calls"]] == [
        ("a", "add", '{"x": 1}'),
        ("b", "sub", "{}"),
    ]


def test_an_error_within_a_stream_keeps_what_came_before() -> None:
    call = recorded({}, [*CHAT[:3], {"error": {"type": "InternalServerError", "message": "gone"}}])
    assert call["error"] == {"type": "InternalServerError", "message": "gone"}
    assert call["completion_ids"] == [19, 99]
