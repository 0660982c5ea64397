"""
Takes in a customer's message: stores it, applies keywords, then requests a reply.

    marker      records that the provider's message was taken, its conversation and its timestamp
    message     in the log
    state       the timestamps and positions that replies depend on
    keywords    STOP, START, HELP take effect immediately
    trigger     one per message, due after a wait (`burst_wait`): the worker answers a burst of messages at once
    files       a download for each, on a separate queue: intake calls no provider

After a crash at any step the event stays on the queue; the next delivery finds the marker and repeats the later steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from aws_lambda_powertools.metrics import MetricUnit

from conversations.configuration import ownership
from conversations.inbound import keywords, matching, normalise
from conversations.inbound.files import attachments, late_attachments
from conversations.lifecycle import burst_wait, conversation, transitions
from conversations.lifecycle.records import commands
from conversations.lifecycle.status import WITH_PEOPLE, Status
from conversations.lifecycle.transitions import Cause, move
from conversations.outbound.policy.review import must_be_reviewed
from conversations.privacy import erasure_checks, subjects
from conversations.store import messages, routes, states
from conversations.store.items import identifiers
from conversations.store.items.log import Message, Mode
from conversations.store.items.records import Unmatched
from conversations.store.items.routes import Inbound
from conversations.store.recovery import unhandled
from shared.aws.sqs_fifo import digest
from shared.identity.authors import is_proven_author
from shared.policy import window
from shared.policy.consent import unreachable
from shared.runtime import clock
from shared.runtime.failures import Permanent
from shared.runtime.observability import metrics

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conversations.configuration.resources import Resources
    from conversations.lifecycle.burst_wait import Wait
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.store.items.routes import BusinessAddress
    from shared.aws.sqs_standard import StandardQueue
    from shared.events.exchange import InboundMessage
    from shared.policy.consent.keywords import ConsentKeyword
    from shared.policy.consent.records import Consents

REVIEW = "reply_review"
_REOPENS = frozenset({Status.CLOSED})


class Taken(StrEnum):
    """The result of taking in an event."""

    STORED = "stored"
    REPEATED = "repeated"
    UNMATCHED = "unmatched"
    ERASED = "erased"  # received before its sender was erased: nothing is stored


@dataclass(slots=True, kw_only=True, eq=False)
class IntakeDependencies:
    """Storage, consent records and the queue of downloads."""

    resources: Resources
    consents: Consents
    files: StandardQueue


def take(deps: IntakeDependencies, event: InboundMessage) -> Taken:
    """Take in one message. Raises Permanent if it can never be accepted."""
    resources = deps.resources
    hashed = normalise.payload_hash(event)
    marker = routes.marked(resources.log, event.provider, event.provider_message_id)
    if marker is not None and marker.payload_hash != hashed:
        raise Permanent("conflict")
    allowed = matching.owners(resources, event)
    ownership.check_reporter(allowed[0], event)  # All owners are projects of one company.
    customer = normalise.customer_of(event)
    companies = {owner.company_id for owner in allowed}
    if marker is None and erasure_checks.is_erased_message(
        resources.log, event, customer, companies
    ):
        return Taken.ERASED
    _clear_unreachable(resources, event, customer, companies, marker)
    if marker is None:
        ref = matching.find(resources, event, customer, allowed)
        ref = ref or normalise.begin(resources, event, customer, allowed)
    else:
        ref = marker.ref
    if ref is None:
        return _store_unmatched(deps, event, customer, allowed[0], marker)
    opened = conversation.load(resources, ref)
    keyword, was_opted_out = _consent(deps, opened, event, customer)
    before = opened
    message, opened, is_new = _store(resources, opened, event, marker, keyword)
    # A retry completes the steps its first delivery missed; it must not undo later changes.
    is_news = is_new or message.message_timestamp > opened.conversation.updated_at
    if event.type == "human_reply":
        if is_news:
            _hand_over_to_outside_agent(resources, opened, message)
    elif keyword is not None:
        if is_new or _is_newest_consent(deps, opened, event, customer):
            keywords.act(resources, opened, event, message, keyword, was_opted_out=was_opted_out)
    else:
        wait = burst_wait.wait_after(before, message)
        _request_reply(resources, opened, message, wait, is_news=is_news)
    message = late_attachments.link_early_files(
        resources, opened.ref, opened.company.company_id, event, message
    )
    transcribes = bool(opened.company.ai_config.get("transcription"))
    attachments.request_downloads(deps.files, opened.ref, message, transcribes=transcribes)
    return Taken.STORED if is_new else Taken.REPEATED


def _clear_unreachable(
    resources: Resources,
    event: InboundMessage,
    customer: str,
    companies: Iterable[str],
    marker: Inbound | None,
) -> None:
    """Clear the unreachable mark of an address: a message from it outweighs a provider's earlier report."""
    if event.type == "human_reply" or not is_proven_author(event.channel_method, event.extra):
        return
    # On a retry use the marker's time: the time of delivery is not the time of writing.
    received_at = marker.message_timestamp if marker else event.received_at
    for company_id in companies:
        unreachable.clear(resources.log, company_id, customer, event.channel_method, received_at)


