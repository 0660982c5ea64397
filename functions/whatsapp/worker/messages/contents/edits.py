"""Edits, revocations and reactions: changes to a message, which may arrive before the message itself."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from aws_lambda_powertools.metrics import MetricUnit

from shared.runtime.failures import Permanent, Transient
from shared.runtime.observability import metrics
from whatsapp import store
from whatsapp.configuration import folders
from whatsapp.configuration.resources import Resources
from whatsapp.inbound import content, senders
from whatsapp.inbound.event import LONGEST_ID, Event, Outcome
from whatsapp.privacy import subjects, tombstones
from whatsapp.store.items import Edit, Message, Phone, Reaction
from whatsapp.worker import contacts, ownership
from whatsapp.worker.contacts import Lookup
from whatsapp.worker.forwarding import forwarder
from whatsapp.worker.media import downloads
from whatsapp.worker.messages.contents import authors, full_content, revocations, versions

ACTORS_SHOWN = 10
_ATTEMPTS = 5


def edit(resources: Resources, event: Event, phone: Phone) -> Outcome:
    """Store an edit of a message as a version of it, and show it if it is the newest."""
    part = _part(event, "edit")
    message_id = _target(part, "original_message_id")
    message_part = part.get("message")
    written = replace(event, payload=message_part if isinstance(message_part, dict) else {})
    described = content.describe(written.payload or {})
    record = ownership.edit_of(resources, message_id, phone)
    message = ownership.message_of(resources, Message.key(message_id), phone)
    without_effect = _without_effect(resources, event, phone, record, message)
    if without_effect is not None or versions.is_hidden(resources, record):
        return without_effect or Outcome.DUPLICATE  # Revoked content stays removed.
    if message is None and revocations.hide(resources, event, phone, record):
        return Outcome.DUPLICATE

    version, whole = versions.of_edit(event, phone, message_id, described)
    changes: dict[str, Any] = {}
    early = subjects.listed(event) if message is None else {}
    if all(stored["id"] != event.id for stored in record.versions):
        kept = versions.with_version(resources, record, version, phone, message_id)
        changes |= {"versions": kept} if kept != record.versions else {}
    if message is not None and record.original is None and message.edited_at is None:
        changes["original"] = versions.original_of(message)
    if changes:
        record = versions.write(resources, record, phone, **changes, **early)
    if whole is not None:
        resources.bucket.put(version["contentS3Key"], whole)
    if message is not None and record.versions and record.versions[-1]["id"] == event.id:
        _show_edit(resources, phone, message, record.versions[-1])
    first_file = (record.original or {}).get("mediaId")
    if described.media and described.media.media_id != first_file and event.kind != "history":
        downloads.request(resources, written, phone, described.media, Message.key(message_id))
    return Outcome.PERSISTED if changes else Outcome.DUPLICATE


def revoke(resources: Resources, event: Event, phone: Phone) -> Outcome:
    """Handle a message that was deleted for everyone: remove its content, files and preview, but not the item."""
    message_id = _target(_part(event, "revoke"), "original_message_id")
    message_pk, at = Message.key(message_id), versions.at_of(event)
    record = ownership.edit_of(resources, message_id, phone)
    before = ownership.message_of(resources, message_pk, phone)
    without_effect = _without_effect(resources, event, phone, record, before)
    if without_effect is not None:
        return without_effect
    if before is None:
        return revocations.keep_early(resources, event, phone, record)
    is_new = record.revoked_at is None
    if is_new:
        record = versions.write(
            resources,
            record,
            phone,
            revoked_at=at,
            revoked_by=event.id,
            revoked_from=authors.of_event(event, phone),
            **revocations.further_fields(resources, event, phone, message_id),
        )
    if not resources.keep_revoked_content:
        # Files and objects first: the message and the record refer to them, and lose these references next.
        versions.remove(resources, record, before, phone, message_id)
    revoked = store.messages.revoke(
        resources.table, message_pk, at, keep_content=resources.keep_revoked_content
    )
    if revoked is not None and not resources.keep_revoked_content:
        store.heads.change_preview(
            resources.table, revoked.conversation_pk, message_pk, content.REVOKED_PREVIEW
        )
    if not resources.keep_revoked_content and (record.versions or record.original):
        versions.write(resources, record, phone, versions=[], original=None)
    return Outcome.PERSISTED if is_new else Outcome.DUPLICATE


def _without_effect(
    resources: Resources, event: Event, phone: Phone, record: Edit, message: Message | None
) -> Outcome | None:
    """
    Return the outcome of a change that has none on its message: the message is erased, or another person's, and the
    change came before it, so that the record has it. None for any other change.

    Raises Permanent (`foreign_change`) for another person's change that the record does not have.
    """
    if message is None:
        tombstones.check_event(resources.table, phone.company, event)
        return None
    if message.erased:
        return _meets_tombstone()
    try:
        authors.check(resources, event, phone, message)
    except Permanent:
        kept = [*record.versions, *(record.foreign_versions or []), *(record.revocations or [])]
        if event.id not in {record.revoked_by, *(change["id"] for change in kept)}:
            raise
        return Outcome.DUPLICATE
    return None


def _meets_tombstone() -> Outcome:
    """Count a change of an erased message, which restores nothing."""
    metrics.add_metric("TombstoneHits", MetricUnit.Count, 1)
    return Outcome.DUPLICATE


def react(resources: Resources, event: Event, phone: Phone) -> Outcome:
    """
    Store a participant's newest reaction to a message; an empty emoji removes it. Raises Permanent (`unknown_reaction`)
    for one that is no text.
    """
    outcome = _store_reaction(resources, event, phone)
    forwarder.reaction(resources, event, phone)
    return outcome


def _store_reaction(resources: Resources, event: Event, phone: Phone) -> Outcome:
    part = _part(event, "reaction")
    message_id = _target(part, "message_id")
    if not isinstance(part.get("emoji") or "", str):
        raise Permanent("unknown_reaction")
    lookup = contacts.look_up(resources.table, event, phone)
    if lookup is None:
        raise Permanent("no_sender")
    message = ownership.message_of(resources, Message.key(message_id), phone)
    if message is not None and message.erased:
        return _meets_tombstone()
    actor = _actor(resources, event, phone, message, lookup)
    is_own = message is not None and not message.group_id
    reaction, whole, key = _reaction(
        event, phone, message_id, actor, actor if is_own else lookup.conversation
    )
    early = subjects.listed(event) if message is None else {}
    reaction = reaction.model_copy(update=early)
    contacts.remember(resources, event, lookup.customer, phone)
    stored = store.message_reports.add_reaction(resources.table, reaction)
    if stored is None:
        return Outcome.DUPLICATE
    if whole is not None:
        resources.bucket.put(key, whole)
    for _ in range(_ATTEMPTS):
        # It may have arrived since the first read.
        message = message or ownership.message_of(resources, Message.key(message_id), phone)
        if message is None:
            return _react_early(resources, message_id, stored, phone, lookup.conversation)
        actor = _actor(resources, event, phone, message, lookup) if early else stored.actor
        shown = with_reaction(message.reactions or {}, stored.model_copy(update={"actor": actor}))
        if shown == (message.reactions or {}):
            return Outcome.DUPLICATE
        if message.erased or store.messages.set_reactions(resources.table, message, shown):
            return Outcome.PERSISTED
        message = None  # A concurrent change: read it again.
    raise Transient("reactions_contended")


def _actor(
    resources: Resources, event: Event, phone: Phone, message: Message | None, lookup: Lookup
) -> str:
    """
    Return under which name the reaction of an event is stored: the person's name at the message, once it has arrived.

    Raises Permanent (`foreign_change`) unless the message is in the conversation of the event.
    """
    if message is not None:
        authors.check_conversation(resources, phone, message, lookup.conversation)
    if event.kind == "echo":
        return phone.display_phone
    reacting = lookup.customer.contact_key
    return reacting if message is None else authors.actor_of(resources, phone, message, reacting)


def _reaction(
    event: Event, phone: Phone, message_id: str, actor: str, conversation: str
) -> tuple[Reaction, bytes | None, str]:
    """Return the reaction of an event, and what is too long for its item with the key of the object for that."""
    emoji = _part(event, "reaction").get("emoji")
    fields = full_content.of_change(event, "reaction", "message_id", "emoji")
    key = full_content.key_of(phone, message_id, folders.CHANGES, event.id, event.hash)
    bounded, whole = full_content.bounded(Reaction, fields, key)
    reaction = Reaction(
        pk=Reaction.key(phone.phone, message_id, actor),
        company=phone.company,
        actor=actor,
        emoji=emoji if isinstance(emoji, str) and emoji else None,
        order=versions.order_of(event),
        event_id=event.id,
        sender_name=None if event.kind == "echo" else senders.name_of(event.contact),
        **bounded,
    )
    return reaction.named_in(conversation), whole, key


def _react_early(
    resources: Resources, message_id: str, reaction: Reaction, phone: Phone, conversation: str
) -> Outcome:
    """Keep a reaction until its message arrives and shows in which conversation it is."""
    record = ownership.edit_of(resources, message_id, phone)
    named = reaction.model_copy(update={"actor": reaction.name})
    shown = with_reaction(record.reactions or {}, named, {authors.IN: conversation})
    if shown == (record.reactions or {}):
        return Outcome.DUPLICATE
    listed = reaction.model_dump(include={"customer_phone", "created_at"})
    versions.write(resources, record, phone, reactions=shown, **listed)
    return Outcome.PERSISTED


def with_reaction(
    reactions: dict[str, Any], reaction: Reaction, also: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return a message's reactions with this one, which has the fields *also*: the newest of at most ten people."""
    previous = reactions.get(reaction.actor)
    if previous and str(previous["order"]) > reaction.order:
        return reactions
    entry = {"order": reaction.order, **(also or {})}
    if reaction.emoji:
        entry |= {"emoji": reaction.emoji}
        entry |= {"name": reaction.sender_name} if reaction.sender_name else {}
    ordered = sorted({**reactions, reaction.actor: entry}.items(), key=lambda e: str(e[1]["order"]))
    return dict(ordered[-ACTORS_SHOWN:])


def _show_edit(
    resources: Resources, phone: Phone, before: Message, version: versions.Version
) -> None:
    shown = versions.shown(version, before)
    message = store.messages.show_edit(resources.table, before.pk, shown, version["order"])
    if message is None:
        return
    store.heads.change_preview(
        resources.table, message.conversation_pk, message.pk, str(shown["preview"])
    )
    if shown.get("media_id"):
        downloads.link(resources, phone, message)


def _part(event: Event, name: str) -> dict[str, Any]:
    part = (event.payload or {}).get(name)
    return part if isinstance(part, dict) else {}


def _target(part: dict[str, Any], name: str) -> str:
    """Return the id of the changed message. Raises Permanent (`no_target`)."""
    target = part.get(name)
    if not isinstance(target, str) or not 0 < len(target) <= LONGEST_ID:
        raise Permanent("no_target")
    return target
