"""Fits an outgoing message to its channel: maximum length, SMS segments, mail subject."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conversations.configuration.projects import EmailChannel, SmsChannel
from conversations.outbound.compose.texts import fixed_texts
from conversations.outbound.unwritable import Unwritable
from conversations.store.items.conversation import Role
from conversations.store.items.log import Delivery, Message

if TYPE_CHECKING:
    from conversations.lifecycle.conversation import OpenConversation
    from shared.providers.sms.segments import SmsLength

TOO_LONG = "too_long"


def blank(opened: OpenConversation, author: str, content: str) -> Message:
    """Return an unsent outgoing message; its turn sets its position in the log and the turn's own fields."""
    return Message(
        entry_id="-",
        message_timestamp="-",
        role=Role.ASSISTANT,
        content=content,
        author=author,
        delivery_status=Delivery.DRAFT,
        ttl=opened.conversation.ttl,
    )


def fitted(
    opened: OpenConversation,
    message: Message,
    *,
    is_first: bool = False,
    is_divisible: bool = False,
) -> Message:
    """
    Fit a message to its channel: count SMS segments, set a mail's subject. Raises Unwritable.

    A first SMS gets the opt-out hint. With *is_divisible* a text that is too long for one SMS is divided into several.
    """
    channel = opened.channel
    if isinstance(channel, SmsChannel):
        length = _sms_length(opened, channel, is_first=is_first, is_divisible=is_divisible)
        return _as_sms(message, length)
    if isinstance(channel, EmailChannel):
        from shared.providers.email.mime import ContentUnusable, subject_line  # noqa: PLC0415 - of one channel

        try:
            subject = subject_line(message.subject, fixed_texts.subject(opened, channel))
        except ContentUnusable as fault:
            raise Unwritable(fault.reason) from None
        message = message.model_copy(update={"subject": subject})
    if len(message.content) > longest(opened):
        raise Unwritable(TOO_LONG)
    return message


def _as_sms(message: Message, length: SmsLength) -> Message:
    """Fit a message to SMS: count its segments, or divide it. Raises Unwritable."""
    from conversations.ai.checks.division import divided  # noqa: PLC0415 - of one channel
    from shared.providers.sms.segments import measure  # noqa: PLC0415 - of one channel

    parts = divided(message.content, length)
    if not parts:
        raise Unwritable(TOO_LONG)
    text = "\n".join(parts)
    size = measure(text)
    facts: dict[str, Any] = {
        "content": text,
        "encoding": size.encoding,
        "segments": size.segments,
        "parts": parts if len(parts) > 1 else [],
    }
    return message.model_copy(update=facts)


def longest(opened: OpenConversation) -> int:
    """Return the maximum number of characters: the channel's limit, or the project's if lower."""
    return opened.company.longest_text(opened.conversation.channel_method)


def sms_length(
    opened: OpenConversation, *, is_first: bool = False, is_divisible: bool = False
) -> SmsLength | None:
    """
    Return the maximum length of an SMS; None on other channels. A first SMS ends with the opt-out hint.

    With *is_divisible* a longer text may be divided into the number of SMS that the project allows.
    """
    channel = opened.channel
    if not isinstance(channel, SmsChannel):
        return None
    return _sms_length(opened, channel, is_first=is_first, is_divisible=is_divisible)


def _sms_length(
    opened: OpenConversation, channel: SmsChannel, *, is_first: bool, is_divisible: bool
) -> SmsLength:
    from shared.providers.sms.segments import SmsLength  # noqa: PLC0415 - of one channel

    return SmsLength(
        segments=channel.max_segments,
        characters=longest(opened),
        ending=_ending(opened, is_first=is_first),
        messages=channel.max_messages if is_divisible else 1,
    )


def _ending(opened: OpenConversation, *, is_first: bool) -> str:
    return f"\n{fixed_texts.opt_out_hint(opened)}" if is_first else ""
