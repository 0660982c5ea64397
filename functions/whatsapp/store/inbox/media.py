"""Media records: created as references, then marked stored or failed."""

from collections.abc import Iterable

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed, Table
from whatsapp.store.items import Media, pk
from whatsapp.store.items.item import PARTITION_KEY

_of = Media.attr


def add(table: Table, record: Media) -> Media:
    """Write the reference once and return it, or return the existing record, which may already be stored."""
    try:
        table.put(record.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed as refusal:
        if refusal.existing is None:
            raise
        return Media.read(refusal.existing)
    return record


def get(table: Table, media_pk: str) -> Media | None:
    """Return the record with this key (strongly consistent read)."""
    item = table.get(pk(media_pk))
    return Media.read(item) if item else None


def records_by_id(table: Table, media_ids: Iterable[str]) -> dict[str, Media]:
    """Return the existing records of up to 100 files, by media id."""
    keys = [pk(Media.key(media_id)) for media_id in dict.fromkeys(media_ids)]
    return {
        record.media_id: record for record in (Media.read(item) for item in table.get_many(keys))
    }


def stored(table: Table, record: Media) -> Media:
    """
    Mark a file as stored in our bucket, the last write of its processing, and return the record that is valid now.

    Two deliveries may store a file at the same time: the first write wins. A revoked file stays revoked.
    """
    unsettled = _of("media_status").not_exists() | ~_of("media_status").is_in(["REVOKED", "STORED"])
    try:
        table.put(record.attributes(), when=unsettled)
    except ConditionFailed as refusal:
        if refusal.existing is None:
            raise
        return Media.read(refusal.existing)
    return record


def mark_unavailable(table: Table, record: Media, status: str, reason: str) -> None:
    """Record the reason why there is no file: FAILED, EXPIRED or REVOKED. A STORED file changes only to REVOKED."""
    open_to_it = (
        _of("media_status").eq("PENDING") if status != "REVOKED" else Attr(PARTITION_KEY).exists()
    )
    dropped = ["s3_bucket", "s3_key"] if status == "REVOKED" else []
    try:
        table.update(
            pk(record.pk),
            put=Media.named(media_status=status, reason=reason, ttl=record.ttl),
            drop=[Media.name_of(field) for field in dropped],
            when=open_to_it,
        )
    except ConditionFailed:
        return


def note_reason(table: Table, record: Media, reason: str) -> None:
    """Record the reason why a PENDING file is not downloaded yet."""
    try:
        table.update(
            pk(record.pk),
            put=Media.named(reason=reason),
            when=_of("media_status").eq("PENDING"),
        )
    except ConditionFailed:
        return
