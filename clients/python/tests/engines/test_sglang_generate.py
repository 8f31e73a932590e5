"""SGLang's /generate: what an answer says is what a call records."""

from __future__ import annotations

from typing import Any

import pytest

from rollstream.engines import record_generate

from recorded import Recorded

REQUEST = {"input_ids": [9, 17, 10, 17], "sampling_params": {"temperature": 0.7, "max_new_tokens": 64, "min_p": 0.1}}


def answer(**meta: Any) -> dict[str, Any]:
    about = {
        "id": "r1",
        "finish_reason": {"type": "stop", "matched": 99},
        "prompt_tokens": 4,
        "completion_tokens": 2,
        "output_token_logprobs": [[-0.25, 19, None], [-0.5, 99, None]],
        "output_token_logprobs_length": 2,
    }
    return {"text": "4<|im_end|>", "output_ids": [19, 99], "meta_info": {**about, **meta}}


def recorded(request: Any, response: Any, **options: Any) -> dict[str, Any]:
    r = Recorded()
    assert record_generate(r, request, response, **options) == 0
    return r.calls[0]


def test_an_answer_is_recorded_with_the_engines_own_ids_and_reasons() -> None:
    call = recorded(REQUEST, answer(cached_tokens=3, reasoning_tokens=0, num_retractions=2, e2e_latency=0.12))
    assert call["call_id"] == "r1"
    assert (call["prompt_ids"], call["completion_ids"]) == ([9, 17, 10, 17], [19, 99])
    assert call["completion_logprobs"] == [-0.25, -0.5]
    assert call["finish_reason"] == {"type": "stop", "matched": 99}
    assert call["raw_text"] == "4<|im_end|>"
    assert call["usage"] == {"prompt_tokens": 4, "completion_tokens": 2, "cached_tokens": 3, "reasoning_tokens": 0}
    assert call["server_e2e_us"] == 120_000
    assert call["sampling"] == {"temperature": 0.7, "max_tokens": 64, "extra_json": {"min_p": 0.1}}
    assert call["extra"] == {"num_retractions": 2}
    assert call["error"] is None


def test_an_abort_with_http_200_is_an_answer_with_its_own_reason() -> None:
    abort = {"type": "abort", "message": "weights are updated", "status_code": None, "err_type": None}
    call = recorded(REQUEST, answer(finish_reason=abort))
    assert call["finish_reason"] == abort
    assert call["completion_ids"] == [19, 99]
    assert call["error"] is None


def test_spans_of_weights_are_taken_from_the_engine() -> None:
    spans = [{"version": "7", "start": 0, "end": 1}, {"version": "8", "start": 1, "end": 2}]
    call = recorded(REQUEST, answer(weight_version="8", weight_versions=spans))
    assert call["weight_spans"] == [{"start": 0, "version": "7"}, {"start": 1, "version": "8"}]
    assert call["extra"] is None


def test_a_version_alone_is_one_span_and_says_that_it_was_stamped_at_output() -> None:
    call = recorded(REQUEST, answer(weight_version="8"))
    assert call["weight_spans"] == [{"start": 0, "version": "8"}]
    assert call["extra"] == {"weight_version_stamped": "at_output"}


@pytest.mark.parametrize(
    "spans",
    [
        [{"version": "7", "start": 1, "end": 2}],
        [{"version": "7", "start": 0, "end": 1}],
        [{"version": "7", "start": 0, "end": 1}, {"version": "8", "start": 0, "end": 2}],
        [{"version": None, "start": 0, "end": 2}],
    ],
)
def test_spans_with_a_hole_are_kept_and_not_filled(spans: Any) -> None:
    call = recorded(REQUEST, answer(weight_version="8", weight_versions=spans))
    assert call["weight_spans"] == ()
    assert call["extra"]["weight_versions"] == spans
    assert "weight_versions" in call["extra"]["disagreement"]


def test_more_logprobs_than_ids_are_evidence_and_not_cut() -> None:
    entries = [[-0.25, 19, None], [-0.5, 99, None], [-0.75, 7, None]]
    response = answer(output_token_logprobs=entries, output_token_logprobs_length=3, spec_verify_ct=1)
    call = recorded(REQUEST, response)
    assert call["completion_ids"] == [19, 99]
    assert call["completion_logprobs"] is None
    assert call["extra"] == {"disagreement": {"completion_ids": 2, "logprobs": 3}, "spec_verify_ct": 1}


def test_logprobs_of_other_tokens_are_evidence() -> None:
    call = recorded(REQUEST, answer(output_token_logprobs=[[-0.25, 19, None], [-0.5, 98, None]]))
    assert call["completion_logprobs"] is None
    assert call["extra"]["disagreement"] == {"first_id": 1, "sampled": 99, "of_logprob": 98}


def test_a_logprob_that_is_none_is_handed_on_as_none() -> None:
    call = recorded(REQUEST, answer(output_token_logprobs=[[None, 19, None], [0, 99, None]]))
    assert call["completion_logprobs"] == [None, 0.0]


def test_ids_are_those_of_the_logprobs_where_the_answer_has_no_others() -> None:
    response = answer()
    del response["output_ids"]
    assert recorded(REQUEST, response)["completion_ids"] == [19, 99]


def test_the_prompt_is_what_the_engine_read_where_text_was_sent() -> None:
    assert recorded({"text": "2+2?"}, {**answer(), "prompt_token_ids": [1, 2, 3, 4]})["prompt_ids"] == [1, 2, 3, 4]
    logprobs = [[None, 1, None], [-1.5, 2, None], [-1.5, 3, None], [-2.5, 4, None]]
    assert recorded({"text": "2+2?"}, answer(input_token_logprobs=logprobs))["prompt_ids"] == [1, 2, 3, 4]
    # From the second token on: not the prompt.
    assert recorded({"text": "2+2?"}, answer(input_token_logprobs=logprobs[1:]))["prompt_ids"] is None


def test_a_prompt_that_the_server_made_longer_is_kept_as_sent_and_told() -> None:
    call = recorded(REQUEST, answer(prompt_tokens=260))
    assert call["prompt_ids"] == [9, 17, 10, 17]
    assert call["extra"]["disagreement"] == {"prompt_ids": 4, "prompt_tokens": 260}


def test_text_alone_has_no_ids() -> None:
    meta = {"id": "r1", "finish_reason": {"type": "stop"}, "completion_tokens": 2}
    call = recorded({"text": "2+2?"}, {"text": "4", "meta_info": meta})
    assert (call["prompt_ids"], call["completion_ids"], call["completion_logprobs"]) == (None, None, None)
    assert call["raw_text"] == "4"


def test_an_error_of_the_server_is_a_call_that_failed() -> None:
    call = recorded(REQUEST, {"error": {"message": "queue is full", "type": "overloaded"}})
    assert call["error"] == {"type": "overloaded", "message": "queue is full"}
    assert call["completion_ids"] is None


def test_what_is_no_answer_of_an_engine_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="an answer with result is of no engine known here"):
        recorded(REQUEST, {"result": 1})
    with pytest.raises(ValueError, match="2 answers of /generate are as many calls"):
        recorded(REQUEST, [answer(), answer(id="r2")])


def test_large_arrays_by_token_are_named_and_left_out() -> None:
    call = recorded(REQUEST, answer(output_top_logprobs=[[[-0.25, 19, None]], [[-0.5, 99, None]]]))
    assert call["extra"] == {"left_out": {"output_top_logprobs": 2}}
