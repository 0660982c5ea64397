"""The input of a model's turn in a stored conversation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conversations.ai.turn.task import Task
from conversations.outbound.compose.content.history import history_of, read_history
from conversations.outbound.compose.facts import (
    barred_in,
    contacts_of,
    facts_of,
    template_sources,
)
from conversations.outbound.compose.limits import longest, sms_length

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversations.ai.config import AiConfig
    from conversations.ai.knowledge.search_tool import Knowledge
    from conversations.ai.prompt.whatsapp_templates import Template
    from conversations.configuration.resources import Resources
    from conversations.initiation.case_data import CaseData
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.store.items.log import Message
    from conversations.store.items.parts.memory import Memory
    from shared.ai import port as ai


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """
    What a turn knows: the *messages*, oldest first, the *case*, the *memory* of earlier messages, the *template* to
    fill, functions that agents have *decided*, and the documents that the model may search.
    """

    messages: Sequence[Message]
    case: CaseData
    memory: Memory | None = None
    template: Template | None = None
    decided: Sequence[ai.Exchange] = ()
    knowledge: Knowledge | None = None


def task_of(
    resources: Resources,
    opened: OpenConversation,
    config: AiConfig,
    known: Known,
    *,
    is_first: bool = False,
    deadline_ms: int,
) -> Task:
    """Return the input of a turn that must end by *deadline_ms* (since 1970)."""
    messages, since = known.messages, opened.state.handed_back_at or ""
    return Task(
        kind="initial" if is_first else "reply",
        channel=opened.conversation.channel_method.value,
        config=config,
        facts=facts_of(opened, known.case, known.memory),
        history=read_history(resources, opened, config, messages),
        template=known.template,
        sources=template_sources(opened, known.case.project_data),
        longest=longest(opened),
        sms_length=sms_length(opened, is_first=is_first, is_divisible=not is_first),
        link_hosts=frozenset([*opened.company.policy.link_hosts, *opened.state.link_hosts]),
        contacts=contacts_of(opened),
        language=opened.state.language,
        decided=known.decided,
        barred=barred_in(opened, messages),
        since_hand_back=history_of([m for m in messages if m.message_timestamp > since]),
        knowledge=known.knowledge,
        deadline_ms=deadline_ms,
    )
