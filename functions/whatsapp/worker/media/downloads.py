"""
Media files: each is downloaded in a separate invocation, so that a slow file delays no message and no other file.

    PENDING --fetched and checked--> STORED
       |-----bound on costs reached-> stays, with the reason; a person may fetch it
       |-----gone at the provider--> EXPIRED
       |-----wrong hash, type, size> FAILED
    any ------message revoked------> REVOKED
"""

from shared.ai.spending.bounds import Kind
from shared.ai.spending.budget import REASON
from shared.aws.sqs_fifo import digest
from shared.providers.outcomes import InDoubt, NotSent, Refused
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from whatsapp import store
from whatsapp.configuration.folders import file_prefix
from whatsapp.configuration.resources import FileResources, Resources
from whatsapp.inbound.content import MediaFile
from whatsapp.inbound.event import Event, Outcome
from whatsapp.store.items import Media, Message, Phone
from whatsapp.worker import costs, ownership
from whatsapp.worker.forwarding import forwarder
from whatsapp.worker.media import copying, transcript_requests, types
from whatsapp.worker.media.copying import Announced, FileRefused

KIND = "media"
REFERENCE_SECONDS = (
    7 * clock.DAY_SECONDS
)  # contract, "TTL Configuration": temporary media references
PROVIDER_KEEPS_SECONDS = 30 * clock.DAY_SECONDS
# The two providers' codes for a missing file.
GONE = frozenset({"graph_100", "graph_404", "ResourceNotFoundException"})


