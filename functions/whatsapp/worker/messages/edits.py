"""Edits, revocations and reactions: changes to a message, which may arrive before the message itself."""

from typing import Any

from aws_lambda_powertools.metrics import MetricUnit

from shared.failures import Permanent, Transient
from shared.runtime import clock
from shared.runtime.observability import metrics
from whatsapp import ordering, store
from whatsapp.event import LONGEST_ID, Event, Outcome
from whatsapp.inbound import content
from whatsapp.resources import Resources
from whatsapp.store.items import Edit, Message, Phone, Reaction
from whatsapp.worker import contacts, ownership
from whatsapp.worker.forwarding import forwarder
from whatsapp.worker.media import downloads

VERSIONS_KEPT = 10
ACTORS_SHOWN = 10
LONGEST_VERSION = 4_096
_ATTEMPTS = 5


def edit(resources: Resources, event: Event, phone: Phone) -> Outcome:
    """Store an edit of a message's text or caption, and show it if it is the newest."""
    part = _part(event, "edit")
    message_id = _target(part, "original_message_id")
    new_message = part.get("message")
    described = content.describe(new_message if isinstance(new_message, dict) else {})
    text = (described.caption if described.media else described.text_body) or ""
    text = text[:LONGEST_VERSION]
    order = _order(event)
    at = clock.to_text(ordering.received_at_ms(event.at, event.index, event.accepted_at))

    record = ownership.edit_of(resources, message_id, phone)
    message = ownership.message_of(resources, Message.key(message_id), phone)
    if message is not None and message.erased:
        return _meets_tombstone()
    # Revoked content stays removed: a later edit does not restore any text.
    is_hidden = record.revoked_at is not None and not resources.keep_revoked_content
    is_new = not is_hidden and all(version["id"] != event.id for version in record.versions)
    if is_new:
        version = {"id": event.id, "order": order, "at": at, "text": text}
        versions = sorted([*record.versions, version], key=lambda v: str(v["order"]))
        _write(resources, record, versions=versions[-VERSIONS_KEPT:])
    if message is not None:
        _show_edit(resources, message, text, at, order, is_caption=described.media is not None)
    return Outcome.PERSISTED if is_new else Outcome.DUPLICATE


def revoke(resources: Resources, event: Event, phone: Phone) -> Outcome:
    """Handle a message that was deleted for everyone: remove its content, file and preview, but not the item."""
    message_id = _target(_part(event, "revoke"), "original_message_id")
    at = clock.to_text(ordering.received_at_ms(event.at, event.index, event.accepted_at))
    record = ownership.edit_of(resources, message_id, phone)
    before = ownership.message_of(resources, Message.key(message_id), phone)
    if before is not None and before.erased:
        return _meets_tombstone()
    is_new = record.revoked_at is None
    if is_new:
        # Texts of edits are removed with the message.
        versions = record.versions if resources.keep_revoked_content else []
        _write(resources, record, revoked_at=at, versions=versions)
    message_pk = Message.key(message_id)
    if not resources.keep_revoked_content:
        # The file first: the message refers to it, and the next step removes that reference.
        if before is not None and before.media_id:
            downloads.remove(resources, before.media_id, before.pk, phone)
        if before is not None and before.content_s3_key:
            resources.bucket.delete(before.content_s3_key)
    revoked = store.messages.revoke(
        resources.table, message_pk, at, keep_content=resources.keep_revoked_content
    )
    if revoked is not None and not resources.keep_revoked_content:
        store.heads.change_preview(
            resources.table, revoked.conversation_pk, message_pk, content.REVOKED_PREVIEW
        )
    return Outcome.PERSISTED if is_new else Outcome.DUPLICATE


def _meets_tombstone() -> Outcome:
    """Count a change of an erased message, which restores nothing."""
    metrics.add_metric("TombstoneHits", MetricUnit.Count, 1)
    return Outcome.DUPLICATE


def react(resources: Resources, event: Event, phone: Phone) -> Outcome:
    """Store a participant's newest reaction to a message; an empty emoji removes it."""
    outcome = _store_reaction(resources, event, phone)
    forwarder.reaction(resources, event, phone)
    return outcome


