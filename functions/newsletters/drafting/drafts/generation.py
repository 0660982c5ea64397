"""
Generates the draft (step 4): the model writes each section of the outline, and the checked texts are joined.

A job may be about some sections only, by key: the others stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from newsletters.drafting import content, prompts
from newsletters.drafting.checks import claims
from newsletters.drafting.drafts.changes import (
    counted,
    drafted_sections,
    replaceable,
    with_generated,
)
from newsletters.drafting.model_calls import Prompt, ask
from newsletters.drafting.plan import FRAME, INTRODUCTION, word_targets
from newsletters.drafting.text import section_text
from newsletters.drafting.text.section_text import AnsweredBlocks, Sources
from newsletters.jobs.claimed_job import Written
from newsletters.jobs.failures import StepFailed
from newsletters.store import companies
from newsletters.store.content.step_inputs import draft_hash
from newsletters.store.items import Citation, Draft, EditorWarning
from newsletters.store.items.item import timestamp
from shared.ai import port as ai
from shared.aws.sqs_fifo import digest
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.jobs.claimed_job import ClaimedJob
    from newsletters.store.items import Metadata, Outline, OutlineSection, Reference

MOST_WARNINGS: Final = 100
OFF_TARGET: Final = 0.25  # of the words of a section
UNJUDGED: Final = frozenset({claims.INVALID, "ai_refused", "output_truncated"})


@dataclass(frozen=True, slots=True)
class PlannedText:
    """A section to be written: its place in the draft, its words, and the sources that it may cite by label."""

    key: str
    section: OutlineSection
    words: int
    references: dict[str, Reference]


@dataclass(frozen=True, slots=True)
class Made:
    """The new texts by key of their section, their warnings and versions of settings, and all sources of the draft."""

    texts: dict[str, str]
    warnings: list[EditorWarning]
    versions: dict[str, int]
    citations: list[Citation]


def generate_draft(work: ClaimedJob) -> bool:
    """
    Write the sections and complete the job; False if it was cancelled. Each section is a unit that is stored.

    Raises StepFailed and Transient like `ask`, and OutOfTime between two sections.
    """
    outline, metadata = work.newsletter.outline, work.newsletter.metadata
    if outline is None or not (planned := planned_texts(metadata, outline)):
        raise StepFailed("draft_invalid")
    before = work.newsletter.draft or _new_draft(work)
    only: list[str] | None = work.job.options.get("sections")
    if only is None:
        written = _whole(work, outline, before, planned)
    else:
        if not set(only) <= replaceable(before, outline):  # people may change it while a job waits
            raise StepFailed("outline_changed")
        written = _parts(work, before, [one for one in planned if one.key in only])
    now = timestamp(clock.now_ms())
    return work.complete(counted(written.model_copy(update={"generated_at": now})))


def _whole(work: ClaimedJob, outline: Outline, before: Draft, planned: list[PlannedText]) -> Draft:
    """Return the draft with new texts only."""
    made, metadata = _made(work, planned, Sources()), work.newsletter.metadata
    keys = [one.key for one in planned]
    introduction = next(
        (one.section.name for one in planned if one.key == INTRODUCTION), "Introduction"
    )
    return before.model_copy(
        update={
            "generated_content": content.joined(metadata.title, introduction, keys, made.texts),
            "sections": made.texts,
            "section_order": keys,
            "section_names": {one.key: one.section.name for one in planned},
            "user_edits": "",
            "has_user_edits": False,
            "has_source_links": True,
            "citations": made.citations,
            "warnings": made.warnings[:MOST_WARNINGS],
            "ai_versions": made.versions or None,
            "inputs_hash": draft_hash(metadata, outline),
        }
    )


def _parts(work: ClaimedJob, before: Draft, planned: list[PlannedText]) -> Draft:
    """
    Return the draft with new texts of some sections. The others keep their text, warnings and numbers of sources, and
    the draft the hash of its inputs: it is as outdated as before.
    """
    made = _made(work, planned, Sources({one.chunk_id: one for one in before.citations}))
    others = [one for one in before.warnings if one.section not in made.texts]
    stay = {key: one for key, one in (before.ai_versions or {}).items() if key not in made.texts}
    return with_generated(before, made.texts).model_copy(
        update={
            "citations": made.citations,
            "warnings": [*others, *made.warnings][:MOST_WARNINGS],
            "ai_versions": {**stay, **made.versions} or None,
        }
    )


def _made(work: ClaimedJob, planned: list[PlannedText], sources: Sources) -> Made:
    """Have the model write the planned sections. New sources get numbers behind those of *sources*."""
    metadata = work.newsletter.metadata
    settings = companies.get_settings(work.resources.store.table, metadata.company_id)
    checks_claims = settings is not None and settings.check_claims
    work.begin(len(planned) * (1 + checks_claims), "writing")
    answers = [
        _answer(work, one, number, f"writing section {number + 1} of {len(planned)}")
        for number, one in enumerate(planned)
    ]
    warnings: list[EditorWarning] = []
    texts: dict[str, str] = {}
    for number, (one, answer) in enumerate(zip(planned, answers, strict=True)):
        text = section_text.rendered(
            one.key, one.section, answer, one.references, sources, language=metadata.language
        )
        texts[one.key] = content.section_markdown(one.key, one.section.name, text.markdown)
        warnings += [*text.warnings, *length_warnings(one, text.markdown)]
        if checks_claims:
            warnings += _judged(work, one, answer, len(planned) + number)
    versions = {
        one.key: version
        for number, one in enumerate(planned)
        if (version := work.version_of(number)) is not None
    }
    return Made(texts, warnings, versions, list(sources.citations.values()))


def planned_texts(metadata: Metadata, outline: Outline) -> list[PlannedText]:
    """Return the sections of an outline that are to be written; none if only introduction and conclusion are left."""
    sections = drafted_sections(outline)
    if all(section.kind in FRAME for section in sections):
        return []
    known = {reference.id: reference for reference in outline.references}
    used = [
        one
        for section in sections
        for item in section.items
        if item.included
        for one in item.rag_reference_ids
        if one in known
    ]
    labels = {one: f"c{number:02d}" for number, one in enumerate(dict.fromkeys(used), start=1)}
    targets = word_targets(metadata, [section.kind for section in sections])
    return [
        PlannedText(
            key,
            section,
            words,
            {labels[one]: known[one] for one in _cited_in(section, list(labels)) if one in labels},
        )
        for key, section, words in zip(
            content.section_keys(sections), sections, targets, strict=True
        )
    ]


def _cited_in(section: OutlineSection, all_used: list[str]) -> list[str]:
    """Return the sources of a section; introduction and conclusion may cite the sources of all sections."""
    if section.kind in FRAME:
        return all_used
    cited = [one for item in section.items if item.included for one in item.rag_reference_ids]
    return list(dict.fromkeys(cited))


def _answer(work: ClaimedJob, planned: PlannedText, number: int, doing: str) -> AnsweredBlocks:
    """Return the model's answer for one section."""
    metadata, references = work.newsletter.metadata, planned.references
    prompt = section_prompt(metadata, planned)

    def asked() -> Written:
        found = ask(work.resources, metadata.company_id, prompt)
        return found.written(found.answer.model_dump_json())

    # The ids, too: a label must lead to the source that the model has read under it.
    inputs_hash = digest(prompt.content, *(one.id for one in references.values()))
    return section_text.parsed(work.run_unit(number, inputs_hash, doing, asked), references)


