"""Messages, reactions and receipts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from events.whatsapp.actions.messages import BODIES, FROM_COUNTER, TO_ADA
from events.whatsapp.payloads import text
from events.whatsapp.sample_data import ADA, COMPANY, COUNTER
from local.sandbox.accounts import media
from shared.runtime import clock
from tests.simulation.whatsapp.actions.scenario import Scenario
from tests.simulation.whatsapp.event_builders import ada_message, wamid, webhook_of
from whatsapp import store
from whatsapp.store import ordering
from whatsapp.store.items import Conversation, Message, Reaction
from whatsapp.store.items.conversations.groups import Group

if TYPE_CHECKING:
    from tests.simulation.whatsapp.actions.scenario import Json
    from tests.simulation.whatsapp.system import System

GROUP = BODIES["send_group_message"]["groupId"]
HELLO = wamid("hello")  # the message that Ada wrote before each scenario
FAILED = "wamid.failed"
REACTION: Json = TO_ADA | {"messageId": HELLO}
SEND = ("send_message",)


def upload(system: System) -> None:
    """Put the file of `send_image` into the bucket."""
    key, content = BODIES["send_image"]["s3Key"], media.BUILT_IN[media.JPEG_IMAGE].content
    system.s3.put_object(Bucket=system.bucket, Key=key, Body=content, ContentType="image/jpeg")


def add_template(system: System) -> None:
    """Let the provider approve the template of `send_template`."""
    system.sandbox.templates.append(
        {
            "waba": COUNTER.waba,
            "id": "1001",
            "name": "bike_ready",
            "language": "en_US",
            "status": "APPROVED",
            "category": "UTILITY",
            "components": [{"type": "BODY", "text": "Hello {{1}}, your bike is ready."}],
        }
    )


def add_group(system: System) -> None:
    """A group in which Ada has written."""
    group = Group(
        pk=Group.key(GROUP),
        company=COMPANY,
        group_id=GROUP,
        phone=COUNTER.phone,
        waba_meta_id=COUNTER.waba,
        revision=1,
    )
    store.groups.replace(system.table, group)
    said = ada_message("in the group", text("Who comes?"), group_id=GROUP)
    system.deliver_until_accepted(webhook_of(said))
    system.drain()


def add_failed(system: System) -> None:
    """A text to Ada that failed because of a rate limit."""
    at = clock.to_text(clock.now_ms())
    message = Message(
        pk=Message.key(FAILED),
        company=COMPANY,
        direction="OUTBOUND",
        received_at=at,
        sent_at=at,
        from_=COUNTER.display,
        from_pk=COUNTER.display,
        to=ADA.wa_id,
        sender_phone=ADA.wa_id,
        conversation_pk=Conversation.key(COUNTER.phone, ADA.wa_id),
        type="text",
        text_body="Your bike is ready.",
        preview="Your bike is ready.",
        inbox_pk=f"arn:parley:whatsapp:::phone-number-id/{COUNTER.phone}",
        phone=COUNTER.phone,
        payload_hash="-",
        delivery_status="failed",
        status_rank=9,
        status_error={"code": 131056},
    )
    store.messages.add(system.table, message)


def react(system: System) -> None:
    """A reaction of the counter to Ada's message, from before the clock was stopped."""
    order = ordering.order_key("2020-01-01T00:00:00.000Z", "earlier")
    reaction = Reaction(
        pk=Reaction.key(COUNTER.phone, HELLO, COUNTER.display),
        company=COMPANY,
        actor=COUNTER.display,
        emoji="\N{BICYCLE}",
        order=order,
    )
    store.message_reports.add_reaction(system.table, reaction)
    message = store.messages.get(system.table, Message.key(HELLO))
    assert message is not None
    shown = {COUNTER.display: {"emoji": reaction.emoji, "order": order}}
    store.messages.set_reactions(system.table, message, shown)


# Items that a call needs besides Ada's message.
_PREPARED = {"send_image": upload, "send_template": add_template}
_OWN = {
    "send_reaction",
    "remove_reaction",
    "send_reply",
    "mark_read",
    "send_typing_indicator",
    "send_group_message",
    "resend_message",
    "retry_failed_messages",
}

SCENARIOS = (
    *(
        Scenario(action=name, body=body, prepare=_PREPARED.get(name), effect=SEND)
        for name, body in BODIES.items()
        if name not in _OWN
    ),
    Scenario(action="send_reaction", body=REACTION, effect=SEND),
    Scenario(
        action="remove_reaction",
        body=REACTION,
        prepare=react,
        effect=SEND,
    ),
    Scenario(
        action="send_reply",
        body=TO_ADA | {"replyToMessageId": HELLO, "text": "Yes, it is."},
        effect=SEND,
    ),
    Scenario(
        action="mark_read", body=FROM_COUNTER | {"messageId": HELLO}, effect=("mark_as_read",)
    ),
    Scenario(
        action="send_typing_indicator",
        body=FROM_COUNTER | {"messageId": HELLO},
        effect=("mark_as_read",),
    ),
    Scenario(
        action="send_group_message",
        body=BODIES["send_group_message"],
        prepare=add_group,
        effect=SEND,
    ),
    Scenario(
        action="resend_message",
        body={"messageId": FAILED},
        prepare=add_failed,
        effect=SEND,
    ),
    Scenario(
        action="retry_failed_messages",
        body=BODIES["retry_failed_messages"],
        prepare=add_failed,
        effect=SEND,
    ),
)
