"""
A drafted section: the model's blocks, checked, as Markdown with numbered citations.

The model names sources by label. Here each source gets its number, in the order of first use.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from newsletters.drafting.checks.claims import Statement
from newsletters.drafting.checks.statements import (
    WRONG_LANGUAGE,
    Finding,
    changed_quotations,
    is_in_another_language,
    unsupported_numbers,
)
from newsletters.drafting.model_calls import problem_of
from newsletters.drafting.prompts import needs_references
from newsletters.drafting.text.inline_text import inline_text
from newsletters.drafting.text.markdown_tokens import marker
from newsletters.store.items import Citation, EditorWarning
from shared.ai.calls.model_calls import AnswerInvalid
from shared.runtime.validation.validation_errors import errors_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from newsletters.store.items import OutlineSection, Reference

MOST_BLOCKS: Final = 80
LONGEST_BLOCK: Final = 4_000
LONGEST_SHOWN: Final = 120  # characters of a warning's text


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
        """Return the marker of a source: a link with its number, which leads to the list of sources."""
        known = self.citations.get(reference.id)
        if known is None:
            known = Citation(
                n=max((one.n for one in self.citations.values()), default=0) + 1,
                chunk_id=reference.id,
                title=reference.title,
                url=reference.url,
                date=reference.date,
            )
            self.citations[reference.id] = known
        return marker(known.n)


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
    *,
    language: str,
) -> SectionText:
    """
    Return the Markdown of a section. *key* names it in the warnings, *language* is the newsletter's:

    uncited             a statement without a source
    unsupported_number  a number, date or amount that the text of none of the block's sources has
    quote_changed       a quotation that stands in none of the block's sources
    wrong_language      a text in another language than the newsletter's
    source_label        a label of a source that the model wrote into its text
    unlinked            a link or an address of the model that was removed
    """
    lines: list[str] = []
    found: list[Finding] = []
    written: list[str] = []
    for block in answer.blocks:
        text = inline_text(block.text)
        cited = [references[label] for label in dict.fromkeys(block.refs)]
        if text.is_unlinked:
            found.append(Finding("unlinked", text.plain))
        if not text.markdown:
            continue
        if _has_label(text.plain, references):
            found.append(Finding("source_label", text.plain))
        if block.kind != "subheading" and not cited and needs_references(section.kind):
            found.append(Finding("uncited", text.plain))
        found += _findings(block, text.plain, cited, list(references.values()), language)
        written += [] if block.kind == "quote" else [text.plain]
        markers = "".join(f" {sources.marker(one)}" for one in cited)
        lines += _as_markdown(block.kind, f"{text.markdown}{markers}", lines)
    whole = "\n".join(written)
    # Bullets are too short to be certain about each of them.
    is_known = any(one.code == WRONG_LANGUAGE for one in found)
    if not is_known and is_in_another_language(whole, language):
        found.append(Finding(WRONG_LANGUAGE, whole))
    warnings = [
        EditorWarning(code=one.code, section=key, text=one.text[:LONGEST_SHOWN]) for one in found
    ]
    return SectionText("\n".join(lines).strip(), warnings)


def statements(answer: AnsweredBlocks, references: Mapping[str, Reference]) -> list[Statement]:
    """Return the blocks that cite sources, as they are judged."""
    return [
        Statement(text, tuple(dict.fromkeys(block.refs)))
        for block in answer.blocks
        if set(block.refs) & set(references) and (text := inline_text(block.text).plain)
    ]


def _findings(
    block: Block,
    text: str,
    cited: Sequence[Reference],
    references: Sequence[Reference],
    language: str,
) -> list[Finding]:
    # A subheading stands for the whole section.
    sources = cited or (references if block.kind == "subheading" else ())
    is_quote = block.kind == "quote"
    found = [
        *unsupported_numbers(text, sources, language),
        *changed_quotations(text, sources, is_quote=is_quote),
    ]
    if not is_quote and is_in_another_language(text, language):
        found.append(Finding(WRONG_LANGUAGE, text))
    return found


def _has_label(text: str, labels: Iterable[str]) -> bool:
    """Whether a text shows the label of a source in brackets: labels belong in `refs`."""
    return any(f"{sign}{label}" in text for label in labels for sign in "[(")


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