def _store_reaction(resources: Resources, event: Event, phone: Phone) -> Outcome:
    part = _part(event, "reaction")
    message_id = _target(part, "message_id")
    lookup = contacts.look_up(resources.table, event, phone)
    if lookup is None:
        raise Permanent("no_sender")
    emoji = part.get("emoji")
    actor = phone.display_phone if event.kind == "echo" else lookup.customer.contact_key
    reaction = Reaction(
        pk=Reaction.key(phone.phone, message_id, actor),
        company=phone.company,
        actor=actor,
        emoji=emoji if isinstance(emoji, str) and emoji else None,
        order=_order(event),
    )
    message = ownership.message_of(resources, Message.key(message_id), phone)
    if message is not None and message.erased:
        return _meets_tombstone()
    if not store.messages.add_reaction(resources.table, reaction):
        return Outcome.DUPLICATE
    for _ in range(_ATTEMPTS):
        # It may have arrived since the first read.
        message = message or ownership.message_of(resources, Message.key(message_id), phone)
        if message is None:
            return _react_early(resources, message_id, reaction, phone)
        shown = _with_reaction(message.reactions or {}, reaction)
        if shown == (message.reactions or {}):
            return Outcome.DUPLICATE
        if message.erased or store.messages.set_reactions(resources.table, message, shown):
            return Outcome.PERSISTED
        message = None  # A concurrent change: read it again.
    raise Transient("reactions_contended")


def _react_early(
    resources: Resources, message_id: str, reaction: Reaction, phone: Phone
) -> Outcome:
    record = ownership.edit_of(resources, message_id, phone)
    shown = _with_reaction(record.reactions or {}, reaction)
    if shown == (record.reactions or {}):
        return Outcome.DUPLICATE
    _write(resources, record, reactions=shown)
    return Outcome.PERSISTED


def _with_reaction(reactions: dict[str, Any], reaction: Reaction) -> dict[str, Any]:
    """Return a message's reactions including this one; the newest of at most ten participants."""
    previous = reactions.get(reaction.actor)
    if previous and str(previous["order"]) >= reaction.order:
        return reactions
    entry = {"order": reaction.order} | ({"emoji": reaction.emoji} if reaction.emoji else {})
    ordered = sorted({**reactions, reaction.actor: entry}.items(), key=lambda e: str(e[1]["order"]))
    return dict(ordered[-ACTORS_SHOWN:])


def _show_edit(
    resources: Resources, before: Message, text: str, at: str, order: str, *, is_caption: bool
) -> None:
    if before.content_s3_key:
        # The full previous text; the message loses its reference next.
        resources.bucket.delete(before.content_s3_key)
    preview = text[: content.PREVIEW_CHARACTERS]
    shown = (
        Message.named(caption=text) if is_caption else Message.named(text_body=text)
    ) | Message.named(preview=preview)
    message = store.messages.show_edit(resources.table, before.pk, shown, at, order)
    if message is not None:
        store.heads.change_preview(resources.table, message.conversation_pk, message.pk, preview)


def _write(resources: Resources, record: Edit, **changes: Any) -> None:  # noqa: ANN401 - fields of Edit
    changed = record.model_copy(update={**changes, "revision": record.revision + 1})
    store.messages.replace_edit(resources.table, changed)


def _part(event: Event, name: str) -> dict[str, Any]:
    part = (event.payload or {}).get(name)
    return part if isinstance(part, dict) else {}


def _target(part: dict[str, Any], name: str) -> str:
    """Return the id of the changed message. Raises Permanent (`no_target`)."""
    target = part.get(name)
    if not isinstance(target, str) or not 0 < len(target) <= LONGEST_ID:
        raise Permanent("no_target")
    return target


def _order(event: Event) -> str:
    # Without the acceptance: a change that is delivered again must not follow one that came in between.
    moment = ordering.received_at_ms(event.at, event.index, event.accepted_at)
    return ordering.order_key(clock.to_text(moment), event.id)
