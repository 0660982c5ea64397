"""Scenarios of messages that Parley sends, and of those that the inbox and conversations give each other."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from events.whatsapp.payloads import text
from events.whatsapp.sample_data import ADA, COMPANY, COUNTER
from events.whatsapp.samples import samples
from shared.providers.action_ledger import Action, OnDoubt, State
from tests.simulation.whatsapp.event_builders import (
    ACTION_ID,
    OTHER_ID_OF_SENT,
    SENT,
    Event,
    ada_message,
    ada_reaction,
    echo_webhook,
    outbound_event,
    status_webhook,
    unfinished_send,
    wamid,
    webhook_of,
)
from tests.simulation.whatsapp.scenario import Scenario
from whatsapp import store
from whatsapp.store.accounts.numbers import phone_settings
from whatsapp.store.items import ACTION_PK_PATTERN, Intent, Message, pk
from whatsapp.store.items.accounts.phones import CONVERSATIONS, NO_AUTOMATION
from whatsapp.store.items.sending.sequences import FIRST_MESSAGE, REQUEST_WELCOME, Sequence
from whatsapp.store.sending import sequences

if TYPE_CHECKING:
    from tests.simulation.whatsapp.system import System
    from whatsapp.store.items.sending.sequences import Trigger


def of_sequences() -> list[Scenario]:
    """The first message of a customer starts a sequence, whose first step is due an hour later."""
    hello, opened = (
        ada_message("hello", text("Hello")),
        ada_message("open", {"type": "request_welcome"}),
    )
    first = partial(_has_sequence, trigger=FIRST_MESSAGE)
    return [
        Scenario("a sequence starts", (webhook_of(hello),), seed=first),
        Scenario("a sequence starts, and the customer goes on", (
            webhook_of(hello, ada_message("more", text("And?"), 771)),
        ), seed=first),
        Scenario("a sequence starts once", (webhook_of(hello),), (webhook_of(hello),), seed=first),
        Scenario("a known customer opens the chat", (webhook_of(opened),), (webhook_of(
            ada_message("old", text("Hello"), 700)),
        ), seed=partial(_has_sequence, trigger=REQUEST_WELCOME)),
    ]  # fmt: skip


def _has_sequence(system: System, *, trigger: Trigger) -> None:
    """The account has a sequence, and its number names it."""
    sequence = Sequence(
        pk=Sequence.key(COUNTER.waba, "welcome"),
        company=COMPANY,
        account=COUNTER.waba,
        sequence_name="welcome",
        steps=[{"delayMinutes": 60, "text": "Welcome!"}],
        enabled=True,
        trigger=trigger,
        stop_on_reply=True,
        created_by="api-key:owner",
        updated_at="2026-01-01T09:00:00.000Z",
    )
    sequences.put(system.table, sequence)
    phone = store.phones.get(system.table, COUNTER.phone)
    assert phone is not None
    phone_settings.set_welcome_sequences(system.table, phone, {trigger: "welcome"})
    system.new_process()


def of_automation() -> list[Scenario]:
    """Messages that are forwarded to conversations."""
    image = next(sample for sample in samples() if sample.name == "image")
    hello = webhook_of(ada_message("hello", text("Hello")))
    reminded = echo_webhook("reminder")
    statuses = status_webhook(wamid("reminder"), "sent", "delivered")
    wanted: list[tuple[str, tuple[Event, ...], tuple[Event, ...]]] = [
        ("two messages and a reaction", (
            webhook_of(
                ada_message("one", text("one")), ada_message("two", text("two")),
                ada_reaction("r", "one", "👍", 771),
            ),
        ), ()),
        ("a message again", (hello,), (hello,)),
        ("a photo", (image.event,), ()),
        ("an answer in the business's own app", (reminded,), (hello,)),
        ("statuses", (statuses,), (reminded,)),
        ("a status again", (statuses,), (reminded, statuses)),
        ("statuses of an unknown message", (statuses,), ()),
        ("statuses before their echo", (reminded,), (statuses,)),
    ]  # fmt: skip
    return [
        Scenario(f"handed over: {name}", then, first, automation=CONVERSATIONS)
        for name, then, first in wanted
    ]


def of_other_contexts() -> list[Scenario]:
    """A model's answer, with the id of its statuses and with another one."""
    ours = {"biz_opaque_callback_data": ACTION_ID}
    statuses = status_webhook(SENT, "sent", "delivered", **ours)
    same, other = outbound_event(SENT), outbound_event(OTHER_ID_OF_SENT)
    return [
        Scenario("sent elsewhere", (same,), (webhook_of(ada_message("hello", text("Hello"), 760)),)),
        Scenario("sent elsewhere, reported again under another id", (other,), (same,)),
        Scenario("sent elsewhere, then its statuses", (same, statuses)),
        Scenario("sent elsewhere, after its statuses", (same,), (statuses,)),
        Scenario("sent elsewhere, then statuses by another id", (other, statuses)),
        Scenario("sent elsewhere, after statuses by another id", (other,), (statuses,)),
        Scenario("sent elsewhere from an automated number", (same, statuses), automation=CONVERSATIONS),
    ]  # fmt: skip


