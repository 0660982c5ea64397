"""What a model is told of a conversation: the facts, what was said, and whom it may name."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from conversations.ai.prompt import Facts, Said
from conversations.items.conversation import Role
from conversations.items.log import Delivery
from shared import ai, clock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conversations.items.log import Message
    from conversations.opened import Opened

UNSPOKEN = frozenset(
    {Delivery.DRAFT, Delivery.DISCARDED, Delivery.FAILED, Delivery.BLOCKED, Delivery.UNKNOWN}
)


def facts_of(opened: Opened, project_data: Mapping[str, Any]) -> Facts:
    """What is known of the matter and of whom it is about."""
    company, conversation = opened.company, opened.conversation
    today = datetime.fromtimestamp(clock.now_ms() / clock.SECOND_MS, UTC)
    local = today.astimezone(ZoneInfo(company.timezone))
    private = {
        "recipient_last_name": conversation.recipient_last_name,
        "recipient_tel": conversation.recipient_tel,
        "recipient_email": conversation.recipient_email,
    }
    return Facts(
        company_name=company.company_name or company.company_id,
        project_name=company.project_name or company.project_id,
        language=opened.state.language or company.default_language,
        local_date=f"{local:%A, %Y-%m-%d}",
        representatives=tuple(name for name in company.company_rep.values() if name),
        recipient_first_name=conversation.recipient_first_name,
        project_data=project_data,
        private={name: text for name, text in private.items() if text},
    )


def said_in(known: Sequence[Message]) -> list[Said]:
    """Those messages of a log that were said, in their order."""
    return [
        Said(
            role=ai.Role.USER if message.role is Role.USER else ai.Role.ASSISTANT,
            text=message.content,
            by_colleague=message.author.startswith("human:"),
        )
        for message in known
        if message.delivery_status not in UNSPOKEN
    ]


def contacts_of(opened: Opened) -> list[str]:
    """Numbers and addresses that may be named: the person's own, and the company's."""
    conversation, company = opened.conversation, opened.company
    own = (conversation.recipient_tel, conversation.recipient_email)
    channels = company.channel_config
    business = [c.address for c in (channels.whatsapp, channels.sms, channels.email) if c]
    return [*filter(None, own), *business]
