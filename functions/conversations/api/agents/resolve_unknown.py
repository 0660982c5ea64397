"""
Resolves a send with unknown outcome by the decision of a human agent.

The message is updated first, and only from `unknown`: of concurrent decisions and late callbacks one succeeds. The
following changes of the ledger and the conversation are safe to repeat.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.api.access import NotFound, NotUnknown, check_not_taken
from conversations.api.agents import agent_actions, validation
from conversations.api.views import ResolvedView
from conversations.lifecycle.records.commands import HumanMessage
from conversations.lifecycle.resume_status import REACHED
from conversations.outbound.delivery.channel_fallback import fall_back
from conversations.outbound.delivery.late_delivery import fail_first, finish_after_delivery
from conversations.store import messages
from conversations.store.items import identifiers
from conversations.store.items.log import Delivery, Message

if TYPE_CHECKING:
    from conversations.api.access import Agent
    from conversations.api.inputs import ResolveInput
    from conversations.configuration.resources import Resources
    from conversations.lifecycle.conversation import OpenConversation


def resolve(
    resources: Resources, opened: OpenConversation, agent: Agent, body: ResolveInput
) -> ResolvedView:
    """
    Record an agent's decision about a message: it was sent, it was not, or it is sent again in the agent's name.

    Raises NotFound, NotUnknown and AlreadyTaken; for `resend` also NotOpen and Unusable.
    """
    check_not_taken(opened, agent)
    message = messages.find(resources.log, opened.ref, body.entry_id)
    if message is None or message.turn_id is None:
        raise NotFound("entry_id: message not found")
    resent_as = None
    again = _resend_of(opened, agent, message)
    if body.outcome == "resend":
        agent_actions.check_may_write(opened, agent)
        validation.check(opened, resources.bucket, again, "entry_id")
    resolved = _resolved(resources, opened, agent, body.outcome, message)
    action_id = identifiers.action_id(opened.ref, message.turn_id)
    resources.ledger.confirm(
        action_id,
        failed=resolved.delivery_status is Delivery.FAILED,
        message_pk=f"{opened.ref}#{message.own_sk}",
        company=opened.company.company_id,
    )
    if body.outcome == "sent":
        cause = agent.cause_of("resolve", reason="sent")
        finish_after_delivery(resources, opened, resolved, action_id, cause)
    elif body.outcome == "not_sent":
        cause = agent.cause_of("resolve", reason="not_sent")
        if fail_first(resources, opened, resolved, cause):
            fall_back(resources, opened)  # The failure is now final.
    elif body.outcome == "resend":
        resent_as = agent_actions.say(resources, opened, agent, again).entry_id
    return ResolvedView(
        ref=opened.ref,
        entry_id=body.entry_id,
        delivery_status=resolved.delivery_status or "",
        resent_as=resent_as,
    )


def _resolved(
    resources: Resources, opened: OpenConversation, agent: Agent, outcome: str, message: Message
) -> Message:
    """Update and return the message. Raises NotUnknown unless it is `unknown` or already agrees with the decision."""
    if outcome == "sent":
        facts = Message.named(delivery_status=Delivery.SENT)
    else:
        # The mark distinguishes a repetition of this call, which continues, from a second resend.
        mark = f"resent:{agent.cause[:16]}" if outcome == "resend" else outcome
        facts = Message.named(delivery_status=Delivery.FAILED, error_code=mark)
    sk = message.own_sk
    by = Message.named(resolved_by=agent.author, resolved_principal=agent.principal)
    resolved = messages.update(
        resources.log, opened.ref, sk, facts | by, only_from=[Delivery.UNKNOWN]
    )
    if resolved is not None:
        return resolved
    again = messages.get(resources.log, opened.ref, sk)
    if again is not None:
        if outcome == "sent" and again.delivery_status in REACHED:
            return again
        if outcome != "sent" and facts == Message.named(
            delivery_status=again.delivery_status, error_code=again.error_code
        ):
            return again
    raise NotUnknown("the delivery outcome is already known or still pending")


def _resend_of(opened: OpenConversation, agent: Agent, message: Message) -> HumanMessage:
    is_template = message.template is not None
    return HumanMessage(
        ref=opened.ref,
        cause=agent.cause,
        agent_id=agent.principal,
        principal=agent.principal,
        text=None if is_template else message.content,
        template=message.template,
        variables=(message.variables or {}) if is_template else {},
    )
