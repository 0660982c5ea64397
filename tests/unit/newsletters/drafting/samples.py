"""Newsletters, outlines and passages for tests of drafting."""

from __future__ import annotations

from typing import Any

from newsletters.drafting.text.section_text import AnsweredBlocks, Block
from newsletters.store.items import (
    Chunk,
    Metadata,
    OutlineItem,
    OutlineSection,
    Reference,
    Topics,
)

AT = "2026-01-26T10:00:00Z"


def metadata(**changes: Any) -> Metadata:
    fields: dict[str, Any] = {
        "GSI1PK": "USER#u1",
        "GSI1SK": f"NEWSLETTER#{AT}",
        "id": "n1",
        "newsletterCode": "NL-20260126-A1B2",
        "title": "Digest",
        "user_id": "u1",
        "created_at": AT,
        "updated_at": AT,
        "company_id": "c1",
    }
    return Metadata(**Metadata.key("NL-20260126-A1B2"), **(fields | changes))


def topics(*types: str) -> Topics:
    chunks = [chunk(f"chunk-{n}", topic=topic) for n, topic in enumerate(types, start=1)]
    return Topics(**Topics.key("NL-20260126-A1B2"), updated_at=AT, retrieved_content=chunks)


def chunk(
    chunk_id: str,
    text: str = "Rain fell. It helped.",
    *,
    topic: str = "Research Findings",
    title: str = "Rain",
) -> Chunk:
    return Chunk(
        topic=topic, source="documents", score=0.9, content=text, chunk_id=chunk_id, title=title
    )


def reference(
    one: str, text: str = "Rain fell.", *, title: str = "Rain", url: str = "", date: str = ""
) -> Reference:
    return Reference(id=one, title=title, url=url, date=date, text=text)


def item(title: str, *references: str, **changes: Any) -> OutlineItem:
    return OutlineItem(
        id=f"item-{title}", title=title, rag_reference_ids=list(references), **changes
    )


def section(kind: str = "main", *items: OutlineItem, name: str = "Main Stories") -> OutlineSection:
    return OutlineSection(id="section-1", name=name, order=1, items=list(items), kind=kind)


def blocks(*written: tuple[str, str, list[str]]) -> AnsweredBlocks:
    return AnsweredBlocks(
        blocks=[Block(kind=kind, text=text, refs=refs) for kind, text, refs in written]  # type: ignore[arg-type] # kinds are checked
    )
