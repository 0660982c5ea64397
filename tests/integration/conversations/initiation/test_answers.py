"""Errors inside `POST /initiate-conversation`, and all its answers: refusals store nothing, and CORS."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from conversations.initiation import acceptance
from events.conversations import sample_data
from shared.aws.dynamodb import Table, TransactionConflict
from tests.integration.conversations.initiation.requests import (
    SECRET,
    limited,
    numbered,
    post_request,
    queue_name,
    queued,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System


def kept_requests(system: System) -> list[str]:
    return [key[1] for key in system.rows() if key[1].startswith("IDEMPOTENCY#")]


# Internal errors


def test_a_table_error_is_reported_and_the_request_may_be_repeated_at_once(
    system: System,
) -> None:
    system.interceptor.fails_if = lambda call: call.startswith("dynamodb.UpdateItem RATE#")
    assert post_request(system, numbered(1)) == (500, "DATABASE_ERROR")

    system.interceptor.fails_if = lambda _: False
    assert post_request(system, numbered(1)) == (200, "success")


@pytest.mark.parametrize(
    "call", ["dynamodb.GetItem", "dynamodb.PutItem IDEMPOTENCY", "dynamodb.Query"]
)
def test_an_error_of_any_call_to_a_table_is_reported(system: System, call: str) -> None:
    system.interceptor.fails_if = lambda name: name.startswith(call)

    assert post_request(system, numbered(1)) == (500, "DATABASE_ERROR")


def test_an_error_of_the_queue_or_a_refused_record_is_reported(system: System) -> None:
    system.interceptor.fails_if = lambda call: call.startswith("sqs.")
    assert post_request(system, numbered(1)) == (503, "QUEUE_ERROR")

    system.interceptor.fails_if = lambda _: False
    system.fifo_queues.queues[queue_name(system, "sms")].refuse_next = {0}
    assert post_request(system, numbered(1)) == (503, "QUEUE_ERROR")
    assert post_request(system, numbered(1)) == (200, "success")


def test_conflicts_that_do_not_end_are_a_table_error_that_may_be_repeated(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = kept_requests(system)

    def conflict(*_: object) -> None:
        raise TransactionConflict

    with monkeypatch.context() as patch:
        patch.setattr(Table, "transact_once", conflict)
        status, answer = system.ask(numbered(1))

    error = answer["error"]
    assert (status, error["code"], error["retryable"]) == (500, "DATABASE_ERROR", True)
    assert (kept_requests(system), queued(system)) == (before, [])
    assert post_request(system, numbered(1)) == (200, "success")


def test_any_other_error_is_an_internal_error(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError(SECRET)

    monkeypatch.setattr(acceptance, "_take_limits", broken)

    status, answer = system.ask(numbered(1))

    assert (status, answer["error"]["code"]) == (500, "INTERNAL_ERROR")
    assert SECRET not in json.dumps(answer)
    assert kept_requests(system) == []


# All answers


REFUSED: list[tuple[str, Any]] = [
    ("no json", b"{"),
    ("no channel", sample_data.request("fax")),
    ("not the key's", sample_data.request(company_data={"company_id": "a", "project_id": "b"})),
    (
        "no such project",
        sample_data.request(company_data={"company_id": sample_data.COMPANY, "project_id": "b"}),
    ),
]


@pytest.mark.parametrize(
    "payload", [payload for _, payload in REFUSED], ids=[name for name, _ in REFUSED]
)
def test_refusals_store_nothing(system: System, payload: Any) -> None:
    before = system.rows()

    status, answer = system.ask(payload)

    assert status >= 400
    assert answer.keys() == {"error", "request_id"}
    assert answer["error"].keys() >= {"code", "message", "retryable"}
    assert (system.rows(), queued(system)) == (before, [])


def test_a_refusal_by_a_limit_is_not_stored(system: System) -> None:
    system.set_up(limited(requests_per_minute=1))
    system.ask(numbered(1))

    system.ask(numbered(2))

    assert len(kept_requests(system)) == 1


def test_a_refusal_contains_the_request_id_if_it_was_readable(system: System) -> None:
    assert system.ask(sample_data.request("fax"))[1]["request_id"] == "req-1"
    assert system.ask(b"{")[1]["request_id"] == "unknown"


ORIGIN = "https://app.example"
PREFLIGHT = {"resource": "/initiate-conversation", "httpMethod": "OPTIONS"}


@pytest.fixture
def cors(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    """A deployment that names an origin."""
    router = system.functions["ConversationsRouter"]
    monkeypatch.setattr(router, "settings", replace(router.settings, cors_origin=ORIGIN))


@pytest.mark.parametrize("payload", [sample_data.request("sms"), sample_data.request("fax"), b"{"])
def test_without_an_origin_no_page_of_another_site_may_read_an_answer(
    system: System, payload: Any
) -> None:
    headers = system.post(payload, {})["headers"]

    assert not [name for name in headers if name.startswith("Access-Control")]
    assert headers["Cache-Control"] == "no-store"
    assert headers["Content-Type"] == "application/json"


def test_without_an_origin_a_preflight_is_refused(system: System) -> None:
    answer = system.functions["ConversationsRouter"].handler(PREFLIGHT, None)

    assert (answer["statusCode"], answer["body"]) == (404, "")
    assert not [name for name in answer["headers"] if name.startswith("Access-Control")]


@pytest.mark.usefixtures("cors")
@pytest.mark.parametrize("payload", [sample_data.request("sms"), sample_data.request("fax"), b"{"])
def test_the_named_origin_may_read_every_answer(system: System, payload: Any) -> None:
    headers = system.post(payload, {})["headers"]

    assert headers["Access-Control-Allow-Origin"] == ORIGIN


@pytest.mark.usefixtures("cors")
def test_a_preflight_request_gets_the_allowed_methods_and_headers(system: System) -> None:
    answer = system.functions["ConversationsRouter"].handler(PREFLIGHT, None)

    assert (answer["statusCode"], answer["body"]) == (204, "")
    assert answer["headers"]["Access-Control-Allow-Methods"] == "POST,OPTIONS"
    assert answer["headers"]["Access-Control-Allow-Headers"] == "Content-Type,X-Api-Key"
