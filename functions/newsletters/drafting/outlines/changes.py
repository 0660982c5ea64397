"""Edits of an outline, and the edits that a new generation keeps."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from newsletters.drafting.plan import MAIN
from newsletters.store.items import (
    EditorWarning,
    Outline,
    OutlineItem,
    OutlineSection,
    Reference,
    UserModifications,
)
from shared.aws.sqs_fifo import to_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from newsletters.store.items import Chunk, Topics

MOST_SECTIONS: Final = 12
MOST_ITEMS: Final = 60
SOURCES_LOST: Final = "sources_lost"


class OutlineRefused(Exception):
    """A change of the outline breaks a rule; *field* names the place in the request."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


def changed(outline: Outline, sections: Sequence[OutlineSection], topics: Topics | None) -> Outline:
    """
    Return the outline with its sections replaced by *sections*, renumbered in their order.

    Sections and items with an empty id are new and get one. Raises OutlineRefused for an unknown id or reference, one
    that occurs twice, and too many sections or items.
    """
    known = {item.id: item for section in outline.sections for item in section.items}
    known_sections = {section.id: section for section in outline.sections}
    numbers = _Numbers(outline)
    seen: set[str] = set()
    result: list[OutlineSection] = []
    for order, section in enumerate(sections, start=1):
        place = f"sections.{order - 1}"
        if section.id and section.id not in known_sections:
            raise OutlineRefused(f"{place}.id", "there is no section with this id")
        _check_once(section.id, seen, f"{place}.id")
        items = [
            _changed_item(item, known, numbers, seen, f"{place}.items.{at}")
            for at, item in enumerate(section.items)
        ]
        kind = known_sections[section.id].kind if section.id else MAIN
        new = {"id": section.id or numbers.section(), "order": order, "items": items, "kind": kind}
        result.append(section.model_copy(update=new))
    if not result:
        raise OutlineRefused("sections", "must have at least one section")
    if len(result) > MOST_SECTIONS or sum(len(one.items) for one in result) > MOST_ITEMS:
        raise OutlineRefused("sections", f"at most {MOST_SECTIONS} sections and {MOST_ITEMS} items")
    removed = [
        item
        for item in known.values()
        if item.id not in seen and item.id in outline.generated_items
    ]
    update = {
        "sections": result,
        "references": _references(result, outline, topics),
        "removed_items": [*outline.removed_items, *removed][-MOST_ITEMS:],
        "last_section": numbers.last_section,
        "last_custom": numbers.last_custom,
        "warnings": [*_still_true(outline, result), *_lost_sources(outline, result)],
    }
    return _with_modifications(outline.model_copy(update=update))


def _still_true(before: Outline, sections: Sequence[OutlineSection]) -> list[EditorWarning]:
    """Return the warnings about generated texts whose items are as they were."""
    present = {item.id: item_hash(item) for one in sections for item in one.items}
    unchanged = {
        item.id
        for section in before.sections
        for item in section.items
        if present.get(item.id) == item_hash(item)
    }
    return [one for one in before.warnings if one.code != SOURCES_LOST and one.item in unchanged]


def _lost_sources(before: Outline, sections: Sequence[OutlineSection]) -> list[EditorWarning]:
    """
    Return a warning for each item that has lost passages: an item that stays cites fewer, and one that was removed was
    the only one to cite them.
    """
    present = {item.id: set(item.rag_reference_ids) for one in sections for item in one.items}
    cited = {reference for references in present.values() for reference in references}
    return [
        EditorWarning(code=SOURCES_LOST, section=section.id, item=item.id, text=item.title)
        for section in before.sections
        for item in section.items
        if set(item.rag_reference_ids) - present.get(item.id, cited)
    ]


def is_made_of(outline: Outline, sections: Sequence[OutlineSection]) -> bool:
    """Whether the outline has exactly *sections*, of which new ones and new items have an empty id."""
    if len(sections) != len(outline.sections):
        return False
    return all(
        given.id in {"", present.id}
        and given.name == present.name
        and len(given.items) == len(present.items)
        and all(map(_is_item, given.items, present.items))
        for given, present in zip(sections, outline.sections, strict=True)
    )


def kept_items(outline: Outline) -> list[tuple[str, OutlineItem]]:
    """Return the items that people added, edited or excluded, each with the kind of its section."""
    modified = {*outline.user_modifications.items_added, *outline.user_modifications.items_edited}
    return [
        (section.kind, item)
        for section in outline.sections
        for item in section.items
        if item.id in modified
    ]


