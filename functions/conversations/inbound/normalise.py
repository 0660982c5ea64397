"""What an inbound message is before anybody answers it: who it is from, what it is in the log, whom it begins with."""

import json

from conversations import conversation
from conversations.inbound.attachments import AWAITED, PENDING
from conversations.lifecycle import Status
from conversations.projects import Company
from conversations.resources import Resources
from conversations.store import conversations, routes, states
from conversations.store.items import identifiers
from conversations.store.items.conversation import ChannelMethod, Conversation, Role
from conversations.store.items.log import Message, State
from conversations.store.items.routes import Alias, BusinessAddress
from conversations.transitions import keep_open
from shared import addresses, clock
from shared.aws.sqs_fifo import digest
from shared.events import InboundMessage, body_of
from shared.failures import Permanent

LONGEST_INLINE = 16 * 1_024
_HASH_CHARACTERS = 24


def payload_hash(event: InboundMessage) -> str:
    """What two deliveries of one message have in common, and two messages have not."""
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
    """The customer's address in the form that conversations are found by. Raises Permanent (`bad_address`)."""
    try:
        if event.channel_method == "email":
            return addresses.email_address(event.customer_address or "")
        if event.customer_address:
            return addresses.phone_number(event.customer_address)
        return addresses.user_id(event.customer_user_id or "")
    except addresses.AddressInvalid:
        raise Permanent("bad_address") from None


def begin(
    here: Resources,
    event: InboundMessage,
    customer: str,
    allowed: list[BusinessAddress],
) -> str | None:
    """A conversation that the customer begins, where exactly one project takes such; its `ref`, else None."""
    projects = [conversation.load_project(here, o.company_id, o.project_id) for o in allowed]
    willing = [company for company in projects if company and company.accept_inbound]
    if len(willing) != 1:
        return None
    (company,) = willing
    conversation = _from_customer(event, customer, company)
    possible = identifiers.refs_of(conversation.conversation_id)
    named = {"ref_key": identifiers.key_of_ref(states.ref_in_use(here.log, possible))}
    written = conversations.create(here.table, conversation.model_copy(update=named))
    ref = identifiers.ref_of_item(written)
    states.create(here.log, ref, _state(event, written))
    pair = identifiers.pair(written.channel_method, event.business_address, customer)
    routes.add(here.log, pair, written.created_at, ref, written.ttl)
    keep_open(here, ref, written)
    return ref


def link_identities(here: Resources, event: InboundMessage, company: Company) -> None:
    """A message that names both a number and a business-scoped id says that they are one person."""
    if not event.customer_address or not event.customer_user_id:
        return
    number = customer_of(event)
    try:
        user = addresses.user_id(event.customer_user_id)
    except addresses.AddressInvalid:
        return  # The message is stored by its number; what is no id links nobody.
    # Written anew by each such message: it lives as long as anything else of the person.
    ttl = clock.expires_in(company.retention_days * clock.DAY_SECONDS)
    for one, other in ((number, user), (user, number)):
        alias = Alias(primary_channel=other, ttl=ttl)
        routes.add_alias(here.log, company.company_id, one, alias)


def log_entry(event: InboundMessage, at: str, ref: str) -> Message:
    """The message as the log keeps it."""
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
        media_state=_media_state(event),
        location=_texts(event.location),
        reply_to=event.reply_to,
        extra=event.extra,
        provider=event.provider,
        provider_message_id=event.provider_message_id,
        payload_hash=payload_hash(event),
    )


def entry_of(ref: str, provider: str, provider_message_id: str) -> str:
    """The id of a provider's message in the log of a conversation."""
    return identifiers.entry_id(identifiers.action_id(ref, provider, provider_message_id))


def _media_state(event: InboundMessage) -> str | None:
    """Files without an address are fetched by the context that has told of them, which tells when it has them."""
    if not event.media:
        return None
    return PENDING if any(file.url for file in event.media) else AWAITED


def _content(event: InboundMessage) -> str:
    """The text, or a mark for what has none."""
    if event.text:
        return event.text
    if event.button:
        return event.button.label or event.button.payload or f"[{event.kind}]"
    if event.media:
        return " ".join(f"[{(file.mime_type or 'file').partition('/')[0]}]" for file in event.media)
    return f"[{event.kind}]"


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
    )


def as_json(event: InboundMessage) -> dict[str, object]:
    """The event as it came, to be taken again."""
    parsed: dict[str, object] = json.loads(body_of(event))
    return parsed
