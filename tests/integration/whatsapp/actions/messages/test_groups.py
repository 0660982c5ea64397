"""Messages to groups."""

from typing import Any

import pytest

from shared.api.auth import Caller
from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import GLOBEX, WABA, Actions
from tests.integration.whatsapp.actions.messages.test_files import FILES
from tests.integration.whatsapp.actions.messages.test_templates import READY, VALUES, add_template
from tests.integration.whatsapp.conftest import NOW, PHONE, text
from whatsapp import store
from whatsapp.store.items.conversations.groups import Group

GROUP = "Y2FwaV9ncm91cDox"
MESSAGES = "/{Version}/{Phone-Number-ID}/messages"


@pytest.fixture
def group(actions: Actions) -> Actions:
    """A group of acme in which a participant has just written."""
    add_group(actions)
    actions.harness.take({"messages": [text("wamid.g.1", at=NOW // 1000 - 60, group_id=GROUP)]})
    return actions


def add_group(actions: Actions, **facts: Any) -> None:
    given = {"company": "acme", "phone": PHONE, "waba_meta_id": WABA, "revision": 1} | facts
    item = Group(pk=Group.key(GROUP), group_id=GROUP, **given)
    actions.harness.resources.table.put(item.attributes())


def send(actions: Actions, body: dict[str, Any], **more: Any) -> Any:
    return actions.run("send_group_message", {"groupId": GROUP, **body}, **more)


def test_a_text_goes_to_the_group_and_into_its_conversation(group: Actions) -> None:
    answer = send(group, {"text": "Hello all."})

    [sent] = group.wire
    assert wire.problems(sent, "POST", MESSAGES) == []
    assert (sent.body["recipient_type"], sent.body["to"]) == ("group", GROUP)  # type: ignore[index] # JSON
    stored = group.item(answer.result["messagePk"])
    assert (stored["groupId"], stored["sentAt"]) == (GROUP, stored["receivedAt"])
    assert stored["conversationPk"] == f"CONV#{PHONE}#{GROUP}"


def test_the_first_message_of_a_group_needs_the_window_or_a_template(actions: Actions) -> None:
    add_group(actions)
    answer = send(actions, {"text": "Hello all."})

    assert (answer.status, answer.error) == (422, "policy_refused")


@pytest.mark.parametrize("kind", ["image", "video", "audio", "document"])
def test_a_file_goes_to_the_group(group: Actions, kind: str) -> None:
    answer = send(group, {"messageType": kind, "mediaId": FILES[kind][2]})

    assert answer.status == 200
    assert group.wire[0].body[kind] == {"id": FILES[kind][2]}  # type: ignore[index] # JSON


def test_a_template_goes_to_the_group(group: Actions) -> None:
    add_template(group)
    body = {"messageType": "template", "templateName": "bike_ready", "components": VALUES}

    assert send(group, body).status == 200
    assert group.wire[0].body["template"]["name"] == "bike_ready"  # type: ignore[index] # JSON


@pytest.mark.parametrize(
    "facts",
    [
        {"category": "AUTHENTICATION"},
        {"components": [*READY, {"type": "BUTTONS", "buttons": [{"type": "CATALOG"}]}]},
    ],
)
def test_authentication_and_commerce_are_refused_in_groups(
    group: Actions, facts: dict[str, Any]
) -> None:
    add_template(group, **facts)
    body = {"messageType": "template", "templateName": "bike_ready", "components": VALUES}
    answer = send(group, body)

    assert (answer.status, answer.error, group.wire) == (409, "template_not_sendable", [])


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "body"),
        ({"text": "a", "caption": "b"}, "body"),
        ({"messageType": "interactive", "text": "a"}, "messageType"),
        ({"messageType": "image"}, "body"),
        ({"messageType": "audio", "mediaId": "1", "caption": "a"}, "body"),
        ({"messageType": "template"}, "body"),
        ({"text": "x" * 4_097}, "text"),
        ({"interactive": {}}, "interactive"),
    ],
)
def test_bad_input_for_a_group_is_refused(group: Actions, body: dict[str, Any], field: str) -> None:
    answer = send(group, body)

    assert (answer.status, answer.fields, group.wire) == (400, [field], [])


def test_a_group_that_is_deleted_or_of_another_company_gets_no_message(group: Actions) -> None:
    assert send(group, {"text": "Hello."}, caller=GLOBEX).status == 404
    reader = Caller(company="acme", scopes=frozenset({"whatsapp:send"}), principal="api-key:r")
    assert send(group, {"text": "Hello."}, caller=reader).status == 403
    add_group(group, state="deleted")
    answer = send(group, {"text": "Hello."})

    assert (answer.status, answer.error, group.wire) == (409, "state_conflict", [])
    assert store.groups.get(group.harness.resources.table, Group.key("none")) is None
    assert group.run("send_group_message", {"groupId": "none", "text": "Hi"}).status == 404


def test_the_same_key_sends_once_to_the_group(group: Actions) -> None:
    first = send(group, {"text": "Hello."}, key="key-group-1")
    again = send(group, {"text": "Hello."}, key="key-group-1")

    assert (again.result, len(group.wire)) == (first.result, 1)
