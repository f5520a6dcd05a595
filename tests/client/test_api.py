"""Calls that are made again, and those that are not."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import httpx2
import pytest

from fairdeal.client import Api, ApiError, Unreachable
from fairdeal.client import api as api_module

Answering = Callable[[list[httpx2.Response]], tuple[Api, list[httpx2.Request]]]


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that were made, none of them waited for."""
    made: list[float] = []
    monkeypatch.setattr(api_module.time, "sleep", made.append)
    return made


@pytest.fixture
def answering() -> Answering:
    def make(answers: list[httpx2.Response]) -> tuple[Api, list[httpx2.Request]]:
        asked: list[httpx2.Request] = []

        def answer(request: httpx2.Request) -> httpx2.Response:
            asked.append(request)
            return answers[min(len(asked), len(answers)) - 1]

        return Api("http://service.example", transport=httpx2.MockTransport(answer)), asked

    return make


def refused(status: int, retry_after: str | None = None) -> httpx2.Response:
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return httpx2.Response(status, json={"code": "busy"}, headers=headers)


READY = httpx2.Response(200, json={})


@pytest.mark.parametrize("status", [408, 429, 503])
def test_a_busy_service_is_asked_again_when_it_said(answering: Answering, pauses: list[float], status: int) -> None:
    api, asked = answering([refused(status, "3"), refused(status), READY])
    api.ready()
    assert (len(asked), pauses) == (3, [3, 6])


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_stream_that_a_busy_service_does_not_begin_has_ended(answering: Answering, status: int) -> None:
    api, asked = answering([refused(status)])
    assert [*api.stream("0f" * 16, 0)] == []
    assert len(asked) == 1


def test_a_stream_that_is_refused_raises(answering: Answering) -> None:
    api, _ = answering([refused(403)])
    with pytest.raises(ApiError):
        next(api.stream("0f" * 16, 0))


@pytest.mark.parametrize(("status", "retry_after"), [(429, "6"), (503, "3600"), (409, "1"), (400, None), (404, "0")])
def test_a_refusal_is_one(answering: Answering, pauses: list[float], status: int, retry_after: Any) -> None:
    api, asked = answering([refused(status, retry_after), READY])
    with pytest.raises(ApiError) as caught:
        api.ready()
    assert (caught.value.problem, len(asked), pauses) == ("busy", 1, [])


@pytest.mark.parametrize("retry_after", ["soon", "-1", "1.5", "9" * 40])
def test_a_wait_that_is_no_number_is_not_asked_for(answering: Answering, pauses: list[float], retry_after: str) -> None:
    api, asked = answering([refused(429, retry_after), READY])
    api.ready()
    assert (len(asked), pauses) == (2, [0.1])


def test_patience_ends(answering: Answering, pauses: list[float]) -> None:
    api, asked = answering([refused(503)])
    with pytest.raises(ApiError):
        api.ready()
    assert len(asked) == 7
    assert sum(pauses) == pytest.approx(6.3)


@pytest.mark.parametrize("status", [502, 504])
def test_a_proxy_whose_service_starts_anew_is_asked_again(
    answering: Answering, pauses: list[float], status: int
) -> None:
    api, asked = answering([httpx2.Response(status, html="<h1>Bad Gateway</h1>"), READY])
    api.ready()
    assert (len(asked), pauses) == (2, [0.1])


@pytest.mark.parametrize(
    ("status", "retry_after", "calls"),
    [(503, None, 1), (503, "1", 2), (408, None, 2), (502, None, 1), (502, "1", 1), (504, None, 1)],
)
def test_a_call_that_is_not_safe_to_repeat_is_repeated_when_it_had_no_effect(
    answering: Answering, pauses: list[float], status: int, retry_after: str | None, calls: int
) -> None:
    api, asked = answering([refused(status, retry_after), READY])
    with suppress(ApiError):
        api.sign_up("alice", "correct horse")
    assert len(asked) == calls


def test_a_call_that_may_have_been_made_is_not_made_again(pauses: list[float]) -> None:
    def answer(_: httpx2.Request) -> httpx2.Response:
        raise httpx2.ReadError("broken off")

    api = Api("http://service.example", transport=httpx2.MockTransport(answer))
    with pytest.raises(Unreachable):
        api.open_table({"game": "duel", "stake": 0, "private": False})
    assert pauses == []
