"""Images and documents in a message (Bedrock API reference, "Message", "ImageBlock", "DocumentBlock")."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

FILE_KINDS = frozenset({"image", "document"})
LARGEST_IMAGE_BYTES, LARGEST_DOCUMENT_BYTES = 3_750_000, 4_500_000
MOST_IMAGES, MOST_DOCUMENTS = 20, 5
_FORMATS = {
    "image": ("png", "jpeg", "gif", "webp"),
    "document": ("pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"),
}
_NAME = re.compile(r"(?!.*\s\s)[A-Za-z0-9\s()\[\]-]{1,200}")


def rule_broken_by(blocks: list[dict[str, Any]], role: str) -> str | None:
    """Return the rule that the files of a message break; None if they break none."""
    images = [block["image"] for block in blocks if "image" in block]
    documents = [block["document"] for block in blocks if "document" in block]
    if not images and not documents:
        return None
    if role != "user":
        return "You can only include images and documents if the role is user."
    if len(images) > MOST_IMAGES or len(documents) > MOST_DOCUMENTS:
        return "Too many images or documents in the message."
    if documents and not any("text" in block for block in blocks):
        return "A text block is required beside a document."
    names = [document.get("name") for document in documents]
    if len(set(names)) < len(names) or not all(_NAME.fullmatch(str(name)) for name in names):
        return (
            "The name of a document is missing, not unique or has characters that are not allowed."
        )
    faults = [_file_rule("image", one, LARGEST_IMAGE_BYTES) for one in images]
    faults += [_file_rule("document", one, LARGEST_DOCUMENT_BYTES) for one in documents]
    return next(filter(None, faults), None)


def without_data(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return messages without the content of their files, which counts no tokens here."""
    return [
        {
            **message,
            "content": [block for block in message["content"] if FILE_KINDS.isdisjoint(block)],
        }
        for message in messages
    ]


def _file_rule(kind: str, file: dict[str, Any], largest: int) -> str | None:
    if file.get("format") not in _FORMATS[kind]:
        return f"{kind}.format failed to satisfy constraint"
    try:
        data = base64.b64decode(file["source"]["bytes"], validate=True)
    except (KeyError, TypeError, binascii.Error):
        return f"{kind}.source.bytes is invalid"
    return f"{kind} exceeds the largest size" if not 0 < len(data) <= largest else None
