"""Parts of a message's content, by the guides "Images and vision" and "File inputs": texts, pictures and PDFs."""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import Any

FILE_TOKENS = 1_000
_DATA_URL = re.compile(r"data:([a-z]+/[a-z0-9.+-]+);base64,(.+)", re.DOTALL)
_IMAGES = {
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/jpeg": b"\xff\xd8\xff",
    "image/gif": b"GIF8",
    "image/webp": b"RIFF",
}
_DETAILS = ("low", "high", "auto", None)


def rule_broken_by(part: Any, role: str) -> str | None:  # noqa: ANN401 - unchecked JSON
    """Return the rule that a part of a message of this role breaks; None if it breaks none."""
    if not isinstance(part, dict):
        return "Expected an object."
    kind = part.get("type")
    text_kind = "output_text" if role == "assistant" else "input_text"
    if kind == text_kind:
        return None if isinstance(part.get("text"), str) else "Expected a text."
    if role == "user" and kind == "input_image":
        return _image_rule(part)
    if role == "user" and kind == "input_file":
        return _file_rule(part)
    return f"Expected a text or parts of type {text_kind}."


def texts_of(content: Any) -> str:  # noqa: ANN401 - checked JSON
    """Return the texts of a message's content."""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if "text" in part)


def tokens_of(items: Any, characters_a_token: int) -> int:  # noqa: ANN401 - checked JSON
    """Return the tokens of an input: of its text, and a fixed number for each file."""
    files = 0

    def reduced(value: Any) -> Any:  # noqa: ANN401 - as above
        nonlocal files
        if isinstance(value, list):
            return [reduced(entry) for entry in value]
        if isinstance(value, dict) and value.get("type") in {"input_image", "input_file"}:
            files += 1
            return None
        if isinstance(value, dict):
            return {name: reduced(entry) for name, entry in value.items()}
        return value

    text = json.dumps(reduced(items))
    return -(-len(text) // characters_a_token) + files * FILE_TOKENS


def _image_rule(part: dict[str, Any]) -> str | None:
    if part.get("detail") not in _DETAILS:
        return "Invalid value for 'detail'."
    media_type, data = _decoded(part.get("image_url"))
    start = _IMAGES.get(media_type)
    if start is None:
        return "Unsupported image. Supported: image/jpeg, image/png, image/gif, image/webp."
    return None if data.startswith(start) else "The image data does not represent a valid image."


def _file_rule(part: dict[str, Any]) -> str | None:
    if not isinstance(part.get("filename"), str):
        return "Missing required parameter: 'filename'."
    media_type, data = _decoded(part.get("file_data"))
    if media_type != "application/pdf":
        return "Expected a base64-encoded data URL; this sandbox accepts PDF."
    return None if b"%PDF-" in data[:1024] else "The file could not be read."


def _decoded(url: object) -> tuple[str, bytes]:
    match = _DATA_URL.fullmatch(url) if isinstance(url, str) else None
    if match is None:
        return "", b""
    try:
        return match[1], base64.b64decode(match[2], validate=True)
    except binascii.Error:
        return "", b""
