"""
The versions of a message: the original, and what each edit made of it.

The EDIT item has the original and the newest ten edits. When an edit leaves the item, it is stored in S3 under
`written/older/`, so that no version is lost; the objects of long texts are under `written/` already.
"""

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from shared.aws.sqs_fifo import digest
from shared.runtime import clock
from whatsapp import store
from whatsapp.configuration import folders
from whatsapp.configuration.resources import Resources
from whatsapp.inbound.content import Content
from whatsapp.inbound.event import Event
from whatsapp.store import ordering
from whatsapp.store.items import Edit, Message, Phone
from whatsapp.worker.contact_links import Link
from whatsapp.worker.media import downloads
from whatsapp.worker.messages.contents import authors, full_content

FILE_FIELDS = ("media_id", "mime_type", "sha256", "filename", "voice", "animated")
_EDITED_FIELDS = ("type", "text_body", "caption", "content_s3_key", *FILE_FIELDS)

# The attributes of a message that it sets, under their stored names, and {id, order, at}.
type Version = dict[str, Any]


def order_of(event: Event) -> str:
    """
    Return the order key of an event that changes a message: the order of messages. Of two changes that were accepted in
    the same millisecond, the one that is processed later wins; a repeated event is found by its id.
    """
    return ordering.order_key(ordering.received_at(event.at, event.accepted_at, event.place), "")


def at_of(event: Event) -> str:
    """Return the provider's time of an event, as text."""
    received_at_ms = ordering.received_at_ms(event.at, event.index, event.accepted_at)
    return clock.to_text(received_at_ms)


def of_edit(
    event: Event, phone: Phone, message_id: str, described: Content
) -> tuple[Version, bytes | None]:
    """Return the version that an edit makes of a message, and its object if it is too long for the item."""
    beside = full_content.of_change(event, "edit", "original_message_id", "message")["other_fields"]
    fields = full_content.of_message(described) | {
        "type": described.type,
        "other_fields": described.other_fields | ({"event": beside} if beside else {}),
    }
    key = full_content.key_of(phone, message_id, folders.WRITTEN, event.id, event.hash)
    bounded, whole = full_content.bounded(Message, fields, key)
    bounded |= full_content.of_file(described) | {
        "reply_to": described.reply_to,
        "forwarded": described.forwarded,
        "forwarded_many_times": described.forwarded_many_times,
        "preview": described.preview,
    }
    made = {"id": event.id, "order": order_of(event), "at": at_of(event)}
    return made | {"author": authors.of_event(event, phone)} | _stored(bounded), whole


def original_of(message: Message) -> Version:
    """Return version 0, of a message that shows no edit yet."""
    return {"at": ordering.moment_of(message.received_at)} | _stored(
        message.model_dump(include={*_EDITED_FIELDS})
    )


def _stored(fields: Mapping[str, Any]) -> dict[str, Any]:
    named = Message.named(**fields)
    return {name: value for name, value in named.items() if value not in (None, "", {}, [])}


def shown(version: Version, message: Message) -> dict[str, Any]:
    """Return the fields of *message* as this version shows it; None for removed fields."""
    values = {field: version.get(Message.name_of(field)) for field in _EDITED_FIELDS}
    text = values["caption"] or values["text_body"]
    fields = {
        "text_body": None if message.media_id or values["media_id"] else text,
        "caption": text if message.media_id or values["media_id"] else None,
        "preview": version.get("preview"),
        "content_s3_key": values["content_s3_key"],
        "edited_at": version["at"],
        "edit_order": version["order"],
    }
    if values["media_id"]:
        fields |= {field: values[field] for field in ("type", *FILE_FIELDS)}
        if values["media_id"] != message.media_id:
            fields |= {"subtype": values["type"], "s3_bucket": None, "s3_key": None}
    return fields


def keep_original(
    resources: Resources,
    record: Edit | None,
    message: Message,
    phone: Phone,
    link: Link | None = None,
) -> None:
    """
    Store the original of a message that arrived after its edits, and set aside what others than its author changed.
    Safe to repeat. *link*: as in `authors.of_early`.
    """
    if record is None or record.company != message.company:
        return
    theirs = authors.of_early(resources, record, message, phone, link)
    changes = authors.set_aside(record, theirs)
    kept = record.model_copy(update=changes)
    if is_hidden(resources, kept):
        if kept.versions or kept.original:
            remove(resources, kept, None, phone, Message.id_of(message.pk))
            changes |= {"versions": [], "original": None}
    elif kept.versions and kept.original is None:
        changes["original"] = original_of(message)
    if changes:
        write(resources, record, phone, **changes)


def is_hidden(resources: Resources, record: Edit) -> bool:
    """Whether the message was revoked and its content must not be stored any more."""
    return record.revoked_at is not None and not resources.keep_revoked_content


def with_version(
    resources: Resources, record: Edit, version: Version, phone: Phone, message_id: str
) -> list[Version]:
    """Return the newest versions including this one, after storing the versions that leave the list."""
    ordered = sorted([*record.versions, version], key=lambda v: str(v["order"]))
    folder = folders.older_versions_of(resources.bucket, phone.company, phone.phone, message_id)
    for older in ordered[: -Edit.most_versions]:
        # Named so that the keys have the order of the edits.
        name = f"{older['order']}-{digest(older['id'])[:26]}.json"
        whole = json.dumps(older, default=_number).encode()
        resources.bucket.put(folder.prefix + name, whole)
    return ordered[-Edit.most_versions :]


def remove(
    resources: Resources, record: Edit, message: Message | None, phone: Phone, message_id: str
) -> None:
    """Delete the files and objects of all versions of a revoked message. Safe to repeat."""
    written = folders.content_of_message(phone.company, phone.phone, message_id) + folders.WRITTEN
    versions = [*record.versions, *([record.original] if record.original else [])]
    if len(record.versions) >= Edit.most_versions:
        versions += _older(resources, phone, message_id)
    media_ids = [message.media_id if message else None, *(v.get("mediaId") for v in versions)]
    for media_id in dict.fromkeys(media_ids):
        if media_id:
            downloads.remove(resources, media_id, Message.key(message_id), phone)
    has_objects = len(record.versions) >= Edit.most_versions or any(
        "contentS3Key" in v for v in versions
    )
    if has_objects or (message is not None and message.content_s3_key):
        for key in resources.bucket.all_keys_under(written):
            resources.bucket.delete(key)


def _older(resources: Resources, phone: Phone, message_id: str) -> Iterator[Version]:
    folder = folders.older_versions_of(resources.bucket, phone.company, phone.phone, message_id)
    for key in resources.bucket.all_keys_under(folder.prefix):
        yield json.loads(resources.bucket.get(key))


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def write(resources: Resources, record: Edit, phone: Phone, **changes: Any) -> Edit:  # noqa: ANN401 - fields of Edit
    """
    Write the changed record and return it. Raises Transient after a concurrent write.

    With `customer_phone` it is listed under that customer: by itself under the first one, and by an item under others.
    """
    days = phone.message_ttl_days or resources.message_ttl_days
    ttl = clock.expires_in(days * clock.DAY_SECONDS) if days else None
    subject, at = changes.get("customer_phone"), changes.get("created_at")
    if subject is None or record.customer_phone is not None:
        changes |= {"customer_phone": record.customer_phone, "created_at": record.created_at}
    if subject is not None and subject != changes["customer_phone"]:
        store.message_reports.list_author(resources.table, record, subject, str(at), ttl)
    changed = record.model_copy(update={**changes, "revision": record.revision + 1, "ttl": ttl})
    store.message_reports.replace_edit(resources.table, changed)
    return changed
