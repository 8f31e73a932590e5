"""OpenAI-compatible servers: ids and logprobs where they give them, and never from text."""

from __future__ import annotations

from typing import Any

from rollstream.engines import record_generate

from recorded import Recorded

ASKED = {"model": "m", "messages": [{"role": "user", "content": "2+2?"}], "temperature": 1.0, "max_tokens": 8}


def recorded(request: Any, response: Any, **options: Any) -> dict[str, Any]:
    r = Recorded()
    record_generate(r, request, response, **options)
    return r.calls[0]


def chat(choice: dict[str, Any], **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": "4"}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", **choice}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
        **more,
    }


def test_vllm_says_its_ids_and_the_logprobs_are_of_them() -> None:
    content = [{"token": "token_id:19", "logprob": -0.25}, {"token": "token_id:99", "logprob": -0.5}]
    call = recorded(
        ASKED,
        chat({"token_ids": [19, 99], "stop_reason": 99, "logprobs": {"content": content}}, prompt_token_ids=[1, 2, 3]),
    )
    assert (call["prompt_ids"], call["completion_ids"]) == ([1, 2, 3], [19, 99])
    assert call["completion_logprobs"] == [-0.25, -0.5]
    assert (call["call_id"], call["model"], call["finish_reason"]) == ("chatcmpl-1", "m", "stop")
    assert call["raw_text"] == "4"
    assert call["sampling"] == {"temperature": 1.0, "max_tokens": 8}
    assert call["extra"] == {"stop_reason": 99}
    assert call["weight_spans"] == ()


def test_ids_in_the_place_of_text_are_ids() -> None:
    content = [{"token": "token_id:19", "logprob": -0.25}, {"token": "token_id:99", "logprob": -0.5}]
    assert recorded(ASKED, chat({"logprobs": {"content": content}}))["completion_ids"] == [19, 99]


def test_tokens_as_text_are_no_ids() -> None:
    call = recorded(ASKED, chat({"logprobs": {"content": [{"token": "4", "logprob": -0.25, "bytes": [52]}]}}))
    assert call["completion_ids"] is None
    assert call["completion_logprobs"] is None
    assert call["extra"] == {"logprobs_without_ids": 1}


def test_fewer_ids_than_the_server_counted_are_told() -> None:
    call = recorded(ASKED, chat({"token_ids": [19]}))
    assert call["completion_ids"] == [19]
    assert call["extra"] == {"disagreement": {"completion_ids": 1, "completion_tokens": 2}}


def test_sglang_says_its_version_and_what_meta_info_has() -> None:
    meta = {"id": "s1", "finish_reason": {"type": "stop", "matched": 99}, "num_retractions": 1, "completion_tokens": 2}
    choice = {"token_ids": [19, 99], "prompt_token_ids": [1, 2, 3], "matched_stop": 99, "meta_info": meta}
    call = recorded(ASKED, chat(choice, metadata={"weight_version": "12"}, sglext={"cached_tokens_details": {"d": 1}}))
    assert (call["prompt_ids"], call["completion_ids"]) == ([1, 2, 3], [19, 99])
    assert call["weight_spans"] == [{"start": 0, "version": "12"}]
    assert call["extra"] == {
        "weight_version_stamped": "at_output",
        "matched_stop": 99,
        "meta_info": meta,
        "response": {"metadata": {"weight_version": "12"}, "sglext": {"cached_tokens_details": {"d": 1}}},
    }


def test_calls_that_the_server_parsed_are_its_own_and_its_text_is_not_raw() -> None:
    calls = [
        {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}},
        {"id": "c2", "type": "function", "function": {"name": "add", "arguments": '{"a": 1'}},
    ]
    message = {"role": "assistant", "content": "so", "reasoning_content": "hm", "tool_calls": calls}
    call = recorded(ASKED, chat({"message": message, "finish_reason": "tool_calls"}))
    assert call["raw_text"] is None
    assert call["extra"]["message"] == message
    assert [(one["call_id"], one["parse_status"]) for one in call["tool_calls"]] == [("c1", "ok"), ("c2", "malformed")]
    assert (call["tool_calls"][0]["arguments_parsed"], call["tool_calls"][0]["arguments_raw"]) == ('{"a": 1}', None)
    assert (call["tool_calls"][1]["arguments_parsed"], call["tool_calls"][1]["arguments_raw"]) == (None, '{"a": 1')


def test_completions_take_ids_in_and_give_ids_out() -> None:
    response = {
        "id": "cmpl-1",
        "object": "text_completion",
        "model": "m",
        "choices": [
            {
                "index": 0,
                "text": "4",
                "finish_reason": "length",
                "logprobs": {"tokens": ["token_id:19", "token_id:99"], "token_logprobs": [-0.25, -0.5]},
            }
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 2}},
    }
    call = recorded({"model": "m", "prompt": [1, 2, 3], "logprobs": 1}, response)
    assert (call["prompt_ids"], call["completion_ids"]) == ([1, 2, 3], [19, 99])
    assert call["completion_logprobs"] == [-0.25, -0.5]
    assert (call["raw_text"], call["finish_reason"], call["tool_calls"]) == ("4", "length", ())
    assert call["usage"]["cached_tokens"] == 2


def test_one_of_several_choices_has_an_id_of_its_own() -> None:
    response = chat({})
    response["choices"].append({"index": 1, "message": {"content": "5"}, "finish_reason": "length"})
    call = recorded(ASKED, response, choice=1)
    assert (call["call_id"], call["raw_text"], call["finish_reason"]) == ("chatcmpl-1/1", "5", "length")
    assert call["extra"]["choice"] == {"index": 1, "of": 2}


def test_an_answer_of_a_client_library_is_read_as_what_it_holds() -> None:
    class Model:
        def model_dump(self) -> dict[str, Any]:
            return chat({"token_ids": [19, 99]})

    assert recorded(ASKED, Model())["completion_ids"] == [19, 99]
