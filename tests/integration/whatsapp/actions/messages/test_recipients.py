"""Answers go to an address that is proven to be the customer's, never to the next owner of a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from shared.policy.consent.items import Source, Statement
from tests.integration.whatsapp.actions.conftest import Actions
from tests.integration.whatsapp.actions.messages.test_resends import fail
from tests.integration.whatsapp.actions.templates.catalogue import listed
from tests.integration.whatsapp.conftest import NOW, PHONE
from tests.integration.whatsapp.contacts.test_identity import P, Q, changed, written
from whatsapp.sending import recipients

if TYPE_CHECKING:
    from whatsapp.sending.gate import Gate
    from whatsapp.store.items import Conversation, Phone

FIRST, NEXT = "GB.1", "GB.2"
WITHDRAWN = "address_withdrawn"
# The recipient by number: the contact of each is found by what is proven.
TEXT = {"phoneNumberId": PHONE, "text": "Your bike is ready."}
HANDED_OVER: dict[str, list[dict[str, Any]]] = {
    "another user id writes from the number": [written("b", 20, P, NEXT)],
    "its owner moved to another number": [changed("n", 10)],
    "its owner moved, and the next one writes": [changed("n", 10), written("b", 20, P, NEXT)],
    "its owner moved and hides the new number": [changed("n", 10, P, "", user_id="GB.3", previous_user_id=FIRST)],
}  # fmt: skip


def head_of(actions: Actions, contact: str) -> dict[str, Any]:
    return actions.item(f"CONV#{PHONE}#{contact}")


def sent_to(actions: Actions) -> list[dict[str, Any]]:
    """The recipients that the provider got."""
    bodies = [one.body for one in actions.wire if isinstance(one.body, dict)]
    return [
        {name: body[name] for name in ("to", "recipient") if name in body}
        for body in bodies
        if "type" in body
    ]


def reason(answer: Any) -> str:
    assert answer.error == "policy_refused", answer.body
    return str(answer.body["error"]["message"]).partition(":")[0]


@pytest.mark.parametrize("events", HANDED_OVER.values(), ids=list(HANDED_OVER))
def test_a_resent_message_does_not_reach_the_next_owner_of_the_number(
    actions: Actions, events: list[dict[str, Any]]
) -> None:
    actions.harness.take({"messages": [written("a", 0, P, FIRST)]})
    first = actions.run("send_text", TEXT | {"to": f"+{P}"}).result
    fail(actions, first["messageId"], 131056)
    for event in events:
        actions.harness.take({"messages": [event]})
    answer = actions.run("resend_message", {"messageId": first["messagePk"]})
    (retried,) = actions.run("retry_failed_messages", {"phoneNumberId": PHONE}).result["messages"]

    assert reason(answer) == WITHDRAWN
    assert (retried["outcome"], retried["reason"]) == ("skipped", WITHDRAWN)
    assert sent_to(actions) == [{"to": f"+{P}"}]


@pytest.mark.parametrize("action", ["send_text", "send_location", "send_reaction"])
def test_a_message_to_a_number_that_nobody_has_is_refused(actions: Actions, action: str) -> None:
    actions.harness.take({"messages": [written("a", 0, P, FIRST)]})
    actions.harness.take({"messages": [changed("n", 10)]})
    bodies: dict[str, dict[str, Any]] = {
        "send_text": {"text": "Hello."},
        "send_location": {"latitude": 51.5, "longitude": -1},
        "send_reaction": {"messageId": "wamid.a", "emoji": "\N{BICYCLE}"},
    }
    answer = actions.run(action, {"phoneNumberId": PHONE, "to": f"+{P}"} | bodies[action])

    assert reason(answer) == WITHDRAWN
    assert sent_to(actions) == []


def test_a_message_by_number_reaches_its_present_owner_in_their_conversation(
    actions: Actions,
) -> None:
    actions.harness.take({"messages": [written("a", 0, P, FIRST)]})
    actions.harness.take({"messages": [written("b", 20, P, NEXT)]})
    answer = actions.run("send_text", TEXT | {"to": f"+{P}"})

    assert answer.result["conversationPk"] == f"CONV#{PHONE}#{NEXT}"
    assert sent_to(actions) == [{"to": f"+{P}"}]


@pytest.mark.parametrize("action", ["send_text", "send_location", "send_reaction"])
def test_a_number_that_changes_hands_before_the_call_to_the_provider_gets_nothing(
    actions: Actions, action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions.harness.take({"messages": [written("a", 0, P, FIRST)]})
    bodies: dict[str, dict[str, Any]] = {
        "send_text": {"text": "Hello."},
        "send_location": {"latitude": 51.5, "longitude": -1},
        "send_reaction": {"messageId": "wamid.a", "emoji": "\N{BICYCLE}"},
    }
    require = recipients.require

    def late(gate: Gate, phone: Phone, conversation: Conversation, **more: Any) -> None:
        actions.harness.take({"messages": [written("b", 20, P, NEXT)]})
        require(gate, phone, conversation, **more)

    monkeypatch.setattr(recipients, "require", late)
    request = {"phoneNumberId": PHONE, "to": f"+{P}"} | bodies[action]
    answer = actions.run(action, request, key="key-of-the-race")

    assert reason(answer) == WITHDRAWN
    assert sent_to(actions) == []
    outbound = [
        key for key in actions.harness.keys() if actions.item(key).get("direction") == "OUTBOUND"
    ]
    assert outbound == []


NEWER: dict[str, dict[str, Any]] = {
    "an echo of the app": {
        "field": "smb_message_echoes",
        "message_echoes": [
            {"id": "wamid.echo", "from": "15550783881", "to": P, "timestamp": str(NOW // 1_000 - 900),
             "type": "text", "text": {"body": "Hi"}}
        ],
    },
}  # fmt: skip


@pytest.mark.parametrize("user_ids", [{}, {"user_id": "GB.3", "previous_user_id": FIRST}])
@pytest.mark.parametrize("newer", ["an answer of the API", "an echo of the app"])
def test_a_notice_that_is_handled_after_what_the_business_sent_changes_the_address(
    actions: Actions, newer: str, user_ids: dict[str, str]
) -> None:
    actions.harness.take({"messages": [written("a", 0, P, FIRST if user_ids else "")]})
    if newer in NEWER:
        actions.harness.take(NEWER[newer])
    else:
        assert actions.run("send_text", TEXT | {"to": f"+{P}"}).status == 200
    for _ in range(2):
        actions.harness.take({"messages": [changed("n", 10, **user_ids)]})

    head = head_of(actions, P)
    assert head["senderPhone"] == Q
    assert head.get("senderUserId") == (user_ids.get("user_id") if user_ids else None)


def test_a_notice_that_is_handled_after_a_newer_message_of_the_customer_changes_nothing(
    actions: Actions,
) -> None:
    actions.harness.take({"messages": [written("a", 0, P, FIRST)]})
    actions.harness.take({"messages": [written("c", 30, "447700900155", FIRST)]})
    assert actions.run("send_text", TEXT | {"to": "+447700900155"}).status == 200
    actions.harness.take({"messages": [changed("n", 10, user_id=FIRST)]})

    assert head_of(actions, P)["senderPhone"] == "447700900155"


def test_a_late_message_of_the_customer_wins_over_an_answer_of_the_api(actions: Actions) -> None:
    actions.harness.take({"messages": [written("a", 0, P, FIRST)]})
    assert actions.run("send_text", TEXT | {"to": f"+{P}"}).status == 200
    actions.harness.take({"messages": [written("c", 30, Q, FIRST)]})

    assert head_of(actions, P)["senderPhone"] == Q


@pytest.mark.parametrize("to", [{}, {"to_user_id": NEXT}], ids=str)
def test_an_echo_of_the_app_does_not_open_a_number_that_was_given_up(
    actions: Actions, to: dict[str, str]
) -> None:
    actions.harness.take({"messages": [written("a", 0, P, FIRST)]})
    actions.harness.take({"messages": [changed("n", 10)]})
    opt_in = Statement(source=Source.OPERATOR, at_ms=NOW, evidence="form 3")
    consents = actions.module.resources.consents
    consents.record_opt_in("acme", [f"+{P}"], opt_in, channels=["whatsapp"])
    sent = NEWER["an echo of the app"]["message_echoes"][0] | to
    actions.harness.take({"field": "smb_message_echoes", "message_echoes": [sent]})

    listed(actions.sandbox, {"type": "BODY", "text": "Hi"}, name="hello")
    template = {"templateName": "hello"}
    assert (
        reason(actions.run("send_template", template | {"phone": PHONE, "to": f"+{P}"}))
        == WITHDRAWN
    )
    actions.harness.take({"messages": [written("b", 200, P, NEXT)]})
    assert actions.run("send_text", TEXT | {"to": f"+{P}"}).status == 200
    assert sent_to(actions) == [{"to": f"+{P}"}]
