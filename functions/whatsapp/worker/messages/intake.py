"""Adds messages to the inbox: stored once, counted once, shown in order."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from aws_lambda_powertools.metrics import MetricUnit

from shared.runtime import clock
from shared.runtime.failures import Permanent
from shared.runtime.observability import metrics
from whatsapp import store
from whatsapp.configuration import folders
from whatsapp.configuration.resources import Resources, SendingResources
from whatsapp.inbound import content, senders
from whatsapp.inbound.content import Content
from whatsapp.inbound.event import LONGEST_ID, Event, Outcome
from whatsapp.store import ordering
from whatsapp.store.conversations.heads import Newest
from whatsapp.store.items import Conversation, Edit, Message, Phone
from whatsapp.worker import contacts
from whatsapp.worker.contact_links import Link
from whatsapp.worker.contacts import Lookup
from whatsapp.worker.forwarding import forwarder
from whatsapp.worker.media import downloads
from whatsapp.worker.messages import flow_replies, read_receipts
from whatsapp.worker.messages.contents import authors, full_content, versions

# The customer's phone has a new key. The first word is documented, the second was reported by others.
_IDENTITY_CHANGES = frozenset({"customer_identity_changed", "user_identity_changed"})
INBOUND = "INBOUND"
OUTBOUND = "OUTBOUND"
LONGEST_SECONDS = 11  # digits: a time before the year 5138, representable as text


def receive(resources: Resources, event: Event, phone: Phone) -> Outcome:
    """
    Store a message from a customer, update its conversation, and start the follow-up actions.

    The message's Put decides whether it is new; all later steps run on every delivery, because an earlier delivery may
    have died in between. Raises Permanent (`no_sender`, `conflict`).
    """
    lookup = contacts.look_up(resources.table, event, phone)
    if lookup is None:
        raise Permanent("no_sender")
    described = content.describe(event.payload or {})
    original = _inbound(resources, event, phone, lookup, described)
    link = lookup.customer.link
    message = with_early_changes(resources, original, lookup.edit, phone, link)
    message, outcome = put_once(resources, message)
    if message.erased:
        return outcome

    store_full_content(resources, event, phone, message, described)
    versions.keep_original(resources, lookup.edit, original, phone, link)
    head = show(resources, message, phone, opens_window=described.opens_window)
    contacts.remember(resources, event, lookup.customer, phone)
    _follow_up(resources, event, phone, message, described)
    if phone.welcome_sequences and head is not None:
        _welcome(resources, phone, message, head)
    if described.subtype == flow_replies.SUBTYPE and not message.revoked_at:
        answer = described.content.get("answer", {})
        flow_replies.store_reply(
            resources, phone, flow_replies.Reply(answer, message, lookup.answered)
        )
    forwarder.message(resources, event, phone, described, message)
    return outcome


def put_once(resources: SendingResources, message: Message) -> tuple[Message, Outcome]:
    """Store a message or return the stored one. Raises Permanent (`conflict`) if that has other content."""
    stored = store.messages.add(resources.table, message)
    if stored is None:
        return message, Outcome.PERSISTED
    if (stored.company, stored.phone) != (message.company, message.phone):
        raise Permanent("conflict")
    # The history contains the same message in another shape.
    is_other = stored.payload_hash != message.payload_hash and stored.origin != "history"
    if stored.erased:
        metrics.add_metric("TombstoneHits", MetricUnit.Count, 1)
    elif is_other:
        raise Permanent("conflict")
    return stored, Outcome.DUPLICATE


def show(
    resources: SendingResources, message: Message, phone: Phone, *, opens_window: bool = False
) -> Conversation | None:
    """
    Update the conversation's head with a stored message: show it, and count it once if inbound.

    Returns the head after an inbound message.
    """
    newest = _newest(message, phone, opens_window=opens_window)
    if message.direction == INBOUND:
        return store.heads.count_inbound(resources.table, newest)
    is_read = message.origin == "app"
    store.heads.show_outbound(resources.table, newest, is_read=is_read)
    return None


def show_history(resources: Resources, message: Message, phone: Phone) -> None:
    """Show a stored message of the history in the conversation's head, without counting it."""
    store.heads.show_uncounted(resources.table, _newest(message, phone, opens_window=False))


