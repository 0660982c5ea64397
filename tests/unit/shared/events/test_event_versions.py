"""The accepted versions of queued events, and the handling of other versions."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, get_args

import pytest
from pydantic import TypeAdapter

from conversations.lifecycle.records import commands
from events.conversations import direct as conversations
from events.richpanel import direct as richpanel
from events.whatsapp import direct as whatsapp
from richpanel.inbound import queued_events as richpanel_events
from shared.events import exchange, versions
from shared.events.record_body import parse_body
from shared.events.versions import NEWER, PREVIOUS, VERSION, NewerVersion
from shared.runtime.failures import Permanent
from whatsapp.inbound import queued_events as whatsapp_events

type Json = dict[str, Any]


def body_in(event: Json) -> Json:
    body: Json = json.loads(event["Records"][0]["body"])
    return body


def read_inbound(body: str) -> object:
    return parse_body(body, TypeAdapter(exchange.InboundMessage), from_provider=True)


READERS = [
    (whatsapp_events.parse_event, body_in(whatsapp.direct_event("queue_text").event)),
    (richpanel_events.parse_event, body_in(richpanel.queue_batch("test", 0))),
    (commands.read, conversations.context_object("sms", 0)),
    (read_inbound, conversations.inbound_message()),
]
readers = pytest.mark.parametrize(
    ("read", "body"), READERS, ids=lambda part: getattr(part, "__module__", "")
)


@readers
@pytest.mark.parametrize("version", [PREVIOUS, VERSION])
def test_a_reader_accepts_this_version_and_the_previous_one(
    read: Callable[[str], object], body: Json, version: int
) -> None:
    assert read(json.dumps(body | {"v": version}))


@readers
def test_an_event_without_a_version_is_of_the_time_before_the_field_existed(
    read: Callable[[str], object], body: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = json.dumps({name: value for name, value in body.items() if name != "v"})
    monkeypatch.setattr(versions, "PREVIOUS", 0)
    assert read(old)
    monkeypatch.setattr(versions, "PREVIOUS", 1)
    monkeypatch.setattr(versions, "VERSION", 2)

    with pytest.raises(Permanent, match=r"^unsupported_event_version$"):
        read(old)


@readers
def test_an_event_of_a_newer_release_is_retried_regardless_of_its_shape(
    read: Callable[[str], object], body: Json
) -> None:
    for newer in (body | {"v": VERSION + 1}, {"v": VERSION + 1, "type": "invented"}):
        with pytest.raises(NewerVersion) as refusal:
            read(json.dumps(newer))
        assert refusal.value.reason == NEWER


@readers
@pytest.mark.parametrize("version", [PREVIOUS - 1, None, "1", [1], 0.5])
def test_an_event_of_any_other_version_is_refused_with_that_reason(
    read: Callable[[str], object], body: Json, version: object
) -> None:
    with pytest.raises(Permanent, match=r"^unsupported_event_version$"):
        read(json.dumps(body | {"v": version}))


def test_every_event_is_enqueued_with_the_version() -> None:
    shapes = [*get_args(exchange.Event.__value__), *get_args(commands.Record.__value__)]

    for shape in shapes:
        declared = getattr(shape, "model_fields", None) or shape.__dataclass_fields__
        assert declared["v"].default == VERSION, shape
    for read, body in READERS[:2]:
        assert json.loads(read(json.dumps(body)).to_json())["v"] == VERSION  # type: ignore[attr-defined] # both have it
