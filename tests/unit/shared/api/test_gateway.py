"""Body and headers of API Gateway's event, in all its forms."""

from typing import Any

from shared.api.proxy_event import has_header, header, raw_body
from tests.cases import each


@each(
    ("event", "raw"),
    [
        ({"body": "{}"}, b"{}"),
        ({"body": "\u00fc"}, b"\xc3\xbc"),
        ({"body": "\ud83d"}, b"\xed\xa0\xbd"),
        ({"body": None}, b""),
        ({}, b""),
        ({"body": "w7w=", "isBase64Encoded": True}, b"\xc3\xbc"),
        ({"body": None, "isBase64Encoded": True}, b""),
        ({"body": "not base64!", "isBase64Encoded": True}, None),
        ({"body": "\u00fc", "isBase64Encoded": True}, None),
    ],
)
def test_the_body_is_the_bytes_that_were_posted(event: dict[str, Any], raw: bytes | None) -> None:
    assert raw_body(event) == raw


@each(
    ("event", "value", "is_there"),
    [
        ({"headers": {"X-Token": "a"}}, "a", True),
        ({"headers": {"x-TOKEN": "a"}}, "a", True),
        ({"headers": {"X-Token": ""}}, "", True),
        ({"headers": {"X-Token": None}}, "", True),
        ({"headers": {"X-Token": "a", "x-token": "a"}}, "", True),
        ({"headers": {"X-Token": "b"}, "multiValueHeaders": {"X-Token": ["a", "b"]}}, "", True),
        ({"headers": None, "multiValueHeaders": {"X-Token": ["a"]}}, "a", True),
        ({"headers": {"X-Other": "a"}}, "", False),
        ({"headers": None}, "", False),
        ({"multiValueHeaders": {"X-Token": []}}, "", False),
        ({}, "", False),
    ],
)
def test_a_header_is_used_only_if_it_occurs_once(
    event: dict[str, Any], value: str, is_there: bool
) -> None:
    assert header(event, "x-token") == value
    assert has_header(event, "x-token") is is_there
