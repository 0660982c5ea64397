"""Refused calls, failing calls, and the log line of a call."""

import json
from io import StringIO
from typing import Any

import boto3
import pytest

from shared.api.auth import Caller
from tests.integration.whatsapp.api.conftest import (
    ADA,
    CONVERSATIONS,
    MESSAGES,
    Api,
)
from tests.integration.whatsapp.conftest import PHONE, Harness, text
from whatsapp.store.items import pk


@pytest.mark.parametrize("route", [CONVERSATIONS, MESSAGES])
@pytest.mark.parametrize("scopes", [set(), {"whatsapp:send"}, {"whatsapp:*"}, {"*"}])
def test_a_key_without_the_scope_reads_nothing(
    harness: Harness, api: Api, route: str, scopes: set[str]
) -> None:
    harness.take({"messages": [text("wamid.1")]})
    key = api.conversations()[0]["key"]
    caller = Caller(company="acme", scopes=frozenset(scopes), principal="api-key:1")

    answer = api.get(route, key=key, caller=caller)

    assert (answer.status, answer.error) == (403, "forbidden")
    assert "whatsapp:read" in answer.body["error"]["message"]


@pytest.mark.parametrize("route", [CONVERSATIONS, MESSAGES])
def test_a_route_without_an_authorizer_refuses_calls(api: Api, route: str) -> None:
    answer = api.get(route, key="x", caller=None)

    assert (answer.status, answer.error) == (401, "unauthenticated")


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"limit": "0"}, "limit"),
        ({"limit": "101"}, "limit"),
        ({"limit": "-1"}, "limit"),
        ({"limit": "ten"}, "limit"),
        ({"limit": ""}, "limit"),
        ({"limit": "1.5"}, "limit"),
        ({"limit": "NaN"}, "limit"),
        ({"limit": "1" * 400}, "limit"),
        ({"phone": ""}, "phone"),
        ({"phone": "abc"}, "phone"),
        ({"phone": "1234"}, "phone"),
        ({"phone": "1" * 21}, "phone"),
        ({"phone": "++15550783881"}, "phone"),
        ({"phone": "15550783881\n"}, "phone"),
        ({"phone": "\u0661" * 11}, "phone"),
        ({"archived": "yes"}, "archived"),
        ({"archived": ""}, "archived"),
        ({"Limit": "5"}, "Limit"),
        ({"company": "globex"}, "company"),
    ],
)
def test_a_parameter_that_breaks_its_rule_is_named_and_not_repeated(
    api: Api, query: dict[str, Any], field: str
) -> None:
    answer = api.get(**query)

    assert (answer.status, answer.error) == (400, "invalid_input")
    assert answer.fields == [field]
    assert answer.body["error"]["retryable"] is False
    if len(query[field]) > 3:
        assert query[field] not in str(answer.body)


def test_every_broken_rule_is_listed(api: Api) -> None:
    assert set(api.get(limit="0", phone="x", nonsense="1").fields) == {"limit", "phone", "nonsense"}


@pytest.mark.parametrize("query", [{"phone": PHONE}, {"archived": "true"}, {"limit": "x"}])
def test_messages_have_parameters_of_their_own(
    harness: Harness, api: Api, query: dict[str, Any]
) -> None:
    harness.take({"messages": [text("wamid.1")]})
    key = api.conversations()[0]["key"]

    assert api.get(MESSAGES, key=key, **query).fields == list(query)


def test_a_parameter_that_is_given_twice_is_refused(api: Api) -> None:
    answer = api.get(several={"limit": ["1", "2"]})

    assert (answer.status, answer.fields) == (400, ["limit"])


@pytest.mark.parametrize("cursor", ["", "x", "null", "A" * 200, "é", "eyJ2IjoxfQ"])
@pytest.mark.parametrize("route", [CONVERSATIONS, MESSAGES])
def test_an_invalid_cursor_is_refused(harness: Harness, api: Api, route: str, cursor: str) -> None:
    harness.take({"messages": [text("wamid.1")]})
    key = api.conversations()[0]["key"]

    answer = api.get(route, key=key, cursor=cursor)

    assert (answer.status, answer.error) == (400, "invalid_cursor")


def test_another_route_is_not_found(api: Api) -> None:
    answer = api.get("/whatsapp/somewhere")

    assert (answer.status, answer.error) == (404, "not_found")
    assert answer.body["error"]["message"] == "there is no such route"


def test_an_internal_failure_is_a_500_without_details(
    harness: Harness, api: Api, log: StringIO
) -> None:
    harness.take({"messages": [text("wamid.1", "a secret text")]})
    harness.resources.table.update(
        pk(f"CONV#{PHONE}#447700900101"), put={"unreadCount": "a secret text"}
    )

    answer = api.get()

    assert answer.status == 500
    assert answer.headers["X-Request-Id"] == "request-7"
    assert answer.body == {
        "request_id": "request-7",
        "error": {
            "code": "internal",
            "message": "the call could not be handled",
            "retryable": True,
        },
    }
    failure = json.loads(log.getvalue().splitlines()[0])
    assert failure["error"] == "ValidationError"
    assert "a secret text" not in log.getvalue()


def test_a_missing_table_is_a_500(api: Api, harness: Harness, log: StringIO) -> None:
    boto3.client("dynamodb").delete_table(TableName=harness.resources.table.name)

    assert api.get().status == 500
    assert "ResourceNotFoundException" in log.getvalue()


def test_a_call_writes_one_log_line_with_caller_and_route_and_without_addresses(
    harness: Harness, api: Api, log: StringIO
) -> None:
    harness.take({"contacts": [ADA], "messages": [text("wamid.1", "a secret text")]})
    [conversation] = api.conversations(phone="15550783881")
    api.messages(conversation["key"])

    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    assert [(line["route"], line["status"]) for line in lines] == [
        (CONVERSATIONS, 200),
        (MESSAGES, 200),
    ]
    assert {line["principal"] for line in lines} == {"api-key:1"}
    assert {line["company"] for line in lines} == {"acme"}
    assert {line["correlation_id"] for line in lines} == {"request-7"}
    for secret in ("447700900101", "Ada", "a secret text", conversation["key"], "15550783881"):
        assert secret not in log.getvalue()
