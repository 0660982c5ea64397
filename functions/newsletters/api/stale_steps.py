"""Finds steps whose content was generated from inputs that have changed since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.store.step_inputs import draft_hash, outline_hash, topics_hash

if TYPE_CHECKING:
    from newsletters.store.items import StepName
    from newsletters.store.newsletters import Newsletter


def stale_steps(newsletter: Newsletter) -> dict[StepName, bool]:
    """
    Return for each step whether its content was generated from inputs that have changed since.

    A step below a stale one is stale, too: its content derives from those inputs.
    """
    metadata, topics, outline = newsletter.metadata, newsletter.topics, newsletter.outline
    draft = newsletter.draft
    topics_stale = bool(
        topics and topics.has_content and topics.inputs_hash != topics_hash(metadata, topics)
    )
    outline_stale = bool(outline and outline.has_content) and (
        topics_stale
        or (outline is not None and outline.inputs_hash != outline_hash(metadata, topics))
    )
    draft_stale = bool(draft and draft.has_content) and (
        outline_stale or (draft is not None and draft.inputs_hash != draft_hash(metadata, outline))
    )
    return {"topics": topics_stale, "outline": outline_stale, "draft": draft_stale}