def _consent(
    deps: IntakeDependencies, opened: OpenConversation, event: InboundMessage, customer: str
) -> tuple[ConsentKeyword | None, bool]:
    """
    Record STOP or START before any other step, so that no later failure loses it.

    Returns the keyword, if any, and whether the customer had opted out before this message.
    """
    addresses = keywords.known_addresses(opened, customer)
    company = opened.company.company_id
    keyword = keywords.recognised_keyword(deps.consents, opened.company, event, addresses)
    if keyword is None:
        return None, False
    was_opted_out = keywords.was_opted_out(deps.consents, company, event, addresses)
    keywords.record(deps.consents, company, event, addresses, keyword)
    return keyword, was_opted_out


def _is_newest_consent(
    deps: IntakeDependencies, opened: OpenConversation, event: InboundMessage, customer: str
) -> bool:
    """Return whether no later consent record has replaced this one."""
    addresses = keywords.known_addresses(opened, customer)
    return keywords.is_newest(deps.consents, opened.company.company_id, event, addresses)


def _store(
    resources: Resources,
    opened: OpenConversation,
    event: InboundMessage,
    marker: Inbound | None,
    keyword: ConsentKeyword | None,
) -> tuple[Message, OpenConversation, bool]:
    """Write marker, message and state; return message, conversation and whether the message is new."""
    state = opened.state
    at = clock.to_text(_timestamp_ms(event, state.last_message_at))
    if marker is None:
        marker = routes.mark(
            resources.log, event.provider, event.provider_message_id, _marker(opened, event, at)
        )
    message = normalise.log_entry(event, marker.message_timestamp, opened.ref)
    sk = Message.sk(message.message_timestamp, message.entry_id)
    stored = messages.get(resources.log, opened.ref, sk)
    if stored is None and sk <= (state.answered_up_to or "") and event.type != "human_reply":
        # Marked but not stored before a later message was answered: at its old position it would never be answered.
        if not routes.restamp(resources.log, event.provider, event.provider_message_id, marker, at):
            raise Permanent("conflict")
        message = message.model_copy(update={"message_timestamp": at})
    message = message.model_copy(update={"ttl": opened.conversation.ttl, "keyword": keyword})
    message = attachments.received(resources.bucket, opened.company.company_id, message)
    stored_message = messages.add(
        resources.log, opened.ref, attachments.shortened(resources.bucket, opened.ref, message)
    )
    if event.type != "human_reply":
        at = message.message_timestamp
        until = clock.to_text(window.closes_at(clock.from_text(at)))
        proof = normalise.proof_of_address(event, opened)
        state = states.take_inbound(resources.log, opened.ref, at, window_until=until, proof=proof)
    normalise.link_identities(resources, event, opened.company)
    return stored_message, opened.with_state(state), stored is None


