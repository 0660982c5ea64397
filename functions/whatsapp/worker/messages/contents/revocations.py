"""Revocations of messages that have not arrived: each waits until its message shows who its author is."""

from typing import Any

from whatsapp.configuration import folders
from whatsapp.configuration.resources import Resources
from whatsapp.inbound.event import Event, Outcome
from whatsapp.privacy import subjects
from whatsapp.store.items import Edit, Message, Phone
from whatsapp.worker.media import downloads
from whatsapp.worker.messages.contents import authors, full_content, versions

TARGET = "original_message_id"


def keep_early(resources: Resources, event: Event, phone: Phone, record: Edit) -> Outcome:
    """Keep a revocation beside others' revocations, and remove the edits of its own author. Safe to repeat."""
    known, at = record.revocations or [], versions.at_of(event)
    author = authors.of_event(event, phone)
    is_new = record.revoked_at is None and all(one["id"] != event.id for one in known)
    changes: dict[str, Any] = {}
    if is_new and len(known) < Edit.most_revocations:
        changes = {"revocations": [*known, {"id": event.id, "at": at, "author": author}]}
        changes |= further_fields(resources, event, phone, record.message_id)
        changes |= subjects.listed(event)
    if not resources.keep_revoked_content:
        kept = [
            version
            for version in record.versions
            if not authors.are_one(resources, phone, version.get("author") or {}, author, at)
        ]
        if kept != record.versions:
            _remove(resources, record, [one for one in record.versions if one not in kept], phone)
            changes["versions"] = kept
    if changes:
        versions.write(resources, record, phone, **changes)
    return Outcome.PERSISTED if is_new else Outcome.DUPLICATE


def hide(resources: Resources, event: Event, phone: Phone, record: Edit) -> bool:
    """Whether the author of an edit has revoked its message, which has not arrived: the content is not stored then."""
    author = authors.of_event(event, phone)
    return not resources.keep_revoked_content and any(
        authors.are_one(resources, phone, one["author"], author, one["at"])
        for one in record.revocations or []
    )


def further_fields(
    resources: Resources, event: Event, phone: Phone, message_id: str
) -> dict[str, Any]:
    """Return the further fields of a revocation as fields of the record, after storing them whole if they are long."""
    fields = full_content.of_change(event, "revoke", TARGET)
    key = full_content.key_of(phone, message_id, folders.CHANGES, event.id, event.hash)
    bounded, whole = full_content.bounded(Edit, fields, key)
    if whole is not None:
        resources.bucket.put(key, whole)
    return bounded


def _remove(
    resources: Resources, record: Edit, removed: list[versions.Version], phone: Phone
) -> None:
    """Delete files and objects of versions; other authors' stay."""
    for version in removed:
        if version.get("mediaId"):
            downloads.remove(resources, version["mediaId"], Message.key(record.message_id), phone)
        if version.get("contentS3Key"):
            resources.bucket.delete(version["contentS3Key"])