def section_prompt(metadata: Metadata, planned: PlannedText) -> Prompt[AnsweredBlocks]:
    """Return what the model is asked for a section."""
    references = planned.references
    return Prompt(
        system=prompts.SECTION_SYSTEM,
        content=prompts.section_content(metadata, planned.section, references, planned.words),
        schema=prompts.section_schema(references),
        parse=lambda text: section_text.parsed(text, references),
        failure="draft_invalid",
    )


def _judged(
    work: ClaimedJob, planned: PlannedText, answer: AnsweredBlocks, number: int
) -> list[EditorWarning]:
    """Return the warnings of the check of a section's claims, a unit of its own."""
    statements = section_text.statements(answer, planned.references)
    if not statements:
        return []
    metadata = work.newsletter.metadata
    prompt = claims.prompt(metadata.language, statements, planned.references)

    def asked() -> Written:
        try:
            found = ask(work.resources, metadata.company_id, prompt)
            return found.written(found.answer.model_dump_json())
        except StepFailed as failure:
            if failure.code not in UNJUDGED:
                raise
            # The written text is not lost for its check: a warning says that there was none.
            unjudged = claims.AnsweredVerdicts(verdicts=None)
            return Written(unjudged.model_dump_json(), ai.Usage(), None)

    result = work.run_unit(
        number, digest(prompt.content), f"checking {planned.section.name}", asked
    )
    verdicts = claims.AnsweredVerdicts.model_validate_json(result)
    return claims.warnings_of(planned.key, verdicts, statements, planned.references)


def length_warnings(planned: PlannedText, markdown: str) -> list[EditorWarning]:
    """Return a warning if a section has over a quarter of its planned words too many, or too few."""
    words = content.word_count(markdown)
    if abs(words - planned.words) <= OFF_TARGET * planned.words:
        return []
    text = f"{words} words, {planned.words} planned"
    return [EditorWarning(code="length_off_target", section=planned.key, text=text)]


def _new_draft(work: ClaimedJob) -> Draft:
    return Draft(**Draft.key(work.newsletter.code), updated_at=timestamp(clock.now_ms()))
