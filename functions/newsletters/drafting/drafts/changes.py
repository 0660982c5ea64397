"""Changes of a draft: the whole text, one section by people or by the model, or the return to the generated text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from newsletters.drafting import content

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsletters.store.items import Draft, Outline, OutlineSection

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
    changed = _with_section(draft, draft.effective_content, key, text)
    if changed is None:
        raise DraftRefused("key: the heading of this section does not stand once in the text")
    return edited(draft, changed)


def drafted_sections(outline: Outline) -> list[OutlineSection]:
    """Return the sections of which the draft is written: those with an included item."""
    return [one for one in outline.sections if any(item.included for item in one.items)]


def replaceable(draft: Draft, outline: Outline) -> set[str]:
    """
    Return the keys of the sections that can be written again alone: the outline still has them under their name, and
    their heading stands once in each text. Markers of earlier releases allow none.
    """
    sections = drafted_sections(outline)
    names = {
        key: one.name for key, one in zip(content.section_keys(sections), sections, strict=True)
    }
    return {
        key
        for key in draft.section_order
        if draft.has_source_links
        and key in names
        and names[key] == draft.section_names.get(key)
        and all(_with_section(draft, text, key, "") is not None for text in _texts(draft))
    }


def with_generated(draft: Draft, texts: Mapping[str, str]) -> Draft:
    """
    Return the draft with generated *texts* in place of those of some sections, by key, also in the user's version.

    Raises DraftRefused as `with_edited_section`.
    """
    update: dict[str, object] = {"sections": {**draft.sections, **texts}}
    for name in ("generated_content", "user_edits"):
        whole: str | None = getattr(draft, name)
        for key, text in texts.items():
            whole = _with_section(draft, whole, key, text) if whole else whole
            if whole is None:
                raise DraftRefused(
                    "key: the heading of this section does not stand once in the text"
                )
        update[name] = whole
    return draft.model_copy(update=update)


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


def _texts(draft: Draft) -> list[str]:
    return [one for one in (draft.generated_content, draft.user_edits) if one]


def _with_section(draft: Draft, whole: str, key: str, text: str) -> str | None:
    names = [draft.section_names.get(one, one) for one in draft.section_order]
    return content.with_section(whole, names, draft.section_order.index(key), text)
