"""A message of ours as its channel takes it: how long it may be, what an SMS counts, a mail's subject."""

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

    from conversations.conversation import Opened

TOO_LONG = "too_long"


def blank(opened: Opened, turn_id: str, author: str, content: str) -> Message:
    """A message of ours that is not sent yet; its place in the log is its turn's."""
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


def fitted(opened: Opened, message: Message) -> Message:
    """A message as its channel takes it: an SMS counted, a mail with a subject. Raises Unwritable."""
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


def longest(opened: Opened) -> int:
    """How many characters a message may have: what the channel takes, or less where the project says so."""
    return opened.company.longest_text(opened.conversation.channel_method)


def too_long(opened: Opened, *, is_first: bool) -> Callable[[str], bool] | None:
    """The measure of an SMS: its parts, the hint how to leave included where it is the first."""
    channel = opened.channel
    if not isinstance(channel, SmsChannel):
        return None
    parts, characters = channel.max_segments, longest(opened)

    def is_too_long(text: str) -> bool:
        whole = _as_sms(opened, text, is_first=is_first)
        return measure(whole).segments > parts or len(whole) > characters

    return is_too_long


def _as_sms(opened: Opened, text: str, *, is_first: bool) -> str:
    text = gsm_twins(text.strip())
    return f"{text}\n{fixed_texts.opt_out_hint(opened)}" if is_first else text
