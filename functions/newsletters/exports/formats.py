"""The formats of an export. A writer is imported when its format is first rendered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol, cast

from newsletters.exports.blocks import Figure
from newsletters.exports.document import Document, Rendered
from newsletters.exports.images import Image, usable
from newsletters.exports.tree import tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from newsletters.exports.blocks import Block

__all__ = ["FORMATS", "Document", "Format", "Rendered", "render"]


class Writer(Protocol):
    """A module of `writers`."""

    def write(
        self, document: Document, blocks: Sequence[Block], images: Mapping[str, Image], /
    ) -> Rendered:
        """Render blocks; *images* are the fetched ones by URL."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format: the extension of its files without dot, their content type, and the name of its writer's module."""

    extension: str
    content_type: str
    writer: str


FORMATS: Final[Mapping[str, Format]] = MappingProxyType(
    {
        "pdf": Format("pdf", "application/pdf", "pdf"),
        "docx": Format(
            "docx",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "docx",
        ),
        "html": Format("html", "text/html; charset=utf-8", "html"),
        "email": Format("html", "text/html; charset=utf-8", "email"),
        "markdown": Format("md", "text/markdown; charset=utf-8", "markdown"),
        "text": Format("txt", "text/plain; charset=utf-8", "text"),
    }
)


def render(
    format_name: str, document: Document, images: Mapping[str, bytes] | None = None
) -> Rendered:
    """
    Render a document; the same document and images always give the same bytes.

    *images* has the bodies of the images to display, by the https URL that the content names. The caller has fetched
    them from allowed hosts; PDF and DOCX embed them, HTML and e-mail refer to the URL. Other images become their
    alternative text with a link. Raises KeyError for an unknown format, ValueError for a malformed `updated_at`.
    """
    module = import_module(f"newsletters.exports.writers.{FORMATS[format_name].writer}")
    writer = cast("Writer", module)
    found = usable(images or {})
    blocks = tree(document, found.keys())
    rendered = writer.write(document, blocks, found)
    warnings = ["image_unreadable"] if len(found) < len(images or {}) else []
    if any(isinstance(block, Figure) and not block.alt.strip() for block in blocks):
        warnings.append("image_without_text")
    return replace(rendered, warnings=tuple(dict.fromkeys((*warnings, *rendered.warnings))))
