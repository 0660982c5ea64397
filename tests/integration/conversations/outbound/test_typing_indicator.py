"""The customer of a number at Meta or AWS sees once that the answer is being written; nothing depends on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from events.conversations import sample_data
from shared.events.exchange import InboundMessage
from shared.runtime import clock
from tests import template
from tests.integration.conversations.steps import with_model
from tests.simulation.conversations.permissions import steps as projects
from tests.simulation.crashes.disturbances import deaths_in

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

RECEIPT = {
    "messaging_product": "whatsapp",
    "status": "read",
    "message_id": "wamid.q",
    "typing_indicator": {"type": "text"},
}

NOTICE = projects.TWILIO["policy"]["handoff_notice"]  # after a send in doubt


def begin(system: System, project: dict[str, Any], channel: str = "whatsapp") -> str:
    """A conversation of a project, with the token of its number."""
    tokens = template.name_of("WhatsAppAccessTokens", Stage="local")
    system.put_secret(tokens, {sample_data.COMPANY: "a token of the sandbox"})
    system.set_up(project)
    return system.begin(channel)


def ask(
    system: System, ref: str, text: str = "Which shift is it?", message_id: str = "wamid.q"
) -> None:
    """The customer asks over the provider of the conversation, a minute later, and intake stores it."""
    state = system.state(ref)
    channel = system.row("company", state["company_id"], state["project_id"]) or {}
    settings = channel["channel_config"][state["channel_method"]]
    system.clock.sleep(60)
    write(system, state, settings, text, message_id)


def write(
    system: System, state: dict[str, Any], settings: dict[str, Any], text: str, message_id: str
) -> None:
    system.forward(
        InboundMessage(
            provider=settings["provider"],
            provider_message_id=message_id,
            account=settings.get("account", "us-east-1"),
            company=state["company_id"],
            channel_method=state["channel_method"],
            business_address=state["business_address"],
            customer_address=state["primary_channel"],
            received_at=clock.to_text(system.clock.ms),
            kind="text",
            text=text,
        )
    )
    system.run_intake()


def receipts(system: System) -> list[Any]:
    return [body for body in map(_body, system.sandbox.sent) if "typing_indicator" in body]


def answers(system: System) -> list[Any]:
    texts = [body for body in map(_body, system.sandbox.sent) if body.get("type") == "text"]
    return [body for body in texts if NOTICE not in body["text"]["body"]]


def _body(sent: Any) -> dict[str, Any]:
    """Meta's JSON of a sent message; AWS has it in a field."""
    body = sent.body if isinstance(sent.body, dict) else {}
    message = body.get("message", body)
    return message if isinstance(message, dict) else {}


@pytest.mark.parametrize("project", [projects.META, projects.AWS_SOCIAL], ids=["meta", "aws"])
def test_typing_is_shown_once_for_the_newest_message_before_the_answer(
    system: System, project: dict[str, Any]
) -> None:
    ref = begin(system, project)

    ask(system, ref)
    assert receipts(system) == [], "the customer may still write"
    system.drain()

    assert receipts(system) == [RECEIPT]
    shown = [_body(sent) for sent in system.sandbox.sent]
    assert shown.index(RECEIPT) < shown.index(answers(system)[0])


@pytest.mark.parametrize(
    ("project", "channel", "changes"),
    [
        (projects.META, "whatsapp", {"typing_indicator": False}),
        (projects.TWILIO, "whatsapp", {}),
        (projects.TWILIO, "sms", {}),
    ],
    ids=["switched off", "Twilio", "SMS"],
)
def test_no_typing_is_shown_where_it_is_off_or_does_not_exist(
    system: System, project: dict[str, Any], channel: str, changes: dict[str, Any]
) -> None:
    channels = project["channel_config"]
    own = project | {"channel_config": channels | {channel: channels[channel] | changes}}
    ref = begin(system, own, channel)

    ask(system, ref)
    system.drain()

    assert receipts(system) == []
    assert system.conversation(ref)["conversation_status"] == "reply_sent"


def test_typing_is_shown_once_while_fragments_are_awaited_and_again_with_the_answer(
    system: System,
) -> None:
    ref = begin(system, projects.META)
    state, settings = system.state(ref), projects.META["channel_config"]["whatsapp"]
    ask(system, ref, "about the job")

    system.advance(2_000)
    assert receipts(system) == [RECEIPT], "in the wait"
    for name in ("wamid.r", "wamid.s"):
        write(system, state, settings, "and the shift", name)
        system.advance(2_000)
    assert receipts(system) == [RECEIPT], "once for the burst"
    system.drain()

    assert receipts(system) == [RECEIPT, RECEIPT | {"message_id": "wamid.s"}]
    assert len(answers(system)) == 1


NIGHT = {
    "time_zone": "UTC",
    "outside": "hand_off",
    "periods": [{"days": ["monday"], "start": "03:00", "end": "03:01"}],
}


@pytest.mark.parametrize(
    ("changes", "allows"),
    [({"opening_hours": NIGHT}, False), ({"project_status": "inactive"}, False), ({}, True)],
    ids=["left to people", "inactive", "answered"],
)
def test_typing_is_shown_in_a_wait_only_where_an_answer_is_allowed(
    system: System, changes: dict[str, Any], allows: bool
) -> None:
    ref = begin(system, projects.META)
    system.change(**changes)

    ask(system, ref, "about the job")
    system.advance(2_000)

    assert receipts(system) == [RECEIPT] * allows


@pytest.mark.parametrize("fault", [{"kind": "status", "status": 500}, {"kind": "reset"}])
def test_a_receipt_that_fails_delays_and_fails_no_answer(
    system: System, fault: dict[str, Any]
) -> None:
    ref = begin(system, projects.META)
    with_model(system)
    ask(system, ref)
    asked_at = system.clock.ms
    system.sandbox.faults.add(provider="meta", **fault)

    system.drain()

    assert system.conversation(ref)["conversation_status"] == "reply_sent"
    assert len(answers(system)) == 1
    assert system.clock.ms - asked_at == 1_000


@pytest.mark.long
@pytest.mark.parametrize(("text", "most"), [("Which shift is it?", 1), ("about the job", 2)])
def test_a_worker_that_dies_at_any_call_shows_typing_once_for_each_wait_and_answer(
    system: System, text: str, most: int
) -> None:
    ref = begin(system, projects.META)
    ask(system, ref, text)
    start = system.snapshot()
    system.new_process()
    system.interceptor.rewind()
    system.settle()

    for death in deaths_in(system.interceptor):
        system.restore(start)
        system.interceptor.die_at = death
        system.settle()
        assert len(receipts(system)) <= most, death
        assert len(answers(system)) <= 1, death  # A send in doubt is not repeated.
        assert "turn" not in system.state(ref), death