def _newest(message: Message, phone: Phone, *, opens_window: bool) -> Newest:
    # Answers to a group go to the group, not to the sender of its newest message.
    sender = {"sender_name"} if message.group_id else set(store.heads.SENDER_FIELDS)
    ids = message.model_dump(include=sender)
    is_theirs = message.direction == INBOUND
    entry = head_entry(
        phone,
        conversation_pk=message.conversation_pk,
        item_pk=message.pk,
        customer=_customer_of(message),
        at=message.received_at,
        shown_as=(message.type, _preview(message)),
        # What the business sent proves nothing about its customer.
        sender=ids if is_theirs else {},
    )
    if not is_theirs:
        entry = replace(entry, first_values=Conversation.named(**ids))
    has_referral = message.ad_source is not None or message.referral is not None
    return replace(entry, opens_window=opens_window, has_referral=has_referral)


def head_entry(
    phone: Phone,
    *,
    conversation_pk: str,
    item_pk: str,
    customer: str,
    at: str,
    shown_as: tuple[str, str],
    sender: Mapping[str, str | None],
) -> Newest:
    """Return an entry as its conversation's head shows it: the item *item_pk* at the time *at*, as (type, preview)."""
    return Newest(
        conversation_pk=conversation_pk,
        shown=Conversation.named(
            inbox_pk=phone.phone_arn,
            from_=customer,
            received_at=at,
            last_message_pk=item_pk,
            last_type=shown_as[0],
            last_preview=shown_as[1],
            waba_meta_id=phone.waba_meta_id,
            business_account_name=phone.business_account_name,
            phone=phone.phone,
            company=phone.company,
            **sender,
        )
        | {"itemType": Conversation.item_type},
        k=ordering.order_key(at, item_pk),
        received_at=ordering.moment_of(at),
    )


def conversation_pk(phone: Phone, contact_key: str) -> str:
    """Return the key of the conversation between a number and a customer."""
    return Conversation.key(phone.arn_suffix, contact_key)


def compose(
    resources: Resources,
    event: Event,
    phone: Phone,
    described: Content,
    **fields: Any,  # noqa: ANN401 - fields of Message
) -> Message:
    """Build a message item from an event: the fields common to inbound messages and echoes; *fields* are the others."""
    payload = event.payload or {}
    received_at = ordering.received_at(event.at, event.accepted_at, event.place)
    stored_content, _ = _bounded(event, phone, described)
    days = phone.message_ttl_days or resources.message_ttl_days
    return Message(
        pk=Message.key(event.id),
        company=phone.company,
        ttl=clock.expires_in(days * clock.DAY_SECONDS) if days else None,
        received_at=received_at,
        wa_timestamp=_as_text(payload.get("timestamp")),
        type=described.type,
        subtype=described.subtype,
        preview=described.preview,
        inbox_pk=phone.phone_arn,
        phone=phone.phone,
        payload_hash=event.hash,
        reply_to=described.reply_to,
        forwarded=described.forwarded,
        forwarded_many_times=described.forwarded_many_times,
        ad_source=_as_text(described.referral.get("source_id")),
        **full_content.of_file(described),
        **stored_content,
        **fields,
    )


def with_early_changes(
    resources: Resources,
    message: Message,
    edit: Edit | None,
    phone: Phone,
    link: Link | None = None,
) -> Message:
    """
    Apply the edits, reactions and revocation that arrived before the message, of those who may make them. *link*: as in
    `authors.of_early`.
    """
    if edit is None or edit.company != message.company:
        return message
    edit = authors.of_early(resources, edit, message, phone, link)
    changes: dict[str, Any] = {"reactions": edit.reactions}
    if edit.versions:
        changes |= versions.shown(edit.versions[-1], message)
    if edit.revoked_at:
        changes["revoked_at"] = edit.revoked_at
        if not resources.keep_revoked_content:
            changes |= dict.fromkeys(store.messages.CONTENT_FIELDS)
    return message.model_copy(update=changes)


def _inbound(
    resources: Resources, event: Event, phone: Phone, lookup: Lookup, described: Content
) -> Message:
    contact_key, answered, group_id = lookup.customer.contact_key, lookup.answered, lookup.group_id
    message = compose(
        resources,
        event,
        phone,
        described,
        direction=INBOUND,
        from_=contact_key,
        from_pk=contact_key,
        to=phone.display_phone,
        conversation_pk=conversation_pk(phone, lookup.conversation),
        **sender_of(event),
        group_id=group_id,
        # A message of a campaign names its template too; a message of a template may have no campaign.
        reply_of=(answered.campaign_id or answered.template) if answered else None,
    )
    # gsi_group sorts by sentAt; other inbound messages stay out of it and out of gsi_status.
    return message.model_copy(update={"sent_at": message.received_at}) if group_id else message


