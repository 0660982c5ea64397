"""Downloads files from the provider into our bucket, with the worker's checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.api.auth import Scope
from shared.providers.outcomes import InDoubt, NotSent, Refused
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.calls import participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.inputs import MediaId, SenderInput
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.media import company_files, limits
from whatsapp.actions.media.views import MediaFile, file_view
from whatsapp.sending.failures import (
    NotConfigured,
    ProviderUnavailable,
    of_not_sent,
    of_refused,
)
from whatsapp.store.items.conversations.groups import Call as StoredCall
from whatsapp.worker.media import downloads
from whatsapp.worker.media.copying import Announced
from whatsapp.worker.media.types import LIMITS
from whatsapp.worker.updates import call_files

if TYPE_CHECKING:
    from whatsapp.store.items import Media, Phone

EUM = Group("eum_media")
LEGACY = Group("legacy")
_SETTLED = frozenset({"FAILED", "EXPIRED", "REVOKED"})
_AFTERWARDS_MS = 6 * clock.SECOND_MS  # for checks and the upload to our bucket


class Download(SenderInput):
    """A media id that the company's records have: of a message's file, or of an upload."""

    media_id: MediaId


@EUM.changes("remote_eum", Scope.WHATSAPP_MEDIA)
def eum_download_media(call: Call[Download]) -> MediaFile:
    """
    Copy a file from the number's provider into our bucket and link it to its message; a stored file is not fetched
    again.

    Type, size and the announced hash are checked. 404: no record has the id. 409 `state_conflict`: the provider has
    deleted the file, its content was refused, or its message was revoked. A download that takes too long is answered
    with 503; the worker's own downloads have more time.
    """
    return _downloaded(call)


@LEGACY.changes("remote_eum", Scope.WHATSAPP_MEDIA)
def download_media(call: Call[Download]) -> MediaFile:
    """Copy a file into our bucket as `eum_download_media` does."""
    return _downloaded(call)


def _downloaded(call: Call[Download]) -> MediaFile:
    phone = participants.sender_of(call)
    record = company_files.record_of(call, phone, call.input.media_id)
    if record.media_status == "PENDING":
        _fetch(call, phone, record)
        record = company_files.record_of(call, phone, call.input.media_id)
    if record.media_status in _SETTLED:
        reason = f": {record.reason}" if record.reason else ""
        raise StateConflict(f"mediaId: the file is {record.media_status}{reason}")
    return file_view(record)


def _fetch(call: Call[Download], phone: Phone, record: Media) -> None:
    """Store the file, or mark its record. Raises the failures of providers."""
    if phone.provider == "graph":
        remote.graph_of(call, phone)
        if not call.resources.media_origins:
            raise NotConfigured("the hosts of Graph's download links are not configured")
    announced = _announced(call, record)
    try:
        downloads.store_file(call.resources, phone, record, record.message_pk, announced)
    except Refused as refusal:
        raise of_refused(refusal) from None
    except NotSent as failure:
        raise of_not_sent(failure) from None
    except InDoubt:
        raise ProviderUnavailable(
            "the provider did not deliver the file in time; the call can be repeated"
        ) from None


def _announced(call: Call[Download], record: Media) -> Announced:
    """Return the known attributes of the file: from its message, or from the upload that made the reference."""
    within_ms = max(0, call.remaining_ms() - _AFTERWARDS_MS)
    if record.message_pk and StoredCall.is_key(record.message_pk):
        stored = store.groups.get_call(call.table, record.message_pk)
        for file in (stored.files if stored and stored.company == call.company else None) or ():
            if file["mediaId"] == record.media_id:
                kind = call_files.kind_of(file["mimeType"])
                return Announced(kind, file["mimeType"], file["sha256"], within_ms)
        return Announced("document", "", "", within_ms)
    message = store.messages.get(call.table, record.message_pk) if record.message_pk else None
    if message is not None and message.company == call.company and message.type in LIMITS:
        return Announced(message.type, message.mime_type or "", message.sha256 or "", within_ms)
    mime_type = record.content_type or ""
    return Announced(limits.category_of(mime_type), mime_type, "", within_ms)
