"""Calls of Twilio as API Gateway passes them on: addresses, queries and fields."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.inbound.webhooks.twilio_signature import (
    fields_of,
    has_too_many_fields,
    query_of,
    urls_of,
)
from tests.cases import each
from tests.unit.conversations.inbound.test_twilio_signature import URL

# Addresses

CONTEXT = {
    "domainName": "abc.execute-api.us-east-1.amazonaws.com",
    "path": "/prod/webhooks/twilio",
}


def event(query: dict[str, list[str]] | None = None, **changes: Any) -> dict[str, Any]:
    return {
        "path": "/webhooks/twilio",
        "multiValueQueryStringParameters": query,
        "queryStringParameters": {name: values[-1] for name, values in query.items()}
        if query
        else None,
        "requestContext": CONTEXT,
        "headers": {"Host": "evil.example", "X-Forwarded-Host": "evil.example"},
    } | changes


@each(
    ("configured", "meant"),
    [
        ("https://parley.example", "https://parley.example/webhooks/twilio"),
        ("https://parley.example/", "https://parley.example/webhooks/twilio"),
        ("https://parley.example", "https://parley.example:443/webhooks/twilio"),
        ("https://parley.example:443", "https://parley.example/webhooks/twilio"),
        ("https://parley.example:443", "https://parley.example:443/webhooks/twilio"),
        ("https://parley.example:8443", "https://parley.example:8443/webhooks/twilio"),
        ("https://parley.example:8443", "https://parley.example/webhooks/twilio"),
        ("http://parley.example", "http://parley.example:80/webhooks/twilio"),
        ("https://parley.example/v1", "https://parley.example/v1/webhooks/twilio"),
        ("https://user:pw@parley.example", "https://user:pw@parley.example/webhooks/twilio"),
    ],
)
def test_the_configured_url_is_accepted_with_and_without_its_port(
    configured: str, meant: str
) -> None:
    assert meant in urls_of(event(), [configured])


def test_every_configured_url_and_no_other_is_accepted() -> None:
    urls = urls_of(event(), ["https://parley.example", "https://old.example"])

    assert {url.split("/")[2].partition(":")[0] for url in urls} == {
        "parley.example",
        "old.example",
    }


def test_without_a_configured_url_the_api_gateway_url_with_its_stage_is_used() -> None:
    assert urls_of(event(), []) == [
        "https://abc.execute-api.us-east-1.amazonaws.com/prod/webhooks/twilio",
        "https://abc.execute-api.us-east-1.amazonaws.com:443/prod/webhooks/twilio",
    ]


def test_host_headers_of_the_caller_are_ignored() -> None:
    urls = urls_of(event(), []) + urls_of(event(), ["https://parley.example"])

    assert not [url for url in urls if "evil" in url]


@each(
    ("query", "meant"),
    [
        ({"a": ["action-1"]}, "?a=action-1"),
        ({"fallback": ["1"]}, "?fallback=1"),
        ({"a": [""]}, "?a="),
        ({"a": ["1", "2"]}, "?a=1&a=2"),
        ({"bodySHA256": ["00"], "fallback": ["1"]}, "?fallback=1&bodySHA256=00"),
        ({"fallback": ["1"], "bodySHA256": ["00"]}, "?bodySHA256=00&fallback=1"),
        ({"c": ["1"], "b": ["2"], "a": ["3"]}, "?a=3&b=2&c=1"),
        ({"a": ["x y/ü"]}, "?a=x+y%2F%C3%BC"),
        ({"a": ["\ud83d"]}, "?a=%ED%A0%BD"),
        ({"d": ["1"], "c": ["2"], "b": ["3"], "a": ["4"]}, "?d=1&c=2&b=3&a=4"),
    ],
)
def test_the_signed_url_contains_the_query_in_any_order(
    query: dict[str, list[str]], meant: str
) -> None:
    assert f"{URL}{meant}" in urls_of(event(query), ["https://parley.example"])


def test_a_long_query_adds_no_url_variants() -> None:
    query = {f"p{n}": ["1"] for n in range(200)}

    assert len(urls_of(event(query), ["https://parley.example"])) == 2


def test_a_query_without_multi_value_parameters_is_accepted() -> None:
    request = event({"a": ["1"]}, multiValueQueryStringParameters=None)

    assert query_of(request) == [("a", "1")]
    assert query_of(event()) == []


# Fields


@pytest.mark.parametrize(
    ("fields", "is_json", "parameters", "is_refused"),
    [
        (256, False, 16, False),
        (257, False, 0, True),
        (1, False, 17, True),
        (257, True, 16, False),  # the text of a JSON body may contain any number of `&`
        (1, True, 17, True),
    ],
)
def test_a_call_with_more_fields_than_twilio_sends_is_refused(
    fields: int, is_json: bool, parameters: int, is_refused: bool
) -> None:
    body, query = b"&".join([b"a=1"] * fields), [("a", "1")] * parameters

    assert has_too_many_fields(body, is_json=is_json, query=query) is is_refused


def test_fields_keep_blank_values_and_repeats() -> None:
    body = b"Body=&FromCity=&To=%2B1&To=%2B2&Name=Gr%C3%BC%C3%9Fe"

    assert fields_of(body, is_json=False) == {
        "Body": "",
        "FromCity": "",
        "To": ["+1", "+2"],
        "Name": "Grüße",
    }


def test_invalid_utf_8_is_replaced() -> None:
    assert fields_of(b"Body=%ff%fe", is_json=False) == {"Body": "\ufffd\ufffd"}


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"7"])
def test_json_that_is_not_an_object_has_no_fields(body: bytes) -> None:
    assert fields_of(body, is_json=True) == {}
