"""Builds the model's input from a conversation: the facts and the contacts it may mention."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from conversations.ai.config import AiConfig, AiConfigBroken
from conversations.ai.outcome import Cause
from conversations.ai.prompt.system_prompt import Facts
from conversations.outbound.compose.texts import opening_times
from conversations.outbound.unwritable import misconfigured
from conversations.store.items.conversation import Role
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conversations.configuration.projects import Company
    from conversations.initiation.case_data import CaseData
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.store.items.log import Message
    from conversations.store.items.parts.memory import Memory

HISTORY = 20  # messages that a turn reads, if the memory lacks none before them
GUARDED_MESSAGES = 2
# As long as providers keep a cached prompt: a time in it that changes sooner would make every turn read it anew.
TIME_STEP_MINUTES = 5
# Causes that the model or the dialogue can repeat at once after a hand-back -> what the model may not do again.
_BARRED = {
    Cause.AI: Cause.AI,
    Cause.ASKED_FOR_PERSON: Cause.AI,
    Cause.NO_PROGRESS: Cause.AI,
    Cause.REPEATED_QUESTION: Cause.AI,
    Cause.APPROVAL: Cause.APPROVAL,
}


def config_of(opened: OpenConversation) -> AiConfig:
    """Return the model settings for the conversation's channel. Raises Unwritable."""
    try:
        return AiConfig.read(opened.company.ai_config, opened.conversation.channel_method.value)
    except AiConfigBroken as broken:
        raise misconfigured(broken.attribute) from None


def facts_of(
    opened: OpenConversation, case: CaseData, memory: Memory | None = None, now: int | None = None
) -> Facts:
    """
    Return the known facts about the case and the recipient, and the *memory* of earlier messages. *now* (ms since 1970)
    is by default the current time.
    """
    company, conversation = opened.company, opened.conversation
    now = clock.now_ms() if now is None else now
    today = datetime.fromtimestamp(now / clock.SECOND_MS, UTC)
    local = today.astimezone(ZoneInfo(company.timezone))
    private = {
        "recipient_last_name": conversation.recipient_last_name,
        "recipient_tel": conversation.recipient_tel,
        "recipient_email": conversation.recipient_email,
    }
    return Facts(
        company_name=company.company_name or company.company_id,
        project_name=company.project_name or company.project_id,
        language=opened.language,
        local_date=f"{local:%A, %Y-%m-%d}",
        local_time=f"{local - timedelta(minutes=local.minute % TIME_STEP_MINUTES):%H:%M}",
        people_back=_people_back(company, now),
        representatives=tuple(name for name in company.company_rep.values() if name),
        recipient_first_name=conversation.recipient_first_name,
        project_data=case.project_data,
        recorded_answers=case.recorded_answers,
        memory=_memory(memory),
        private={name: text for name, text in private.items() if text},
    )


def _memory(memory: Memory | None) -> dict[str, Any]:
    if memory is None or memory.is_empty:
        return {}
    return {"summary": memory.summary, "customer_stated": list(memory.facts)}


def _people_back(company: Company, now: int) -> str | None:
    """Return when people answer again, None if they are there now or the project has no opening hours."""
    at_ms = opening_times.opens_at(company, now)
    if at_ms is None or company.opening_hours is None:
        return None
    zone = ZoneInfo(company.opening_hours.time_zone)
    at = datetime.fromtimestamp(at_ms / clock.SECOND_MS, zone)
    return f"{at:%A, %Y-%m-%d %H:%M}"


def barred_in(opened: OpenConversation, messages: Sequence[Message]) -> Cause | None:
    """
    Return why the model may not hand off again: the last hand-off's cause, until the customer's third message after it.

    Applies only if the model chose to hand off. A fault that prevents an answer still hands off to an agent: breaking a
    loop must not result in silence.
    """
    state = opened.state
    if state.handed_back_at is None or state.handed_off_for not in _BARRED:
        return None
    written = [
        message
        for message in messages
        if message.role is Role.USER
        and message.kind != "reaction"
        and message.message_timestamp > state.handed_back_at
    ]
    return _BARRED[Cause(state.handed_off_for)] if len(written) <= GUARDED_MESSAGES else None


def contacts_of(opened: OpenConversation) -> list[str]:
    """Return the numbers and addresses that may be mentioned: the recipient's and the company's."""
    conversation, company = opened.conversation, opened.company
    own = (conversation.recipient_tel, conversation.recipient_email)
    channels = company.channel_config
    business = [c.address for c in (channels.whatsapp, channels.sms, channels.email) if c]
    return [*filter(None, own), *business]


def template_sources(opened: OpenConversation, project_data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sources of known template values, see `ai.prompt.whatsapp_templates.known_values`."""
    company, conversation = opened.company, opened.conversation
    return {
        "recipient_first_name": conversation.recipient_first_name,
        "recipient_last_name": conversation.recipient_last_name,
        "company_name": company.company_name,
        "project_name": company.project_name,
        "project_data": project_data,
        **company.company_rep,
    }
