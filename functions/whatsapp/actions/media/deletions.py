"""Deletes files at the provider, and our copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from shared.api.auth import Scope
from shared.aws.stored_objects import media_of
from whatsapp import store, transmission
from whatsapp.actions.calls import participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Flag, MediaId, SenderInput
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.media import company_files
from whatsapp.sending.failures import ProviderRejected
from whatsapp.sending.views import View
from whatsapp.worker.media.downloads import GONE

if TYPE_CHECKING:
    from whatsapp.store.items import Media, Phone

LEGACY = Group("legacy")
_DELETED = "deleted"


class Deletion(SenderInput):
    """A media id of the company; with `deleteStored` also our copy of the file."""

    media_id: MediaId
    delete_stored: Flag = False


class Deleted(View):
    """*at_provider*: `missing` if the provider had no such file any more. *stored*: our own copy was deleted."""

    media_id: str
    at_provider: Literal["deleted", "missing"]
    stored: bool


@LEGACY.changes("remote_eum", Scope.WHATSAPP_MEDIA)
def delete_media(call: Call[Deletion]) -> Deleted:
    """
    Delete a file at the number's provider; with `deleteStored` also our copy, and the pointer to it on its message.

    404: no record of the number has the id; references to files without our own copy are kept for seven days.
    """
    phone = participants.sender_of(call)
    record = company_files.record_of(call, phone, call.input.media_id)
    was_there = _deleted_at_provider(call, phone, record.media_id)
    # A file without our own copy cannot be downloaded any more.
    store.media.mark_unavailable(call.table, record, "EXPIRED", _DELETED)
    is_stored = call.input.delete_stored and record.media_status == "STORED"
    if is_stored:
        _delete_copy(call, record)
    at_provider: Literal["deleted", "missing"] = "deleted" if was_there else "missing"
    return Deleted(media_id=record.media_id, at_provider=at_provider, stored=is_stored)


def _deleted_at_provider(call: Call[Any], phone: Phone, media_id: str) -> bool:
    """Delete a file at the provider; return whether it was there. Raises ProviderRejected and ProviderUnavailable."""
    try:
        if phone.provider == "eum":
            remote.eum_of(call, phone).call(
                "delete_whatsapp_message_media",
                mediaId=media_id,
                originationPhoneNumberId=transmission.aws_phone_of(phone),
            )
        else:
            remote.graph_of(call, phone).delete(media_id, phone_number_id=phone.phone)
    except ProviderRejected as refusal:
        if refusal.code not in GONE:
            raise
        return False
    return True


def _delete_copy(call: Call[Any], record: Media) -> None:
    """Delete our copy. Safe to repeat: the record, which names the object, is changed last."""
    bucket, key = call.resources.bucket, record.s3_key or ""
    if record.message_pk and key:
        store.messages.detach_file(call.table, record.message_pk, record.media_id, key)
    if media_of(bucket, call.company).holds(key):
        bucket.delete(key)
    store.media.mark_unavailable(call.table, record, "REVOKED", _DELETED)