def request(
    resources: Resources,
    event: Event,
    phone: Phone,
    file: MediaFile,
    message_pk: str,
    *,
    kind: str | None = None,
) -> None:
    """
    Record a file of a message or call and queue its download. *kind*: one of `types.LIMITS`, by default the message's
    type. Safe to repeat: a stored file is not downloaded again.
    """
    received_s = min(event.at, event.accepted_at // 1_000)
    reference = _reference(file.media_id, received_s, phone, message_pk)
    record = ownership.check_media(store.media.add(resources.table, reference), phone)
    if record.media_status != "PENDING" and record.message_pk == message_pk:
        return
    fetch = Event(
        kind=KIND, id=file.media_id, source="parley", app=event.app, accepted_at=clock.now_ms(),
        waba=event.waba, phone=event.phone, display_phone=event.display_phone, field=KIND,
        at=event.at, index=0, contact=None, hash=file.sha256,
        payload={
            "messagePk": message_pk,
            "type": kind or (event.payload or {}).get("type"),
            "mimeType": file.mime_type,
            "sha256": file.sha256,
            **costs.sender_of(event, phone),
        },
    )  # fmt: skip
    _enqueue(resources, fetch, message_pk)


def hand_on(resources: Resources, event: Event, phone: Phone) -> Outcome:  # noqa: ARG001 - as the other handlers
    """Hand on work of the queue of jobs that is on `whatsapp.fifo`: replayed, or queued there by an earlier release."""
    _enqueue(resources, event, str((event.payload or {}).get("messagePk") or ""))
    return Outcome.PERSISTED


def _enqueue(resources: Resources, event: Event, message_pk: str) -> None:
    entry = event.entry(
        group=(KIND, event.id), deduplication=(KIND, event.phone, event.id, message_pk)
    )
    resources.files.send([entry])


def _reference(media_id: str, received_s: int, phone: Phone, message_pk: str) -> Media:
    return Media(
        pk=Media.key(media_id),
        company=phone.company,
        ttl=clock.expires_in(REFERENCE_SECONDS),
        media_id=media_id,
        expires_at=clock.to_text((received_s + PROVIDER_KEEPS_SECONDS) * 1_000),
        waba_meta_id=phone.waba_meta_id,
        phone=phone.phone,
        message_pk=message_pk,
    )


def fetch(resources: Resources, event: Event, phone: Phone) -> Outcome:
    """Download a file into our bucket and link it to its message. Raises Transient while it is unavailable."""
    payload = event.payload or {}
    message_pk = str(payload.get("messagePk") or "")
    kind, mime_type, sha256 = (
        str(payload.get(name) or "") for name in ("type", "mimeType", "sha256")
    )
    announced = Announced(kind, mime_type, sha256)
    if announced.kind not in types.LIMITS or not message_pk:
        raise Permanent("unknown_media")
    record = store.media.get(resources.table, Media.key(event.id))
    if record is None:
        # A dead letter was redriven after the reference expired: the provider may still have the file.
        record = store.media.add(resources.table, _reference(event.id, event.at, phone, message_pk))
    ownership.check_media(record, phone)
    if record.media_status != "PENDING":
        _finish(resources, phone, record, message_pk)
        transcript_requests.of_stored_file(resources, phone, message_pk, kind)
        return Outcome.DUPLICATE
    if event.at + PROVIDER_KEEPS_SECONDS < clock.now_ms() // 1_000:
        store.media.mark_unavailable(resources.table, record, "EXPIRED", "too_old")
        return Outcome.PERSISTED
    sender = str(payload.get(costs.SENDER) or digest(message_pk))
    if costs.reserve(resources.spending, Kind.MEDIA_DOWNLOAD, phone, sender=sender, event=event.id):
        # It stays PENDING: a person may fetch it while the provider keeps it.
        store.media.note_reason(resources.table, record, REASON)
        return Outcome.PERSISTED
    try:
        store_file(resources, phone, record, message_pk, announced)
    except Refused as refusal:
        # A token or a permission is missing: the file still exists, so the event should be replayed.
        raise Permanent(f"media_{refusal.code}") from None
    except (NotSent, InDoubt) as failure:
        raise Transient(f"media_{failure.code}") from None
    transcript_requests.of_stored_file(resources, phone, message_pk, kind)
    return Outcome.PERSISTED


def store_file(
    resources: FileResources,
    phone: Phone,
    record: Media,
    message_pk: str | None,
    announced: Announced,
) -> None:
    """
    Copy a PENDING file into our bucket and link it to its message, if it has one; or mark it EXPIRED (the provider has
    it no more) or FAILED (it differs from its announcement). Safe to repeat.

    Raises Refused, NotSent, InDoubt and Transient.
    """
    try:
        key, size = copying.copy(resources, phone, record.media_id, announced)
    except Refused as refusal:
        if refusal.code not in GONE:
            raise
        store.media.mark_unavailable(resources.table, record, "EXPIRED", refusal.code)
        return
    except FileRefused as refusal:
        store.media.mark_unavailable(resources.table, record, "FAILED", refusal.reason)
        return
    _settle(resources, phone, record, message_pk, _stored(resources, record, key, size, announced))


def _settle(
    resources: FileResources, phone: Phone, record: Media, message_pk: str | None, stored: Media
) -> None:
    """Set the file of the message, then mark the file as stored: STORED means that all steps are done."""
    bucket, key = resources.bucket, str(stored.s3_key)
    _attach(resources, phone, record, message_pk, bucket=bucket.name, key=key)
    settled = store.media.stored(resources.table, stored)
    if (settled.media_status, settled.s3_key) != ("STORED", key):
        # Revoked meanwhile, or stored by another delivery of this event at the same time.
        _finish(resources, phone, settled, message_pk)
        bucket.delete(key)
    elif phone.provider == "eum":
        _remove_copies(resources, phone, record.media_id, key)


def _remove_copies(resources: FileResources, phone: Phone, media_id: str, key: str) -> None:
    """Remove other objects of a stored file: the service chooses a new name each time it is called."""
    for other_key in resources.bucket.keys_under(file_prefix(phone.company, phone.phone, media_id)):
        if other_key != key:
            resources.bucket.delete(other_key)


def _attach(
    resources: FileResources,
    phone: Phone,
    record: Media,
    message_pk: str | None,
    *,
    bucket: str,
    key: str,
) -> None:
    """
    Set the message's file, and announce it to the context that answers at the number. Safe to repeat. A call names its
    files from the beginning.
    """
    if message_pk is None or not Message.is_key(message_pk):
        return
    store.messages.attach_file(resources.table, message_pk, record.media_id, bucket, key)
    if not phone.is_automated:
        return
    message = ownership.message_of(resources, message_pk, phone)
    if message is not None and message.s3_key == key:
        forwarder.file(resources, phone, message, record.media_id, f"s3://{bucket}/{key}")


def link(resources: Resources, phone: Phone, message: Message) -> None:
    """Set the file of a message that an edit gave it, if it was stored before the message showed it. Safe to repeat."""
    if message.media_id is None or message.s3_key is not None:
        return
    record = store.media.get(resources.table, Media.key(message.media_id))
    if record is not None and (record.company, record.media_status) == (phone.company, "STORED"):
        _finish(resources, phone, record, message.pk)


def _finish(resources: FileResources, phone: Phone, record: Media, message_pk: str | None) -> None:
    """Finish a file that is already settled: another message uses it too, or a worker crashed before the end."""
    if record.media_status == "STORED" and record.s3_bucket and record.s3_key:
        _attach(resources, phone, record, message_pk, bucket=record.s3_bucket, key=record.s3_key)
    if record.media_status == "REVOKED":
        # A worker may have died after storing the file, before the record named it; the revocation then missed it.
        for key in resources.bucket.keys_under(
            file_prefix(phone.company, phone.phone, record.media_id)
        ):
            resources.bucket.delete(key)


def remove(resources: Resources, media_id: str, message_pk: str, phone: Phone) -> None:
    """Remove a file because its message was revoked; one that is still being downloaded is deleted on arrival."""
    record = store.media.get(resources.table, Media.key(media_id))
    if record is None or (record.company, record.message_pk) != (phone.company, message_pk):
        return  # The file belongs to another message, which still shows it.
    if record.s3_key:
        resources.bucket.delete(record.s3_key)
    store.media.mark_unavailable(resources.table, record, "REVOKED", "revoked")


def _stored(
    resources: FileResources, record: Media, key: str, size: int, announced: Announced
) -> Media:
    """Return the record of a file stored in our bucket."""
    return record.model_copy(
        update={
            "media_status": "STORED",
            "reason": None,
            "ttl": None,
            "s3_bucket": resources.bucket.name,
            "s3_key": key,
            "content_type": types.plain(announced.mime_type),
            "content_length": size,
            "uploaded_at": clock.to_text(clock.now_ms()),
        }
    )
