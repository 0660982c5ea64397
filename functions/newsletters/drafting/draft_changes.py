"""Edits of a draft: the whole text, one section, or the return to the generated text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from newsletters.drafting import content

if TYPE_CHECKING:
    from newsletters.store.items import Draft

MOST_BYTES: Final = 200_000  # of a draft's text


class DraftRefused(Exception):
    """A change of the draft is impossible; the text tells the field and the rule."""


class TextTooLarge(Exception):
    """A text is larger than a draft may be."""


def edited(draft: Draft, text: str) -> Draft:
    """Return the draft with *text* as the user's version. Raises TextTooLarge."""
    if len(text.encode()) > MOST_BYTES:
        raise TextTooLarge(f"content: must have at most {MOST_BYTES} bytes")
    return draft.model_copy(update={"user_edits": text, "has_user_edits": True})


def with_edited_section(draft: Draft, key: str, text: str) -> Draft:
    """
    Return the draft with the text below one section's heading replaced. Raises TextTooLarge, and DraftRefused if the
    section is unknown or its heading does not occur exactly once in the text.
    """
    if key not in draft.section_order:
        raise DraftRefused("key: the draft has no such section")
    names = [draft.section_names.get(one, one) for one in draft.section_order]
    at = draft.section_order.index(key)
    changed = content.with_section(draft.effective_content, names, at, text)
    if changed is None:
        raise DraftRefused("key: the heading of this section does not stand once in the text")
    return edited(draft, changed)


def without_edits(draft: Draft) -> Draft:
    """Return the draft with the generated text."""
    return draft.model_copy(update={"user_edits": "", "has_user_edits": False})


def lost_citations(draft: Draft) -> list[int]:
    """Return the numbers of the sources whose marker stands in the generated text and not in the user's version."""
    if not draft.has_user_edits:
        return []
    earlier = draft.earlier_sources
    generated = content.cited(draft.generated_content, earlier)
    return sorted(generated - content.cited(draft.user_edits, earlier))


def counted(draft: Draft) -> Draft:
    """Return a draft with the counts of its present text."""
    words = content.word_count(draft.effective_content, draft.earlier_sources)
    return draft.model_copy(
        update={"word_count": words, "estimated_read_time": content.read_time(words)}
    )
