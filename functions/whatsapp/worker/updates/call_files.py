"""
Files of calls: recordings and transcriptions, which Meta makes available after a call. They are fetched like media.

    call_recording_available        call_recording: {type, audio: {id, mime_type, sha256, url}}
    call_transcription_available    call_transcript: {document: {id, mime_type, sha256, url}}

(Meta, "Call recording" and "Call transcription".) A file of another name is taken too if it has the same fields.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from whatsapp.configuration.resources import Resources
from whatsapp.inbound.content import MediaFile
from whatsapp.inbound.event import Event
from whatsapp.store.items import Phone
from whatsapp.store.items.conversations.groups import Call
from whatsapp.worker.media import downloads, types

_DEEPEST = 3  # levels of lists and objects below a field
_LONGEST = 256  # characters of an id, a name, a type or a hash


def kind_of(mime_type: str) -> str:
    """Return the kind of a call's file, one of `types.LIMITS`."""
    return "recording" if types.plain(mime_type).startswith("audio/") else "document"


def merged(
    known: Sequence[dict[str, str]] | None, payload: Mapping[str, Any]
) -> list[dict[str, str]] | None:
    """Return the known files of a call and the files of an event, each once, at most `Call.most_files`."""
    files = {file["mediaId"]: file for file in known or ()}
    for file in _named_in(payload):
        files.setdefault(file["mediaId"], file)
    return list(files.values())[: Call.most_files] or None


def request(resources: Resources, event: Event, phone: Phone, call: Call) -> None:
    """Queue the download of the files that an event names. Safe to repeat."""
    named = {file["mediaId"] for file in _named_in(event.payload or {})}
    for file in call.files or ():
        if file["mediaId"] in named:
            announced = MediaFile(
                media_id=file["mediaId"],
                mime_type=file["mimeType"],
                sha256=file["sha256"],
                filename="",
                voice=None,
                animated=None,
            )
            kind = kind_of(file["mimeType"])
            downloads.request(resources, event, phone, announced, call.pk, kind=kind)


def _named_in(payload: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Yield the files that an event of a call names, in the fields of the event or in their parts."""
    for name, value in payload.items():
        for part in _objects(value, _DEEPEST):
            if _is_text(part.get("id")) and _is_text(part.get("mime_type")):
                sha256 = part.get("sha256")
                yield {
                    "name": name[:_LONGEST],
                    "mediaId": part["id"],
                    "mimeType": part["mime_type"],
                    "sha256": str(sha256) if _is_text(sha256) else "",
                }


def _objects(value: object, levels: int) -> Iterator[dict[str, Any]]:
    """Yield an object and those in it, down to some levels."""
    if isinstance(value, dict):
        yield value
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in parts if levels else ():
        yield from _objects(part, levels - 1)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST
