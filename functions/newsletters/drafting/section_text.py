"""
A drafted section: the model's blocks, checked, as Markdown with numbered citations.

The model names sources by label. Here each source gets its number, in the order of first use, and its address.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from newsletters.drafting.inline_text import inline_text
from newsletters.drafting.model_calls import AnswerInvalid
from newsletters.drafting.prompts import needs_references
from newsletters.store.items import Citation, EditorWarning
from shared.runtime.validation_errors import errors_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from newsletters.store.items import OutlineSection, Reference

MOST_BLOCKS: Final = 80
LONGEST_BLOCK: Final = 4_000
LONGEST_SHOWN: Final = 120  # characters of a warning's text
OFF_TARGET: Final = 0.25  # of the words of a section
_NUMBER: Final = re.compile(r"\d(?:[\d.,\u202f\u00a0]*\d)?")
_SEPARATORS: Final = re.compile(r"[.,\u202f\u00a0]")


class Block(BaseModel):
    """One block of a section; *refs* are labels of its sources."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)

    kind: Literal["paragraph", "bullet", "subheading", "quote"]
    text: Annotated[str, Field(min_length=1, max_length=LONGEST_BLOCK, repr=False)]
    refs: list[str] = Field(default_factory=list)


class AnsweredBlocks(BaseModel):
    """The model's answer."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)

    blocks: Annotated[list[Block], Field(min_length=1, max_length=MOST_BLOCKS)]


def parsed(text: str, references: Mapping[str, Reference]) -> AnsweredBlocks:
    """Return the model's blocks; *references* are the sources that it may cite, by label. Raises AnswerInvalid."""
    try:
        answer = AnsweredBlocks.model_validate_json(text)
    except ValidationError as refusal:
        problems = [
            f"{'.'.join(str(part) for part in error['loc'])[:80] or 'answer'}: {error['type']}"
            for error in errors_of(refusal)[:10]
        ]
        raise AnswerInvalid(problems) from None
    unknown = [
        f"blocks.{number}.refs: unknown label"
        for number, block in enumerate(answer.blocks)
        if not set(block.refs) <= set(references)
    ]
    blank = [
        f"blocks.{number}.text: must not be blank"
        for number, block in enumerate(answer.blocks)
        if not block.text.strip()
    ]
    if unknown or blank:
        raise AnswerInvalid([*unknown, *blank])
    return answer


@dataclass(slots=True)
class Sources:
    """The numbers of all sources of a draft, by the id of the passage."""

    citations: dict[str, Citation] = field(default_factory=dict)

    def marker(self, reference: Reference) -> str:
        """Return the marker of a source: a link with its number, or the number if it has no public address."""
        known = self.citations.get(reference.id)
        if known is None:
            known = Citation(
                n=len(self.citations) + 1,
                chunk_id=reference.id,
                title=reference.title,
                url=reference.url,
                date=reference.date,
            )
            self.citations[reference.id] = known
        return f"[[{known.n}]](<{known.url}>)" if known.url else f"\\[{known.n}\\]"


@dataclass(frozen=True, slots=True)
class SectionText:
    """The Markdown of a section without its heading, and what the editor should look at."""

    markdown: str
    warnings: list[EditorWarning]


def rendered(
    key: str,
    section: OutlineSection,
    answer: AnsweredBlocks,
    references: Mapping[str, Reference],
    sources: Sources,
) -> SectionText:
    """
    Return the Markdown of a section. *key* names it in the warnings:

    uncited             a statement without a source
    unsupported_number  a number, date or amount that none of the block's sources has
    unlinked            a link or address of the model that was removed
    """
    lines: list[str] = []
    warnings: list[EditorWarning] = []
    notes = [
        part for item in section.items for part in (item.title, item.description, item.user_notes)
    ]
    for block in answer.blocks:
        text = inline_text(block.text)
        cited = [references[label] for label in dict.fromkeys(block.refs)]
        shown = text.markdown[:LONGEST_SHOWN]
        if text.is_unlinked:
            warnings.append(EditorWarning(code="unlinked", section=key, text=shown))
        if block.kind != "subheading":
            is_uncited = not cited and needs_references(section.kind)
            if is_uncited:
                warnings.append(EditorWarning(code="uncited", section=key, text=shown))
            warnings += _unsupported_numbers(key, text.markdown, cited, notes)
        markers = "".join(f" {sources.marker(one)}" for one in cited)
        lines += _as_markdown(block.kind, f"{text.markdown}{markers}", lines)
    return SectionText("\n".join(lines).strip(), warnings)


def _unsupported_numbers(
    key: str, text: str, cited: Sequence[Reference], notes: Sequence[str]
) -> list[EditorWarning]:
    supported = {
        number
        for source in cited
        for part in (source.text, source.title, source.date)
        for number in numbers_in(part)
    } | {number for note in notes for number in numbers_in(note)}
    return [
        EditorWarning(code="unsupported_number", section=key, text=number)
        for number in numbers_in(text)
        if number not in supported
    ]


def numbers_in(text: str) -> list[str]:
    """Return the numbers of a text in order, as ASCII digits without separators."""
    return [_digits(match.group()) for match in _NUMBER.finditer(text)]


def _digits(written: str) -> str:
    plain = _SEPARATORS.sub("", written)
    return "".join(str(unicodedata.digit(sign, 0)) for sign in plain)


def _as_markdown(kind: str, text: str, before: Sequence[str]) -> list[str]:
    follows_bullet = bool(before) and before[-1].startswith("- ")
    match kind:
        case "bullet":
            return [f"- {text}"] if follows_bullet or not before else ["", f"- {text}"]
        case "subheading":
            return ["", f"### {text}"]
        case "quote":
            return ["", f"> {text}"]
        case _:
            return ["", text]
