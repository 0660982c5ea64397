"""Checks files that only the provider has, by their first bytes and the type that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shared.providers import http
from shared.providers.outcomes import InDoubt, NotSent, Refused
from shared.runtime.failures import Permanent
from whatsapp import transmission
from whatsapp.sending import files
from whatsapp.worker.media.types import SNIFFED_BYTES

if TYPE_CHECKING:
    from whatsapp.actions.calls.call import Call
    from whatsapp.sending.inputs import FileType
    from whatsapp.store.items import Phone

_FOUND = frozenset({200, 206})


def check(call: Call[Any], phone: Phone, media_id: str, kind: FileType, field: str) -> None:
    """
    Check a file that is not in our records, before it is sent as *kind*. Raises InvalidInput.

    One that the provider does not show passes: the provider refuses the message, or sends it. End User Messaging shows
    the type alone, unless it copies the whole file.
    """
    try:
        if phone.provider == "eum":
            mime_type, first_bytes = _type_at_aws(call, phone, media_id), None
        else:
            mime_type, first_bytes = _beginning_at_graph(call, phone, media_id)
    except (Refused, NotSent, InDoubt, Permanent, http.OriginRefused, http.TooLarge):
        return
    if first_bytes is None:
        files.check_type(kind, mime_type, field)
    else:
        files.check_beginning(kind, mime_type, first_bytes, field)


def _beginning_at_graph(call: Call[Any], phone: Phone, media_id: str) -> tuple[str, bytes | None]:
    """Return the type and the first bytes of a file; None for bytes that Graph's host does not send."""
    token = transmission.token_of(call.resources, phone)
    listing = call.resources.graph.media(phone.phone, token, media_id)
    headers = {
        "Authorization": f"Bearer {token}",
        "Range": f"bytes=0-{SNIFFED_BYTES - 1}",
        "Accept-Encoding": "identity",
    }
    with http.download(
        listing.url, headers=headers, origins=call.resources.media_origins
    ) as answer:
        if answer.status not in _FOUND:
            return listing.mime_type, None
        found = b""
        # A piece may be short, so that the next one exceeds what is wanted.
        for piece in http.pieces(
            answer, most_bytes=2 * SNIFFED_BYTES, within_ms=files.LINKED_WITHIN_MS, of=SNIFFED_BYTES
        ):
            found += piece
            if len(found) >= SNIFFED_BYTES:
                break
        return listing.mime_type, found[:SNIFFED_BYTES]


def _type_at_aws(call: Call[Any], phone: Phone, media_id: str) -> str:
    answer = call.resources.eum.call(
        "get_whatsapp_message_media",
        originationPhoneNumberId=transmission.aws_phone_of(phone),
        mediaId=media_id,
        metadataOnly=True,
    )
    return str(answer.get("mimeType", ""))
