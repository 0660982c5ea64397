"""Normalises an inbound message: customer address, log entry, payload hash, and the conversation it may start."""

import json

from conversations.configuration.projects import Company
from conversations.configuration.resources import Resources
from conversations.lifecycle.conversation import OpenConversation, load_project
from conversations.lifecycle.status import Status
from conversations.lifecycle.transitions import keep_open
from conversations.store import conversations, routes, states
from conversations.store.items import identifiers
from conversations.store.items.conversation import ChannelMethod, Conversation, Role
from conversations.store.items.log import Message
from conversations.store.items.parts.state import State
from conversations.store.items.placeholders import placeholder
from conversations.store.items.routes import Alias, BusinessAddress
from shared.aws.sqs_fifo import digest
from shared.events.exchange import InboundMessage, body_of
from shared.identity import addresses
from shared.identity.authors import is_proven_author
from shared.runtime import clock
from shared.runtime.failures import Permanent

_HASH_CHARACTERS = 24


def payload_hash(event: InboundMessage) -> str:
    """Hash the parts of a message that are equal in all its deliveries and differ between messages."""
    button = event.button.payload if event.button else None
    return digest(
        event.business_address,
        event.customer_address or "",
        event.customer_user_id or "",
        event.kind,
        event.text or button or "",
        str(len(event.media)),
    )


def customer_of(event: InboundMessage) -> str:
    """Return the customer's normalised address, by which conversations are found. Raises Permanent (`bad_address`)."""
    try:
        if event.channel_method == "email":
            return addresses.email_address(event.customer_address or "")
        if event.customer_address:
            return addresses.phone_number(event.customer_address)
        return addresses.user_id(event.customer_user_id or "")
    except addresses.AddressInvalid:
        raise Permanent("bad_address") from None


def begin(
    resources: Resources,
    event: InboundMessage,
    customer: str,
    allowed: list[BusinessAddress],
) -> str | None:
    """Create a customer-initiated conversation if exactly one project accepts it; return its `ref`, else None."""
    projects = [load_project(resources, o.company_id, o.project_id) for o in allowed]
    willing = [company for company in projects if company and company.accept_inbound]
    if len(willing) != 1:
        return None
    (company,) = willing
    conversation = _from_customer(event, customer, company)
    possible = identifiers.refs_of(conversation.conversation_id)
    named = {"ref_key": identifiers.key_of_ref(states.ref_in_use(resources.log, possible))}
    written = conversations.create(resources.table, conversation.model_copy(update=named))
    ref = identifiers.ref_of_item(written)
    states.create(resources.log, ref, _state(event, written))
    pair = identifiers.pair(written.channel_method, event.business_address, customer)
    routes.add(resources.log, pair, written.created_at, ref, written.ttl)
    keep_open(resources, ref, written)
    return ref


def proof_of_address(event: InboundMessage, opened: OpenConversation) -> dict[str, str | None]:
    """Return the fields of the state that a customer's message from their address changes; none for the usual one."""
    customer, state = customer_of(event), opened.state
    if event.channel_method == "email":
        is_first = state.email_proven_at is None and is_proven_author("email", event.extra)
        is_own = customer == opened.conversation.recipient_email
        return {"email_proven_at": event.received_at if is_first and is_own else None}
    if opened.customer not in {customer, *addresses.other_spellings(customer)}:
        return {}
    is_withdrawn = state.number_withdrawn_at is not None
    return {
        "customer_user_id": None if state.customer_user_id else event.customer_user_id,
        "customer_account": _account_of(event) if state.customer_account is None else None,
        "number_proven_at": event.received_at if is_withdrawn else None,
    }


def link_identities(resources: Resources, event: InboundMessage, company: Company) -> None:
    """Write aliases if a message has both a number and a business-scoped user id: both identify one person."""
    if not event.customer_address or not event.customer_user_id:
        return
    number = customer_of(event)
    try:
        user = addresses.user_id(event.customer_user_id)
    except addresses.AddressInvalid:
        return  # The message is stored under its number; an invalid id makes no alias.
    # Rewritten by every such message, so that aliases live as long as the person's other data.
    ttl = clock.expires_in(company.retention_days * clock.DAY_SECONDS)
    for address, alias_address in ((number, user), (user, number)):
        alias = Alias(primary_channel=alias_address, ttl=ttl)
        routes.add_alias(resources.log, company.company_id, address, alias)


