"""
Hashes of the inputs of each step, and of the content that exports show.

    TOPICS   audience, rhythm, length, region, language, types
    OUTLINE  tone, audience, length, region, language, retrieved passages
    DRAFT    tone, audience, length, language, included items with their notes and references
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final

from newsletters.store.items import NewsletterStatus
from shared.aws.sqs_fifo import to_json

if TYPE_CHECKING:
    from newsletters.store.items import Draft, Metadata, Outline, Topics

# The attributes of METADATA that exports show.
EXPORTED: Final = ("title", "language", "user_name", "description", "preview")


def topics_hash(metadata: Metadata, topics: Topics) -> str:
    """Return the hash of the inputs of TOPICS."""
    return _hash(
        sorted(metadata.target_audience),
        metadata.frequency,
        metadata.length_preference,
        metadata.geographic_focus,
        metadata.language,
        topics.selected_types,
        [topic.model_dump() for topic in topics.custom_topics],
    )


def outline_hash(metadata: Metadata, topics: Topics | None) -> str:
    """Return the hash of the inputs of OUTLINE."""
    chunks = topics.retrieved_content if topics else []
    return _hash(
        *_tone(metadata),
        metadata.geographic_focus,
        sorted(chunk.chunk_id for chunk in chunks),
    )


def draft_hash(metadata: Metadata, outline: Outline | None) -> str:
    """Return the hash of the inputs of DRAFT."""
    sections = outline.sections if outline else []
    return _hash(
        *_tone(metadata),
        [
            [
                section.name,
                section.kind,
                [_drafted(item) for item in section.items if item.included],
            ]
            for section in sections
        ],
    )


def content_hash(metadata: Metadata, draft: Draft) -> str:
    """Return the hash of all that an export shows."""
    citations = [citation.model_dump() for citation in draft.citations]
    shown = [getattr(metadata, name) for name in EXPORTED]
    # Texts of earlier releases had none: their exports and reviews stay valid.
    shown = shown if metadata.preview else shown[:-1]
    return _hash(*shown, draft.effective_content, citations)


def status_of(metadata: Metadata, draft: Draft | None) -> NewsletterStatus:
    """Return the status of a newsletter: exported only while an export shows the present content."""
    if draft is None or not draft.has_content:
        return NewsletterStatus.DRAFT
    present = content_hash(metadata, draft)
    if any(export.content_hash == present for export in draft.exports.values()):
        return NewsletterStatus.EXPORTED
    return NewsletterStatus.COMPLETED


def _tone(metadata: Metadata) -> list[Any]:
    return [
        metadata.tone_professional,
        metadata.tone_technical,
        sorted(metadata.target_audience),
        metadata.length_preference,
        metadata.language,
    ]


def _drafted(item: Any) -> list[Any]:  # noqa: ANN401 - an OutlineItem
    return [item.id, item.title, item.description, item.user_notes, item.rag_reference_ids]


def _hash(*parts: Any) -> str:  # noqa: ANN401 - JSON values
    return hashlib.sha256(to_json(list(parts)).encode()).hexdigest()
