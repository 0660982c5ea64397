"""Checks the texts of a generated outline as texts of a draft are checked: people and the next step rely on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from newsletters.drafting.checks.statements import (
    WRONG_LANGUAGE,
    Finding,
    changed_quotations,
    is_in_another_language,
    unsupported_numbers,
)
from newsletters.store.items import EditorWarning

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from newsletters.store.items import OutlineItem, OutlineSection, Reference

UNLINKED: Final = "unlinked"
LONGEST_SHOWN: Final = 120  # characters of a warning's text
MOST_WARNINGS: Final = 100


def warnings_of(
    sections: Sequence[OutlineSection],
    written: Mapping[str, bool],
    references: Sequence[Reference],
    language: str,
) -> list[EditorWarning]:
    """
    Return the warnings about the items *written* by the model; *language* is the newsletter's.

    *written* has their ids, and whether an address was removed from the item.

    The codes are the same as of a draft's section. An item may cite no passage in introduction and conclusion: numbers
    and quotations there must stand in any of the outline's passages.
    """
    known = {one.id: one for one in references}
    found = [
        EditorWarning(
            code=one.code, section=section.id, item=item.id, text=one.text[:LONGEST_SHOWN]
        )
        for section in sections
        for item in section.items
        if item.id in written
        for one in _findings(item, known, language, is_unlinked=written[item.id])
    ]
    return found[:MOST_WARNINGS]


def _findings(
    item: OutlineItem, known: Mapping[str, Reference], language: str, *, is_unlinked: bool
) -> list[Finding]:
    cited = [known[one] for one in item.rag_reference_ids if one in known]
    text = f"{item.title}\n{item.description}"
    found = [Finding(UNLINKED, item.title)] if is_unlinked else []
    found += unsupported_numbers(text, cited or list(known.values()), language)
    found += changed_quotations(text, cited or list(known.values()))
    if is_in_another_language(text, language):
        found.append(Finding(WRONG_LANGUAGE, text))
    return found
