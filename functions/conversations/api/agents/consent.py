"""Consent recorded by agents: reads it, and applies an opt-out or opt-in to the customer's conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.api import presenters
from conversations.api.access import Unusable, recipient_of
from conversations.api.agents import agent_actions
from conversations.api.views import ConsentView, RecordedView
from conversations.lifecycle import transitions
from conversations.lifecycle.conversation import OpenConversation, addresses_of
from conversations.lifecycle.status import OPEN, Status
from conversations.lifecycle.transitions import Cause, finish_notes, move
from conversations.store import conversations, states
from conversations.store.items import identifiers
from conversations.store.items.conversation import ChannelMethod
from shared.identity import addresses
from shared.policy.consent.items import ALL_CHANNELS, Source, Statement
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from conversations.api.access import Agent, ApiDependencies
    from conversations.api.inputs import ConsentQuery, OptInInput, OptOutInput
    from shared.api.auth import Caller


def standing(deps: ApiDependencies, caller: Caller, query: ConsentQuery) -> ConsentView:
    """Return the consent in force for each channel of the company. Raises Unusable."""
    recipient = recipient_of(query.recipient)
    standing_of = deps.consents.standing
    channels = [
        presenters.consent_view(channel, standing_of(caller.company, [recipient], channel).newest)
        for channel in ChannelMethod
    ]
    return ConsentView(channels=channels)


def opt_out(
    deps: ApiDependencies, caller: Caller, agent: Agent, recipient: str, body: OptOutInput
) -> RecordedView:
    """
    Record an opt-out and set the customer's open conversations on these channels to `opted_out`. Safe to repeat.

    It covers all known addresses of the customer, and is recorded first so that no later failure can lose it.
    """
    conversations = list(_conversations_with(deps, caller.company, recipient))
    theirs = [recipient, *(address for opened in conversations for address in addresses_of(opened))]
    channels = sorted({str(channel) for channel in body.channels})
    recorded = deps.consents.record_opt_out(
        caller.company,
        list(dict.fromkeys(theirs)),
        _statement(agent, body.evidence),
        channels=channels,
    )
    changed = []
    for opened in conversations:
        if not {ALL_CHANNELS, opened.conversation.channel_method}.intersection(channels):
            continue
        cause = _cause(opened, agent, "opted_out")
        if Status(opened.conversation.conversation_status) in OPEN:
            changed.append(move(deps.resources, opened, Status.OPTED_OUT, cause))
        else:
            finish_notes(deps.resources, opened, cause)
    return _recorded(caller, channels, changed, recorded=recorded)


def opt_in(
    deps: ApiDependencies, caller: Caller, agent: Agent, recipient: str, body: OptInInput
) -> RecordedView:
    """Record an opt-in and reopen conversations on these channels that an opt-out ended. Safe to repeat."""
    channels = sorted({str(channel) for channel in body.channels})
    recorded = deps.consents.record_opt_in(
        caller.company, [recipient], _statement(agent, body.evidence), channels=channels
    )
    changed = []
    for opened in _conversations_with(deps, caller.company, recipient):
        if opened.conversation.channel_method not in channels:
            continue
        cause = _cause(opened, agent, "opted_in")
        if opened.conversation.conversation_status != Status.OPTED_OUT:
            finish_notes(deps.resources, opened, cause)
        else:
            returned = move(
                deps.resources, opened, transitions.status_before(opened), cause, is_return=True
            )
            agent_actions.send_first_message(deps.resources, returned, agent)
            changed.append(returned)
    return _recorded(caller, channels, changed, recorded=recorded)


def recipient_on(text: str, channels: Collection[ChannelMethod]) -> str:
    """Normalise an address that every one of *channels* can send to. Raises Unusable."""
    recipient = recipient_of(text)
    if "@" in recipient:
        fitting = {ChannelMethod.EMAIL}
    elif addresses.is_user_id(recipient):
        fitting = {ChannelMethod.WHATSAPP}
    else:
        fitting = {ChannelMethod.WHATSAPP, ChannelMethod.SMS}
    if not fitting.issuperset(channels):
        raise Unusable("channels", "must be channels of this address type")
    return recipient


def _conversations_with(
    deps: ApiDependencies, company: str, recipient: str
) -> Iterator[OpenConversation]:
    """Yield the company's conversations with a customer in all projects: consent applies per company."""
    resources = deps.resources
    found = (
        item
        for spelling in addresses.all_spellings(recipient)
        for item in conversations.with_recipient(resources.table, company, spelling)
    )
    for item in found:
        if not identifiers.has_key(item):
            continue  # The consent is recorded anyway; this conversation cannot be changed.
        ref = identifiers.ref_of_item(item)
        state, project = (
            states.read(resources.log, ref),
            resources.companies.project(company, item.project_id),
        )
        if state is not None and project is not None:
            yield OpenConversation(ref=ref, conversation=item, state=state, company=project)


def _statement(agent: Agent, evidence: str) -> Statement:
    return Statement(
        source=Source.OPERATOR,
        at_ms=clock.now_ms(),
        evidence=evidence,
        recorded_by=agent.author,
        principal=agent.principal,
    )


def _cause(opened: OpenConversation, agent: Agent, reason: str) -> Cause:
    return Cause(
        who=agent.author,
        principal=agent.principal,
        what=f"{reason}:{agent.cause}",
        reason=reason,
        words=opened.conversation.hand_off_to_human_reason,
    )


def _recorded(
    caller: Caller, channels: list[str], changed: list[OpenConversation], *, recorded: bool
) -> RecordedView:
    refs = [
        opened.ref
        for opened in changed
        if caller.may_use(opened.company.company_id, opened.company.project_id)
    ]
    return RecordedView(recorded=recorded, channels=channels, refs=refs)
