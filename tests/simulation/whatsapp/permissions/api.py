"""The API of conversations and the sending of messages, with all calls that they can make."""

from __future__ import annotations

import json
from typing import Any

import boto3

from events.whatsapp.payloads import text
from events.whatsapp.sample_data import ADA, COMPANY, COUNTER, WORKSHOP, BusinessNumber
from events.whatsapp.samples import sample
from tests.simulation.permissions.help_desk_permissions import asked
from tests.simulation.permissions.permissions import CallObserver
from tests.simulation.processes import imported
from tests.simulation.whatsapp.agents.agent import agent_of
from tests.simulation.whatsapp.event_builders import ada_message, webhook_of
from tests.simulation.whatsapp.scenarios import by_name, of_our_own
from tests.simulation.whatsapp.system import Invocation, System, registered
from tests.template import create_table, environment
from whatsapp.store.items import Conversation, pk
from whatsapp.store.items.accounts.phones import CONVERSATIONS
from whatsapp.store.items.accounts.templates import TemplateMeta
from whatsapp.store.ordering import order_key

STAGE = {"Stage": "local"}
LONG = webhook_of(ada_message("long", text("word " * 4_000)))


def exercise_api(system: System, observer: CallObserver) -> None:
    """All routes about all conversations of a number: a long message, one with a file, one with many versions."""
    system.reset()
    (edited,) = by_name(of_our_own(), "the eleventh edit")
    media = (sample("image").event, sample("image_gone").event, LONG)
    for event in (*media, *edited.first, *edited.then):
        system.deliver_until_accepted(event)
    system.drain()
    variables = environment("WhatsAppApi", **STAGE)
    api = imported("whatsapp.handlers.api", variables)
    handler = observer.watching("WhatsAppApi", api.handler)
    dynamodb = boto3.Session().client("dynamodb")  # not watched
    log = create_table(dynamodb, "ConversationLogTable", **STAGE)

    def ask(line: str, body: Any = None, **query: str) -> dict[str, Any]:
        answer = handler(asked(line, body, **query), Invocation())
        assert answer["statusCode"] in {200, 201}, answer["body"]
        shown: dict[str, Any] = json.loads(answer["body"])["result"]
        return shown

    ask("GET /whatsapp/numbers")
    for conversation in ask("GET /whatsapp/conversations", phone=COUNTER.phone)["conversations"]:
        path = f"/whatsapp/conversations/{conversation['key']}"
        ask(f"GET {path}/messages")
        assert ask(f"GET {path}", consent="true")["consent"]["state"] == "unknown"
        for agent in ("ada", "bob"):
            ask(f"PATCH {path}", {"assignee": agent})
        ask(f"POST {path}/read", {"upTo": conversation["position"]})
        ask(f"POST {path}/notes", {"text": "call back"})
        ask(f"GET {path}/notes")
        ask(f"GET {path}/changes")
    ask("GET /whatsapp/conversations", assignee="bob")
    refused = asked(f"PATCH {path}", {"labels": ["vip"], "revision": 9})
    assert handler(refused, Invocation())["statusCode"] == 409
    dynamodb.delete_table(TableName=log)  # of another context, which other tests create too


def exercise_sending(system: System, observer: CallObserver) -> None:
    """Messages with text, an uploaded file and templates, over both providers; and canned replies."""
    system.reset(automation=CONVERSATIONS)
    for number in (COUNTER, WORKSHOP):
        said = ada_message(f"hello-{number.phone}", text("Hello"))
        system.deliver_until_accepted(webhook_of(said, number=number))
    system.drain()
    with agent_of(system) as agent:
        handler = observer.watching("WhatsAppSending", agent.module.handler)

        def ask(line: str, body: dict[str, Any] | None = None, status: int = 200) -> dict[str, Any]:
            system.clock.ms += 10_000
            event = asked(line, body) | {"headers": {"Idempotency-Key": f"key-{system.clock.ms}"}}
            answer = handler(event, Invocation())
            assert answer["statusCode"] == status, answer["body"]
            shown: dict[str, Any] = json.loads(answer["body"])
            return shown

        ask("PUT /whatsapp/canned-replies/ready", {"text": "Ready."})
        ask("GET /whatsapp/canned-replies")
        form = ask("POST /whatsapp/uploads", {"type": "image", "mimeType": "image/jpeg"})["result"]
        place = {"Bucket": system.bucket, "Key": form["fields"]["key"]}
        # A browser writes the file, with the permission of the function that has signed the form.
        observer.watching("WhatsAppSending", observer.note)("s3.PutObject", place)
        system.s3.put_object(**place, Body=b"\xff\xd8\xff\xe0 a photo", ContentType="image/jpeg")
        media = {"media": {"type": "image", "upload": form["upload"]}}
        # Higher than what the agent has read: the unread messages are counted in the timeline.
        floor = order_key("2026-02-01T00:00:00.000Z", "-")
        head = Conversation.key(COUNTER.phone, ADA.wa_id)
        system.table.update(pk(head), put=Conversation.named(ring_floor=floor))
        for category in ("UTILITY", "MARKETING"):
            system.table.put(template_of(COUNTER.waba, category).attributes())
        for number in (COUNTER, WORKSHOP):
            route = f"POST /whatsapp/conversations/{agent.key_of(number)}/messages"
            ask(route, {"cannedReply": {"name": "ready"}})
            ask(route, media)
        route = f"POST /whatsapp/conversations/{agent.key_of(COUNTER)}/messages"
        ask(route, {"template": {"name": "utility", "language": "en"}})
        ask(route, {"template": {"name": "marketing", "language": "en"}}, 422)
        for number in (COUNTER, WORKSHOP):
            system.sandbox.templates.append(template_at_provider(number))
            route = f"POST /whatsapp/conversations/{agent.key_of(number)}/messages"
            ask(route, {"template": {"name": "older", "language": "en"}})
        ask("DELETE /whatsapp/canned-replies/ready", {})


def template_at_provider(number: BusinessNumber) -> dict[str, object]:
    """A template that was approved before its number was connected."""
    facts = {"name": "older", "language": "en", "status": "APPROVED", "category": "UTILITY"}
    waba = registered(number).aws_waba or number.waba
    return facts | {"waba": waba, "id": "17", "components": []}


def template_of(waba: str, category: str) -> TemplateMeta:
    """An approved template whose name is its category."""
    name = category.lower()
    return TemplateMeta(
        pk=TemplateMeta.of_language(waba, name, "en"),
        company=COMPANY,
        waba_meta_id=waba,
        template_name=name,
        language="en",
        status="APPROVED",
        category=category,
    )