def sender_of(event: Event) -> dict[str, str | None]:
    """Return the attributes of a message that identify its sender at the time of the message."""
    sender = senders.sender_of(event.kind, event.payload or {}, event.contact)
    return {
        "sender_name": senders.name_of(event.contact),
        "sender_phone": sender.phone,
        "sender_user_id": sender.user_id,
        "parent_user_id": sender.parent_user_id,
        "username": sender.username,
        "identity_hash": sender.identity_hash,
    }


def _follow_up(
    resources: Resources, event: Event, phone: Phone, message: Message, described: Content
) -> None:
    """Start the follow-up actions of a message; each is safe to repeat."""
    if described.is_unknown:
        metrics.add_metric("UnknownType", MetricUnit.Count, 1)
    if described.media and not message.revoked_at:
        downloads.request(resources, event, phone, described.media, message.pk)
        if message.media_id != described.media.media_id:
            downloads.link(resources, phone, message)
    if described.subtype == "system":
        _system(resources, event, phone, message)
    if described.subtype == "call_permission_reply":
        until = described.content.get("answer", {}).get("expiration_timestamp")
        if str(until).isdecimal() and len(str(until)) <= LONGEST_SECONDS:
            moment = clock.to_text(int(until) * 1_000)
            store.customer_facts.note_call_permission(
                resources.table, message.conversation_pk, moment
            )
    if phone.auto_mark_read:
        read_receipts.request(resources, event, phone)


def _welcome(resources: Resources, phone: Phone, message: Message, head: Conversation) -> None:
    """Start the sequence for new customers, if the message does that. Safe to repeat."""
    # Imported here: few numbers have one, and its item classes would lengthen every cold start.
    from whatsapp.worker.messages import welcome  # noqa: PLC0415 - see above

    welcome.start(resources, phone, message, head)


def _system(resources: Resources, event: Event, phone: Phone, message: Message) -> None:
    system = (event.payload or {}).get("system")
    kind = str(system.get("type")) if isinstance(system, dict) else ""
    change = senders.change_of(event.kind, event.payload or {})
    if change is not None:
        contacts.follow_change(resources, event, message.from_pk, phone, at=message.received_at)
        store.customer_facts.note_new_ids(
            resources.table,
            message.conversation_pk,
            ordering.order_key(message.received_at, message.pk),
            change.phone or (None if change.user_id else change.previous_phone),
            change.user_id or None,
        )
    if kind in _IDENTITY_CHANGES:
        store.customer_facts.note_identity_change(
            resources.table, message.conversation_pk, ordering.moment_of(message.received_at)
        )


def store_full_content(
    resources: Resources, event: Event, phone: Phone, message: Message, described: Content
) -> None:
    """Store the content in full if the message's item has only its beginning, once stored. Safe to repeat."""
    fields, whole = _bounded(event, phone, described)
    if whole is not None and (message.revoked_at is None or resources.keep_revoked_content):
        resources.bucket.put(fields["content_s3_key"], whole)


def _bounded(event: Event, phone: Phone, described: Content) -> tuple[dict[str, Any], bytes | None]:
    """Return the content as fields of the item, and the object with all of it if that is too large for the item."""
    fields = full_content.of_message(described)
    beside = described.other_fields | _other_sender(event, phone)
    contact = content.fields_of_contact(event.contact)
    fields["other_fields"] = senders.with_contact(beside, contact)
    key = full_content.key_of(phone, event.id, folders.WRITTEN, event.id, event.hash)
    return full_content.bounded(Message, fields, key)


def _other_sender(event: Event, phone: Phone) -> dict[str, Any]:
    """Return the sender of an echo that another number of the business wrote."""
    written_from = _as_text((event.payload or {}).get("from"))
    is_own = written_from is None or phone.has_number(written_from)
    return {"from": written_from} if event.kind == "echo" and not is_own else {}


def _preview(message: Message) -> str:
    """Return a message's preview in the inbox: the same whether it was revoked before or after its arrival."""
    if message.preview:
        return message.preview
    return content.REVOKED_PREVIEW if message.revoked_at else f"[{message.subtype or message.type}]"


def _customer_of(message: Message) -> str:
    customer = message.from_pk if message.direction == INBOUND else message.to
    return message.group_id or customer or ""


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _as_text(value: object) -> str | None:
    """Return a provider's id or value as bounded text; None if absent."""
    is_text = isinstance(value, str | int) and not isinstance(value, bool) and value
    return str(value)[:LONGEST_ID] if is_text else None