def _timestamp_ms(event: InboundMessage, last: str | None) -> int:
    """Return the message's position in ms: its time of receipt, but later than every message in the log."""
    received = clock.from_text(event.received_at)
    return max(received, clock.from_text(last) + 1) if last else received


def _marker(opened: OpenConversation, event: InboundMessage, at: str) -> Inbound:
    return Inbound(
        ref=opened.ref,
        message_timestamp=at,
        payload_hash=normalise.payload_hash(event),
        account=event.account,
        business_address=event.business_address,
        company_id=opened.company.company_id,
        project_id=opened.company.project_id,
        ttl=Inbound.time_to_live(),
    )


def _request_reply(
    resources: Resources,
    opened: OpenConversation,
    message: Message,
    wait: Wait,
    *,
    is_news: bool,
) -> None:
    """Trigger a reply, on a retry too; or queue the conversation for agents if policy or mode requires it."""
    if not message.needs_answer:
        return
    sk = message.own_sk
    if sk <= (opened.state.answered_up_to or ""):
        return
    status = Status(opened.conversation.conversation_status)
    if status in _REOPENS and is_news:
        cause = Cause(who=keywords.CUSTOMER, what=message.entry_id, reason="wrote_again")
        opened = move(resources, opened, transitions.status_before(opened), cause, is_return=True)
        status = Status(opened.conversation.conversation_status)
    if opened.state.mode is Mode.CLOSED:
        return
    is_reviewed = must_be_reviewed(opened, is_reply=True)
    if is_reviewed or opened.state.mode is Mode.HUMAN:
        if status not in WITH_PEOPLE:
            cause = Cause(who="parley", what=message.entry_id, reason=REVIEW)
            move(resources, opened, Status.HANDOFF_PENDING, cause)
        return
    commands.ask_for_reply(
        resources, opened.ref, message, due_at=wait.due_at, shows_typing=wait.shows_typing
    )


def _hand_over_to_outside_agent(
    resources: Resources, opened: OpenConversation, message: Message
) -> None:
    """Hand the conversation over: the business answered outside Parley, so the model pauses until it is handed back."""
    cause = Cause(who=identifiers.EXTERNAL, what=message.entry_id, reason="answered_outside")
    if opened.state.mode is not Mode.CLOSED:
        move(resources, opened, Status.HANDOFF_ACTIVE, cause)


def _store_unmatched(
    deps: IntakeDependencies,
    event: InboundMessage,
    customer: str,
    owner: BusinessAddress,
    marker: Inbound | None,
) -> Taken:
    """Store a message without a conversation as unmatched, for agents to attach; keywords still take effect."""
    resources = deps.resources
    company = conversation.load_project(resources, owner.company_id, owner.project_id)
    if company is not None:
        addresses = keywords.known_addresses(None, customer)
        keyword = keywords.recognised_keyword(deps.consents, company, event, addresses)
        if keyword is not None:
            keywords.record(deps.consents, company.company_id, event, addresses, keyword)
    new_marker = Inbound(
        message_timestamp=event.received_at,
        payload_hash=normalise.payload_hash(event),
        account=event.account,
        business_address=event.business_address,
        company_id=owner.company_id,
        project_id=owner.project_id,
        ttl=Inbound.time_to_live(),
    )
    unmatched = Unmatched(
        unmatched_id=digest(event.provider, event.provider_message_id)[:24],
        project_id=owner.project_id,
        channel_method=event.channel_method,
        received_at=event.received_at,
        event=normalise.as_json(event),
        ttl=Unmatched.time_to_live(),
    )
    unhandled.keep_unmatched(
        resources.log, owner.company_id, unmatched, subjects.of_event(unmatched.event)
    )
    if marker is None:
        routes.mark(resources.log, event.provider, event.provider_message_id, new_marker)
        metrics.add_metric("Unmatched", MetricUnit.Count, 1)
        return Taken.UNMATCHED
    return Taken.REPEATED
