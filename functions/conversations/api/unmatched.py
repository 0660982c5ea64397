"""Lists messages that belong to no conversation, and attaches them to one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from conversations.api import presenters
from conversations.api.access import AlreadyPlaced, NotFound, OtherChannel, check_not_taken
from conversations.api.queries import gather
from conversations.api.views import AttachedView, UnmatchedListView
from conversations.inbound import normalise
from conversations.initiation.context_object import as_json
from conversations.privacy import erasure_checks
from conversations.store import routes
from conversations.store.items import identifiers
from conversations.store.items.records import Unmatched
from conversations.store.items.routes import Inbound, Placement
from conversations.store.recovery import unhandled
from shared.api.cursors import Listing, Page
from shared.api.opaque_ids import NotOurs
from shared.aws.sqs_fifo import Entry, digest
from shared.events.exchange import InboundMessage, inbound_entry
from shared.identity.addresses import other_spellings
from shared.runtime import clock

if TYPE_CHECKING:
    from conversations.api.access import Agent, ApiDependencies
    from conversations.api.inputs import UnmatchedQuery
    from conversations.lifecycle.conversation import OpenConversation
    from shared.api.auth import Caller
    from shared.aws.dynamodb import Attributes


@dataclass(frozen=True, slots=True)
class UnmatchedMessage:
    """An unmatched message, its id in the API and its sort key."""

    shown_id: str
    sk: str
    unmatched: Unmatched


def unmatched(
    deps: ApiDependencies, caller: Caller, query: UnmatchedQuery
) -> Page[UnmatchedListView]:
    """List unmatched messages, newest first. Raises NotFound and InvalidCursor."""
    if query.project_id and not caller.may_use(caller.company, query.project_id):
        raise NotFound("project_id: project not found")
    seal, company = deps.seal, caller.company
    listing = Listing(
        company, "UNMATCHED", ("unmatched", query.project_id or "", *sorted(caller.projects))
    )
    start = listing.position(seal, query.cursor) if query.cursor else None

    def read(limit: int, start: Attributes | None) -> tuple[list[Unmatched], Attributes | None]:
        return unhandled.unmatched(deps.resources.log, company, limit, start)

    def fits(item: Unmatched) -> bool:
        is_meant = query.project_id in {None, item.project_id}
        return is_meant and item.attached_to is None and caller.may_use(company, item.project_id)

    items, last = gather(
        read, fits, lambda item: unhandled.position(company, item), query.limit, start
    )
    shown = [
        presenters.unmatched_view(seal.seal(unhandled.sk_of(item), bound_to=_use(company)), item)
        for item in items
    ]
    cursor = listing.cursor(seal, last) if last else None
    return Page(UnmatchedListView(messages=shown), cursor)


def message_with(deps: ApiDependencies, caller: Caller, shown_id: str) -> UnmatchedMessage:
    """Return the message with an id from `unmatched`. Raises NotFound."""
    try:
        sk = deps.seal.open(shown_id, bound_to=_use(caller.company))
    except NotOurs:
        raise NotFound("id: message not found") from None
    message = unhandled.one_unmatched(deps.resources.log, caller.company, sk)
    if message is None or not caller.may_use(caller.company, message.project_id):
        raise NotFound("id: message not found")
    return UnmatchedMessage(shown_id, sk, message)


def attach(
    deps: ApiDependencies,
    caller: Caller,
    agent: Agent,
    message: UnmatchedMessage,
    opened: OpenConversation,
) -> AttachedView:
    """
    Attach a message to a conversation and enqueue it again; intake handles it as a duplicate with a known placement.

    Safe to repeat. Raises AlreadyTaken, AlreadyPlaced, OtherChannel, NotFound if the sender is being erased, and Gone
    if the conversation no longer exists.
    """
    check_not_taken(opened, agent)
    log, item = deps.resources.log, message.unmatched
    if item.channel_method != opened.conversation.channel_method:
        raise OtherChannel("the conversation is on another channel")
    event = TypeAdapter(InboundMessage).validate_python(as_json(item.event))
    customer = normalise.customer_of(event)
    if erasure_checks.is_erased_message(log, event, customer, {caller.company}):
        raise NotFound("id: message not found")
    by = Unmatched.named(attached_by=agent.author, attached_principal=agent.principal)
    if not unhandled.attach(log, caller.company, message.sk, opened.ref, by):
        raise AlreadyPlaced("the message is already attached to a conversation")
    if _inbound_mark(deps, event, opened).ref not in {None, opened.ref}:
        raise AlreadyPlaced("the message is already attached to a conversation")
    # Before the message is stored there: an erasure of the customer must find the conversation.
    _store_route(deps, event, customer, opened)
    if not routes.assign(log, event.provider, event.provider_message_id, opened.ref):
        raise AlreadyPlaced("the message is already attached to a conversation")
    entry = inbound_entry(event)
    # A new deduplication id: the queue would drop a repetition of the original one.
    again = digest(entry.deduplication, "attached", opened.ref)
    deps.inbound.send([Entry(entry.body, entry.group, again)])
    return AttachedView(id=message.shown_id, ref=opened.ref)


def _inbound_mark(
    deps: ApiDependencies, event: InboundMessage, opened: OpenConversation
) -> Inbound:
    """Write the inbound mark unless it exists: intake may have died between the unmatched entry and its mark."""
    mark = Inbound(
        message_timestamp=event.received_at,
        payload_hash=normalise.payload_hash(event),
        account=event.account,
        business_address=event.business_address,
        company_id=opened.company.company_id,
        project_id=opened.company.project_id,
        ttl=Inbound.time_to_live(),
    )
    return routes.mark(deps.resources.log, event.provider, event.provider_message_id, mark)


def _store_route(
    deps: ApiDependencies, event: InboundMessage, customer: str, opened: OpenConversation
) -> None:
    """
    Route the customer's next messages to the same business address to the conversation. Safe to repeat.

    If the customer wrote from another address, that address is stored with the conversation and matches it as well.
    """
    log, conversation = deps.resources.log, opened.conversation
    expires_at = conversation.ttl
    if expires_at is not None:
        # A concurrent turn that extends the conversation's retention may not have seen the address.
        whole = opened.company.retention_days * clock.DAY_SECONDS
        expires_at = max(expires_at, clock.expires_in(whole))
    primary = conversation.primary_channel
    if customer not in {primary, *other_spellings(primary)}:
        routes.note_placed_address(log, opened.ref, customer)
        placement = Placement(
            ref=opened.ref,
            business_address=event.business_address,
            primary_channel=primary,
            ttl=expires_at,
        )
        routes.put_placement(log, opened.company.company_id, customer, placement)
    pair = identifiers.pair(event.channel_method, event.business_address, customer)
    routes.add(log, pair, conversation.created_at, opened.ref, expires_at)


def _use(company: str) -> str:
    return digest("unmatched", company)
