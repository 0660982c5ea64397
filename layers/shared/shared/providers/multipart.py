"""Bodies of type multipart/form-data, which providers take for forms, keys and recordings. Pure."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class File:
    """The file of a form; *field*, *name* and *content_type* are ours, not a customer's."""

    field: str
    name: str
    content_type: str
    content: bytes


def encoded(fields: Mapping[str, str], file: File | None = None) -> tuple[str, bytes]:
    """Return content type and body. Equal forms have equal bodies: the boundary is a hash of the content."""
    parts = [(f'name="{name}"', "", text.encode()) for name, text in fields.items()]
    if file is not None:
        described = f'name="{file.field}"; filename="{file.name}"'
        parts.append((described, f"Content-Type: {file.content_type}\r\n", file.content))
    boundary = hashlib.sha256(b"\0".join(content for _, _, content in parts)).hexdigest()
    body = b"".join(
        f"--{boundary}\r\nContent-Disposition: form-data; {named}\r\n{kind}\r\n".encode()
        + content
        + b"\r\n"
        for named, kind, content in parts
    )
    return f"multipart/form-data; boundary={boundary}", body + f"--{boundary}--\r\n".encode()
