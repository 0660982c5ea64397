"""Fits an outgoing message to its channel: maximum length, SMS segments, mail subject."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conversations.outbound.compose import fixed_texts
from conversations.outbound.turns.unwritable import Unwritable
from conversations.projects import EmailChannel, SmsChannel
from conversations.store.items.conversation import Role
from conversations.store.items.log import Delivery, Message
from shared.providers.email.mime import ContentUnusable, subject_line
from shared.providers.sms.segments import gsm_twins, measure

if TYPE_CHECKING:
    from collections.abc import Callable

    from conversations.conversation import OpenConversation

TOO_LONG = "too_long"


def blank(opened: OpenConversation, turn_id: str, author: str, content: str) -> Message:
    """Return an unsent outgoing message; its turn determines its position in the log."""
    return Message(
        entry_id="-",
        message_timestamp="-",
        role=Role.ASSISTANT,
        content=content,
        author=author,
        turn_id=turn_id,
        delivery_status=Delivery.DRAFT,
        ttl=opened.conversation.ttl,
    )


def fitted(opened: OpenConversation, message: Message) -> Message:
    """Fit a message to its channel: count SMS segments, set a mail's subject. Raises Unwritable."""
    channel = opened.channel
    if isinstance(channel, SmsChannel):
        is_first = (message.turn_id or "").startswith("initial")
        text = _as_sms(opened, message.content, is_first=is_first)
        size = measure(text)
        if size.segments > channel.max_segments:
            raise Unwritable(TOO_LONG)
        facts: dict[str, Any] = {
            "content": text,
            "encoding": size.encoding,
            "segments": size.segments,
        }
        message = message.model_copy(update=facts)
    if isinstance(channel, EmailChannel):
        try:
            subject = subject_line(message.subject, fixed_texts.subject(opened, channel))
        except ContentUnusable as fault:
            raise Unwritable(fault.reason) from None
        message = message.model_copy(update={"subject": subject})
    if len(message.content) > longest(opened):
        raise Unwritable(TOO_LONG)
    return message


def longest(opened: OpenConversation) -> int:
    """Return the maximum number of characters: the channel's limit, or the project's if lower."""
    return opened.company.longest_text(opened.conversation.channel_method)


def too_long(opened: OpenConversation, *, is_first: bool) -> Callable[[str], bool] | None:
    """Return the length check of an SMS, which counts segments; a first SMS includes the opt-out hint."""
    channel = opened.channel
    if not isinstance(channel, SmsChannel):
        return None
    parts, characters = channel.max_segments, longest(opened)

    def is_too_long(text: str) -> bool:
        whole = _as_sms(opened, text, is_first=is_first)
        return measure(whole).segments > parts or len(whole) > characters

    return is_too_long


def _as_sms(opened: OpenConversation, text: str, *, is_first: bool) -> str:
    text = gsm_twins(text.strip())
    return f"{text}\n{fixed_texts.opt_out_hint(opened)}" if is_first else text
