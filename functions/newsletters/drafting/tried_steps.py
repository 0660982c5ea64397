"""
Runs a step of a newsletter with a model, in memory: what the worker asks, makes and checks. Nothing is stored.

Each finding of a check has a severity: a `warning` may mislead readers, a `note` does not.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal

from newsletters.drafting import content
from newsletters.drafting.checks import claims
from newsletters.drafting.drafts.generation import (
    UNJUDGED,
    length_warnings,
    planned_texts,
    section_prompt,
)
from newsletters.drafting.model_calls import answer_of
from newsletters.drafting.outlines.changes import reference_of
from newsletters.drafting.outlines.generation import OutlineWork, new_outline
from newsletters.drafting.text import section_text
from newsletters.drafting.text.section_text import Sources
from newsletters.jobs.failures import StepFailed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsletters.drafting.drafts.generation import PlannedText
    from newsletters.drafting.text.section_text import AnsweredBlocks
    from newsletters.store.content.newsletters import Newsletter
    from newsletters.store.items import EditorWarning, Outline, Reference
    from shared.ai.calls.model_calls import ModelCalls
    from shared.ai.settings import ModelSettings

type TriedStep = Literal["outline", "section"]
type Severity = Literal["warning", "note"]

NO_SUCH_SECTION: Final = "no_such_section"
_NOTES: Final = frozenset({"length_off_target", claims.UNCHECKED})


class NoSection(Exception):
    """The outline has no such section with items to write."""


def severity_of(code: str) -> Severity:
    """Return how much a finding matters."""
    return "note" if code in _NOTES else "warning"


@dataclass(frozen=True, slots=True)
class Made:
    """What a step has made: its *text* in Markdown, the findings of the checks, and the passages that it cites."""

    text: str = field(repr=False)
    warnings: Sequence[EditorWarning] = field(repr=False)
    cited: Sequence[Reference] = field(repr=False)


@dataclass(frozen=True, slots=True)
class StepWork:
    """
    A step of a *newsletter* with the model *configured*. *section* is the id of the outline's section to write, *words*
    its length, by default as planned. With *checks_claims* the model judges the section's statements.
    """

    newsletter: Newsletter
    step: TriedStep
    configured: ModelSettings
    checks_claims: bool = False
    section: str | None = None
    words: int | None = None

    @property
    def passages(self) -> Sequence[Reference]:
        """The passages that the model reads. Raises StepFailed (`no_results`) and NoSection."""
        if self.step == "section":
            return list(self._planned().references.values())
        work = self._outline_work()
        read = {one.id for one in work.passages}
        return [reference_of(one) for one in work.topics.retrieved_content if one.chunk_id in read]

    def made(self, calls: ModelCalls) -> Made:
        """Return what the step makes. Raises NoSection, and as `answer_of`; `no_results` without passages."""
        return self._outline(calls) if self.step == "outline" else self._section(calls)

    def _outline_work(self) -> OutlineWork:
        topics, outline = self.newsletter.topics, self.newsletter.outline
        if topics is None or not topics.has_content:
            raise StepFailed("no_results")
        present = outline or new_outline(self.newsletter.code)
        return OutlineWork.of(self.newsletter.metadata, topics, present)

    def _outline(self, calls: ModelCalls) -> Made:
        work = self._outline_work()
        made = work.made(answer_of(calls, self.configured, work.prompt))
        return Made(_text_of(made), made.warnings, made.references)

    def _planned(self) -> PlannedText:
        outline = self.newsletter.outline
        planned = planned_texts(self.newsletter.metadata, outline) if outline else []
        found = next((one for one in planned if one.section.id == self.section), None)
        if found is None:
            raise NoSection(NO_SUCH_SECTION)
        return found if self.words is None else replace(found, words=self.words)

    def _section(self, calls: ModelCalls) -> Made:
        planned, metadata = self._planned(), self.newsletter.metadata
        answer = answer_of(calls, self.configured, section_prompt(metadata, planned))
        sources = Sources()
        text = section_text.rendered(
            planned.key,
            planned.section,
            answer,
            planned.references,
            sources,
            language=metadata.language,
        )
        warnings = [*text.warnings, *length_warnings(planned, text.markdown)]
        if self.checks_claims:
            warnings += self._judged(calls, planned, answer)
        cited = [one for one in planned.references.values() if one.id in sources.citations]
        shown = content.section_markdown(planned.key, planned.section.name, text.markdown)
        return Made(shown, warnings, cited)

    def _judged(
        self, calls: ModelCalls, planned: PlannedText, answer: AnsweredBlocks
    ) -> list[EditorWarning]:
        references = planned.references
        statements = section_text.statements(answer, references)
        if not statements:
            return []
        prompt = claims.prompt(self.newsletter.metadata.language, statements, references)
        try:
            verdicts = answer_of(calls, self.configured, prompt)
        except StepFailed as failure:
            if failure.code not in UNJUDGED:
                raise
            verdicts = claims.AnsweredVerdicts(verdicts=None)
        return claims.warnings_of(planned.key, verdicts, statements, references)


def _text_of(outline: Outline) -> str:
    """Return an outline as Markdown: its sections, with the titles and descriptions of their items."""
    lines: list[str] = []
    for section in outline.sections:
        lines += [f"## {section.name}", ""]
        lines += [f"- **{item.title}** {item.description}".rstrip() for item in section.items]
        lines.append("")
    return "\n".join(lines).strip()