def regenerated(
    outline: Outline,
    generated: Sequence[OutlineSection],
    kept: Sequence[tuple[str, OutlineItem]],
) -> Outline:
    """
    Return the outline with the generated sections, without items that users removed, and with items that they added
    or edited in the section of the same kind, else in the main one.
    """
    gone = [*outline.removed_items, *(item for _, item in kept)]
    room = MOST_ITEMS - len(kept)  # people could not save more items than that
    sections: list[OutlineSection] = []
    for section in generated:
        new = [one for one in section.items if not any(_is_same(one, other) for other in gone)]
        sections.append(section.model_copy(update={"items": new[: max(room, 0)]}))
        room -= len(new)
    kept_ids = {item.id for _, item in kept}
    hashes = {item.id: item_hash(item) for section in sections for item in section.items}
    hashes |= {one: outline.generated_items[one] for one in kept_ids & set(outline.generated_items)}
    for kind, item in kept:
        _section_of(kind, sections).items.append(item)
    update = {
        "sections": sections,
        "generated_items": hashes,
        "last_section": outline.last_section + len(generated),
        "warnings": [],
    }
    return _with_modifications(outline.model_copy(update=update))


def item_hash(item: OutlineItem) -> str:
    """Return the hash of an item's editable values."""
    facts = [item.title, item.description, item.included, item.user_notes, item.rag_reference_ids]
    return hashlib.sha256(to_json(facts).encode()).hexdigest()[:16]


def reference_of(chunk: Chunk) -> Reference:
    """Return a retrieved passage as the outline keeps it."""
    return Reference(
        id=chunk.chunk_id,
        title=chunk.title,
        url=chunk.metadata.url,
        date=chunk.metadata.date,
        text=chunk.content,
    )


class _Numbers:
    """Numbers of new sections and items, never used before."""

    def __init__(self, outline: Outline) -> None:
        self.last_section = outline.last_section
        self.last_custom = outline.last_custom

    def section(self) -> str:
        self.last_section += 1
        return f"section-{self.last_section}"

    def item(self) -> str:
        self.last_custom += 1
        return f"custom-item-{self.last_custom}"


def _changed_item(
    item: OutlineItem,
    known: Mapping[str, OutlineItem],
    numbers: _Numbers,
    seen: set[str],
    place: str,
) -> OutlineItem:
    if item.id and item.id not in known:
        raise OutlineRefused(f"{place}.id", "there is no item with this id")
    _check_once(item.id, seen, f"{place}.id")
    references = list(dict.fromkeys(item.rag_reference_ids))
    is_custom = known[item.id].custom if item.id else True
    return item.model_copy(
        update={
            "id": item.id or numbers.item(),
            "custom": is_custom,
            "source": "rag_content" if references else "ai_generated",
            "rag_reference_id": references[0] if references else None,
            "rag_reference_ids": references,
        }
    )


def _is_item(given: OutlineItem, present: OutlineItem) -> bool:
    is_known = given.id == present.id or (not given.id and present.custom)
    references = list(dict.fromkeys(given.rag_reference_ids))
    compared = given.model_copy(update={"rag_reference_ids": references})
    return is_known and item_hash(compared) == item_hash(present)


def _check_once(identifier: str, seen: set[str], place: str) -> None:
    if identifier and identifier in seen:
        raise OutlineRefused(place, "occurs twice")
    seen.add(identifier)


def _references(
    sections: Sequence[OutlineSection], outline: Outline, topics: Topics | None
) -> list[Reference]:
    """Return the cited passages. Raises OutlineRefused for one that neither the outline nor TOPICS has."""
    chunks = topics.retrieved_content if topics else []
    known = {chunk.chunk_id: reference_of(chunk) for chunk in chunks}
    known |= {reference.id: reference for reference in outline.references}
    cited: dict[str, Reference] = {}
    for order, section in enumerate(sections):
        for at, item in enumerate(section.items):
            for one in item.rag_reference_ids:
                if one not in known:
                    raise OutlineRefused(
                        f"sections.{order}.items.{at}.rag_reference_ids",
                        "there is no passage with this id",
                    )
                cited[one] = known[one]
    return list(cited.values())


def _with_modifications(outline: Outline) -> Outline:
    """Return the outline with its lists of added, removed and edited items, compared with the generated ones."""
    items = {item.id: item for section in outline.sections for item in section.items}
    generated = outline.generated_items
    modifications = UserModifications(
        items_added=[one for one in items if one not in generated],
        items_removed=[one for one in generated if one not in items],
        items_edited=[
            one
            for one, item in items.items()
            if one in generated and item_hash(item) != generated[one]
        ],
    )
    return outline.model_copy(update={"user_modifications": modifications})


def _is_same(item: OutlineItem, other: OutlineItem) -> bool:
    references = set(item.rag_reference_ids)
    is_same_title = item.title.casefold() == other.title.casefold()
    return is_same_title or (bool(references) and references == set(other.rag_reference_ids))


def _section_of(kind: str, sections: Sequence[OutlineSection]) -> OutlineSection:
    for wanted in (kind, MAIN):
        for section in sections:
            if section.kind == wanted:
                return section
    return sections[0]