def of_actions() -> list[Scenario]:
    ours = {"biz_opaque_callback_data": ACTION_ID}
    return [
        Scenario(
            "a status is the evidence of our own send",
            (status_webhook(SENT, "sent", **ours),),
            seed=lambda system: _intend(system, None),
        ),
        Scenario(
            "a failure is the evidence of our own send",
            (status_webhook(SENT, "failed", **ours),),
            seed=lambda system: _intend(system, None),
        ),
        Scenario(
            "a status waits, the next one is the evidence of our own send",
            (status_webhook(SENT, "sent", **ours),),
            (status_webhook(SENT, "delivered"),),
            seed=lambda system: _intend(system, None),
        ),
        Scenario(
            "a status knows our send by another id",
            (status_webhook(SENT, "sent", **ours),),
            seed=lambda system: _intend(system, Message.key(OTHER_ID_OF_SENT)),
        ),
        *(
            Scenario(
                f"an unfinished send whose action is {state}",
                (unfinished_send(),),
                seed=partial(
                    _intend, message_pk=None, state=state, provider_id=provider_id, deadline=1
                ),
                automation=NO_AUTOMATION if state is State.FAILED else CONVERSATIONS,
            )
            for state, provider_id in (
                (State.RESERVED, None),
                (State.SENT, SENT),
                (State.CONFIRMED, SENT),
                (State.FAILED, None),
            )
        ),
        Scenario(
            "an unfinished send and its status",
            (unfinished_send(), status_webhook(SENT, "sent", **ours)),
            seed=lambda system: _intend(system, None, deadline=1),
        ),
    ]


def _intend(system: System, message_pk: str | None, **facts: Any) -> None:
    """The items of a sender that crashed after its call: an intent, and an action, reserved unless *facts* differ."""
    message = Message(
        pk="-", direction="OUTBOUND", received_at="2026-01-01T12:50:00.000Z",
        sent_at="2026-01-01T12:50:00.000Z", from_=COUNTER.display, from_pk=COUNTER.display,
        to=ADA.wa_id, conversation_pk=f"CONV#{COUNTER.phone}#{ADA.wa_id}", type="text",
        preview="Your bike is ready", text_body="Your bike is ready", phone=COUNTER.phone,
        inbox_pk=f"arn:parley:whatsapp:::phone-number-id/{COUNTER.phone}", payload_hash="-",
        sent_by="api-key:agent",
    ).attributes()  # fmt: skip
    intent = Intent(
        pk=Intent.key(ACTION_ID),
        company="acme",
        message={
            name: value
            for name, value in message.items()
            if name not in {"pk", "itemType", "payloadHash"}
        },
    )
    system.table.put(intent.attributes())
    action = Action(
        action_id=ACTION_ID, company="acme", channel="whatsapp", provider="graph",
        on_doubt=OnDoubt.AT_MOST_ONCE, owner="a dead sender", message_pk=message_pk,
        **facts,
    )  # fmt: skip
    stored = action.model_dump(by_alias=True, exclude_none=True, mode="json")
    system.table.put(
        {**pk(ACTION_PK_PATTERN.format(actionId=ACTION_ID)), "itemType": "ACTION", **stored}
    )
