"""Recordings of OpenAI's transcriptions: the form of a request, its rules, and the words of a recording."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from email import message_from_bytes
from typing import Any

BYTES_A_SECOND = 1_500
LARGEST_BYTES = 25 << 20
_MODELS = ("whisper-1", "gpt-4o-transcribe", "gpt-4o-mini-transcribe", "gpt-transcribe")
_ENDINGS = ("flac", "mp3", "mp4", "mpeg", "mpga", "m4a", "ogg", "wav", "webm")
_WORDS = (
    "Hello, I can start on Monday.",
    "Please call me back in the afternoon.",
    "Which shift is it?",
    "I would like to change my appointment.",
)


@dataclass(frozen=True)
class Part:
    """A part of the form; *filename* is empty for a field."""

    filename: str
    content: bytes


def form_of(content_type: str, body: bytes) -> dict[str, Part]:
    """Parse a form; empty if the body is none."""
    if not content_type.startswith("multipart/form-data"):
        return {}
    whole = message_from_bytes(f"Content-Type: {content_type}\r\n\r\n".encode() + body)
    parts = whole.get_payload()
    form: dict[str, Part] = {}
    for part in parts if isinstance(parts, list) else []:
        name = part.get_param("name", header="content-disposition")  # type: ignore[union-attr] # of a multipart
        content: Any = part.get_payload(decode=True)  # type: ignore[union-attr] # as above
        form[str(name)] = Part(part.get_filename() or "", content or b"")  # type: ignore[union-attr] # as above
    return form


def rule_broken_by(form: dict[str, Part]) -> str | None:
    """Return the rule that a request breaks; None if it breaks none."""
    file = form.get("file")
    if file is None or not file.content:
        return "Missing required parameter: 'file'."
    if file.filename.rpartition(".")[2] not in _ENDINGS:
        return "Unrecognized file format."
    if len(file.content) > LARGEST_BYTES:
        return "Maximum content size limit exceeded."
    model = form.get("model")
    if model is None or model.content.decode() not in _MODELS:
        return "The model does not exist."
    return None


def text_of(recording: bytes) -> str:
    """Return the words of a recording."""
    return _WORDS[hashlib.sha256(recording).digest()[0] % len(_WORDS)]


def recorded(form: dict[str, Part]) -> dict[str, Any]:
    """Return the request as the sandbox records it: fields, and the size of the file."""
    fields = {name: part.content.decode() for name, part in form.items() if not part.filename}
    return fields | {"file": {"name": form["file"].filename, "bytes": len(form["file"].content)}}
