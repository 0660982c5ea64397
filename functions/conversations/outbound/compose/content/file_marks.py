"""Marks of a message's files: what each one is, and whether the model has it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from conversations.ai.prompt.marks import NOT_HEARD, mark
from shared.runtime import clock

if TYPE_CHECKING:
    from conversations.store.items.log import Message

type File = dict[str, str]

ATTACHED = "attached"
LONGEST_RECEPTION_MS = 15 * 60 * clock.SECOND_MS  # then a file is not expected any more
_REFUSALS = {"TooLarge": "it is too large", "TooManyFiles": "too many files in one message"}
_SPOKEN_AS_TEXT = "its words follow, written down by a machine that may mishear"
_TOO_LONG = "too_large"  # see `inbound.transcription`
_SPOKEN = frozenset({"audio/ogg", "audio/opus", "audio/amr", "audio/aac"})


class FileKind(StrEnum):
    """A file as a person sees it in the chat."""

    IMAGE = "image"
    STICKER = "sticker"
    VOICE_NOTE = "voice note"
    AUDIO = "audio"
    VIDEO = "video"
    DOCUMENT = "document"
    CONTACT = "contact card"


# Reasons why the model does not have a file, if nothing is wrong with the file itself.
_UNSUPPORTED = {
    FileKind.IMAGE: "not shown to you, you cannot see images",
    FileKind.STICKER: "not shown to you, you cannot see images",
    FileKind.VOICE_NOTE: NOT_HEARD,
    FileKind.AUDIO: NOT_HEARD,
    FileKind.VIDEO: "not seen",
    FileKind.DOCUMENT: "not shown to you, you cannot open it",
    FileKind.CONTACT: "not shown to you, you cannot open it",
}


def kind_of(message: Message, file: File) -> FileKind:
    """Return the kind of a message's file by its type, and by the provider's word for the message."""
    mime_type = media_type(file)
    extra = message.extra
    match mime_type.partition("/")[0]:
        case "image":
            is_sticker = "sticker" in (extra.get("type"), extra.get("MessageType"))
            return FileKind.STICKER if is_sticker else FileKind.IMAGE
        case "audio":
            audio: Any = extra.get("audio")
            is_voice = isinstance(audio, dict) and audio.get("voice") is True
            return FileKind.VOICE_NOTE if is_voice or mime_type in _SPOKEN else FileKind.AUDIO
        case "video":
            return FileKind.VIDEO
    is_card = mime_type in {"text/vcard", "text/x-vcard"}
    return FileKind.CONTACT if is_card else FileKind.DOCUMENT


def media_type(file: File) -> str:
    """Return the media type that the provider reported, without parameters; empty if it reported none."""
    return file.get("mime_type", "").partition(";")[0].strip().casefold()


def marks_of(message: Message, shown: dict[int, str] | None = None) -> list[str]:
    """
    Return one mark for each file of a message.

    *shown* has, by position of the file, that the model has it (`ATTACHED`), or why it does not.
    """
    return [
        _mark(message, file, (shown or {}).get(position))
        for position, file in enumerate(message.media)
    ]


def spoken(message: Message) -> list[str]:
    """Return the texts of a message's voice notes: the customer's own words."""
    return [file["transcript"] for file in message.media if file.get("transcript")]


def _mark(message: Message, file: File, shown: str | None) -> str:
    kind = kind_of(message, file)
    state = shown or _fault_of(message, kind, file) or _UNSUPPORTED[kind]
    return mark(kind, file.get("name", ""), state)


def _fault_of(message: Message, kind: FileKind, file: File) -> str | None:
    """Return the mark's words for a file that is not stored; None for a stored one."""
    unknown = {FileKind.VOICE_NOTE: NOT_HEARD, FileKind.AUDIO: NOT_HEARD}
    not_shown = unknown.get(kind, "not shown to you")
    if "transcript" in file:
        return _SPOKEN_AS_TEXT if file["transcript"] else f"{not_shown}, it has no words"
    if "key" in file:
        return f"{not_shown}, it is too long" if file.get("no_transcript") == _TOO_LONG else None
    if "refused" in file:
        return f"{not_shown}, {_REFUSALS.get(file['refused'], 'it could not be received')}"
    age_ms = clock.now_ms() - clock.from_text(message.message_timestamp)
    if "failed" in file or age_ms > LONGEST_RECEPTION_MS:
        return f"{not_shown}, it could not be received"
    return f"{not_shown}, it is still being received"
