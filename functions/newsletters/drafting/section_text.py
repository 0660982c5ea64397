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
from newsletters.drafting.model_calls import problem_of
from newsletters.drafting.prompts import needs_references
from newsletters.store.items import Citation, EditorWarning
from shared.ai.model_calls import AnswerInvalid
from shared.runtime.validation_errors import errors_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from newsletters.store.items import OutlineSection, Reference

MOST_BLOCKS: Final = 80
LONGEST_BLOCK: Final = 4_000
LONGEST_SHOWN: Final = 120  # characters of a warning's text
OFF_TARGET: Final = 0.25  # of the words of a section
# The blanks, apostrophes and Arabic signs group digits or begin decimals.
_SEPARATOR: Final = "[.,'\u2019\u00a0\u2007\u2009\u202f\u066b\u066c]"
_NUMBER: Final = re.compile(rf"\d+(?:{_SEPARATOR}\d+)*")
_DECIMAL_SIGNS: Final = ".,\u066b"
_GROUPED: Final = re.compile(r"(?!0)\d{1,3}(?:\D\d{3})+|(?!0)\d{1,2}(?:\D\d{2})+\D\d{3}")
# A number or label of a source that the model wrote into its text, with the address of a link.
_OWN_MARKER: Final = re.compile(
    r"""
    \s*(?P<link>\[)?
    \\?\[ c?\d{1,3} (?:[,;]\s*c?\d{1,3})* \\?\]
    (?(link)\])
    (?:\([^()\s]*\))?
    """,
    re.ASCII | re.VERBOSE,
)


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
        problems = [problem_of(error) for error in errors_of(refusal)[:10]]
        raise AnswerInvalid(problems=problems) from None
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
        raise AnswerInvalid(problems=[*unknown, *blank])
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
    """The Markdown of a section without its heading, and the warnings for the editor."""

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
    unlinked            a link, an address or a source number of the model that was removed
    """
    lines: list[str] = []
    warnings: list[EditorWarning] = []
    included = [item for item in section.items if item.included]
    notes = [part for item in included for part in (item.title, item.description, item.user_notes)]
    for block in answer.blocks:
        own = _OWN_MARKER.sub("", block.text)
        text = inline_text(own)
        cited = [references[label] for label in dict.fromkeys(block.refs)]
        shown = text.plain[:LONGEST_SHOWN]
        if text.is_unlinked or own != block.text:
            warnings.append(EditorWarning(code="unlinked", section=key, text=shown))
        if not text.markdown:
            continue
        if block.kind != "subheading" and not cited and needs_references(section.kind):
            warnings.append(EditorWarning(code="uncited", section=key, text=shown))
        # A subheading stands for the whole section.
        sources_of_numbers = cited or (references.values() if block.kind == "subheading" else ())
        warnings += _unsupported_numbers(key, text.plain, sources_of_numbers, notes)
        markers = "".join(f" {sources.marker(one)}" for one in cited)
        lines += _as_markdown(block.kind, f"{text.markdown}{markers}", lines)
    return SectionText("\n".join(lines).strip(), warnings)


def _unsupported_numbers(
    key: str, text: str, cited: Iterable[Reference], notes: Sequence[str]
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
    """
    Return the numbers of a text in order, in ASCII and one notation: `1200`, `3.5`.

    `1,200`, `1.200` and `1'200` are the same number, and so are `3,5` and `3.50`. A date such as `05.01.2026` has three
    numbers, without leading zeros, as in `5 January`.
    """
    return [number for match in _NUMBER.finditer(text) for number in _numbers(match.group())]


def _numbers(written: str) -> list[str]:
    """Return one number, or all parts of a date or a version."""
    digits = "".join(str(unicodedata.digit(sign, sign)) for sign in written)
    parts = [part for part in re.split(r"\D", digits) if part]
    signs = re.findall(r"\D", digits)
    if _GROUPED.fullmatch(digits) and len(set(signs)) == 1 and signs[0] != "\u066b":
        return ["".join(parts)]
    whole, _, fraction = digits.rpartition(signs[-1]) if signs else (digits, "", "")
    is_grouped = len(parts) == 2 or _GROUPED.fullmatch(whole) is not None  # noqa: PLR2004 - whole and fraction
    if signs and signs[-1] in _DECIMAL_SIGNS and is_grouped and signs[-1] not in signs[:-1]:
        decimals = fraction.rstrip("0")
        units = _without_zeros("".join(parts[:-1]))
        return [f"{units}.{decimals}" if decimals else units]
    return [_without_zeros(part) for part in parts]


def _without_zeros(digits: str) -> str:
    return digits.lstrip("0") or "0"


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