def log_entry(event: InboundMessage, at: str, ref: str) -> Message:
    """Build the log entry of a message."""
    is_ours = event.type == "human_reply"
    author = identifiers.EXTERNAL if is_ours else "customer"
    return Message(
        entry_id=entry_of(ref, event.provider, event.provider_message_id),
        message_timestamp=at,
        role=Role.ASSISTANT if is_ours else Role.USER,
        content=_content(event),
        author=author,
        kind=event.kind,
        button=_texts(event.button),
        media=[_texts(file) or {} for file in event.media],
        location=_texts(event.location),
        reply_to=event.reply_to,
        extra=event.extra,
        provider=event.provider,
        provider_message_id=event.provider_message_id,
        payload_hash=payload_hash(event),
    )


def entry_of(ref: str, provider: str, provider_message_id: str) -> str:
    """Return the log entry id of a provider's message."""
    return identifiers.entry_id(identifiers.action_id(ref, provider, provider_message_id))


def _content(event: InboundMessage) -> str:
    """Return the text, or a placeholder for a message without text."""
    if event.text:
        return event.text
    if event.button:
        return event.button.label or event.button.payload or f"[{event.kind}]"
    return placeholder(event.kind, (file.mime_type for file in event.media))


def _texts(part: object) -> dict[str, str] | None:
    if part is None:
        return None
    named = {name: getattr(part, name) for name in type(part).__dataclass_fields__}  # type: ignore[attr-defined] # parts of events are dataclasses
    return {name: str(value) for name, value in named.items() if value is not None}


def _from_customer(event: InboundMessage, customer: str, company: Company) -> Conversation:
    channel = ChannelMethod(event.channel_method)
    marker = digest(event.provider, event.provider_message_id)
    request_id = f"{identifiers.REQUEST_PREFIX}{marker[:_HASH_CHARACTERS]}"
    recipient = customer.removeprefix("+").removeprefix(addresses.USER_ID_PREFIX)
    at = clock.to_text(clock.now_ms())
    is_mail = channel is ChannelMethod.EMAIL
    tel = None if is_mail or addresses.is_user_id(customer) else customer
    email = customer if is_mail else None
    _, business, _ = Conversation.by_pair[channel]
    return Conversation(
        primary_channel=customer,
        conversation_id=identifiers.conversation_id(
            company.company_id, company.project_id, request_id, recipient
        ),
        recipient_tel=tel,
        recipient_email=email,
        company_id=company.company_id,
        project_id=company.project_id,
        channel_method=channel,
        conversation_status=Status.PROCESSING,
        request_id=request_id,
        created_at=at,
        updated_at=at,
        company_name=company.company_name,
        project_name=company.project_name,
        company_rep=company.company_rep or None,
        project_status=company.project_status,
        auto_queue_reply_message=company.auto_queue_reply_message,
        auto_queue_reply_message_from_number=company.auto_queue_reply_message_from_number,
        auto_queue_reply_message_from_email=company.auto_queue_reply_message_from_email,
        ttl=clock.expires_in(company.retention_days * clock.DAY_SECONDS),
        gsi_recipient_tel=tel,
        gsi_recipient_email=email,
        **{business: event.business_address},
    )


def _state(event: InboundMessage, conversation: Conversation) -> State:
    return State.of_item(
        conversation,
        event.business_address,
        identifiers.REQUEST_PREFIX,
        customer_user_id=event.customer_user_id,
        customer_account=_account_of(event),
        began_at=event.received_at,
    )


def _account_of(event: InboundMessage) -> str | None:
    """Return the account in which the user id of a message names the customer."""
    return event.account if event.customer_user_id else None


def as_json(event: InboundMessage) -> dict[str, object]:
    """Return the event as JSON, as it is enqueued and stored for a later intake."""
    parsed: dict[str, object] = json.loads(body_of(event))
    return parsed
