"""Generates the outline (step 3): plans the sections, has the model fill them, and keeps people's changes."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Final, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from newsletters.drafting import prompts
from newsletters.drafting.checks import outline_texts
from newsletters.drafting.model_calls import Prompt, ask, problem_of
from newsletters.drafting.outlines import changes as outline_changes
from newsletters.drafting.plan import plan_of
from newsletters.drafting.retrieval.catalogue import kind_of
from newsletters.drafting.text.inline_text import inline_text, one_line
from newsletters.jobs.failures import StepFailed
from newsletters.store.content.step_inputs import outline_hash
from newsletters.store.items import Outline, OutlineItem, OutlineSection, Reference
from newsletters.store.items.item import timestamp
from shared.ai.calls.model_calls import AnswerInvalid
from shared.aws.sqs_fifo import digest
from shared.runtime import clock
from shared.runtime.validation.validation_errors import errors_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsletters.drafting.plan import PlannedSection
    from newsletters.drafting.prompts import Labelled
    from newsletters.jobs.claimed_job import ClaimedJob, Written
    from newsletters.store.items import Metadata, Topics

LONGEST_TITLE: Final = 200
LONGEST_DESCRIPTION: Final = 500


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)


class AnsweredItem(_Answer):
    """An item of the model's answer."""

    title: Annotated[str, Field(min_length=1, max_length=LONGEST_TITLE, repr=False)]
    description: Annotated[str, Field(max_length=LONGEST_DESCRIPTION, repr=False)]
    refs: list[str] = Field(default_factory=list)


class AnsweredSection(_Answer):
    """A section of the model's answer."""

    name: Annotated[str, Field(min_length=1, max_length=100, repr=False)]
    items: list[AnsweredItem]


@dataclass(frozen=True, slots=True)
class OutlineWork:
    """What an outline is to be generated from: the *plan* of its sections, and the items that are *kept*."""

    metadata: Metadata
    topics: Topics
    outline: Outline
    plan: Sequence[PlannedSection]
    passages: Sequence[Labelled]
    kept: Sequence[tuple[str, OutlineItem]]

    @classmethod
    def of(cls, metadata: Metadata, topics: Topics, outline: Outline) -> Self:
        """Return the work on the outline of a newsletter with its passages."""
        plan = plan_of(metadata, topics)
        passages = _passages(topics, plan)
        kept = outline_changes.kept_items(outline)
        # Nothing new may be left to plan beside them. Of a removed item the section is not known any more.
        settled = (
            {kind for kind, _ in kept} if not outline.removed_items else {one.kind for one in plan}
        )
        plan = [replace(one, fewest=0) if one.kind in settled else one for one in plan]
        return cls(metadata, topics, outline, plan, passages, kept)

    @property
    def prompt(self) -> Prompt[dict[str, AnsweredSection]]:
        """What the model is asked."""
        content = prompts.outline_content(
            self.metadata,
            self.plan,
            self.passages,
            keep=[item for _, item in self.kept],
            avoid=self.outline.removed_items,
        )
        return Prompt(
            system=prompts.OUTLINE_SYSTEM,
            content=content,
            schema=prompts.outline_schema(self.plan, self.passages),
            parse=lambda text: parsed(text, self.plan, self.passages),
            failure="outline_invalid",
        )

    def made(self, answer: dict[str, AnsweredSection]) -> Outline:
        """Return the outline with the sections of an answer, its references, and its warnings."""
        language = self.metadata.language
        generated = _sections(self.outline, self.plan, answer, self.passages, language)
        changed = outline_changes.regenerated(self.outline, generated, self.kept)
        references = _references(changed, self.topics, self.outline)
        warnings = outline_texts.warnings_of(
            changed.sections, _written(generated, answer, self.plan), references, language
        )
        return changed.model_copy(update={"references": references, "warnings": warnings})


def generate_outline(work: ClaimedJob) -> bool:
    """
    Generate the outline and complete the job; False if it was cancelled.

    Items that people added or edited stay in the section of their kind, and removed ones do not come back. Raises
    StepFailed and Transient like `ask`.
    """
    topics, metadata = work.newsletter.topics, work.newsletter.metadata
    if topics is None or not topics.has_content:
        raise StepFailed("no_results")
    present = work.newsletter.outline or new_outline(work.newsletter.code)
    planned = OutlineWork.of(metadata, topics, present)
    prompt = planned.prompt

    def asked() -> Written:
        found = ask(work.resources, metadata.company_id, prompt)
        return found.written(
            json.dumps({kind: one.model_dump() for kind, one in found.answer.items()})
        )

    work.begin(1, "planning the sections")
    inputs_hash = digest(prompt.content, *(one.id for one in planned.passages))
    result = work.run_unit(0, inputs_hash, "planning the sections", asked)
    final = planned.made(parsed(result, planned.plan, planned.passages)).model_copy(
        update={
            "generated_at": timestamp(clock.now_ms()),
            "ai_version": work.version_of(0),
            "inputs_hash": outline_hash(metadata, topics),
        }
    )
    return work.complete(final)


def parsed(
    text: str, plan: Sequence[PlannedSection], passages: Sequence[Labelled]
) -> dict[str, AnsweredSection]:
    """Return the model's sections by kind, checked by the plan and the passages. Raises AnswerInvalid."""
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError):
        raise AnswerInvalid(problems=["the answer must be one JSON object"]) from None
    kinds = [one.kind for one in plan]
    if not isinstance(raw, dict) or set(raw) != set(kinds):
        raise AnswerInvalid(
            problems=[f"the answer must have exactly the sections {', '.join(kinds)}"]
        )
    sections: dict[str, AnsweredSection] = {}
    problems: list[str] = []
    for planned in plan:
        try:
            section = AnsweredSection.model_validate(raw[planned.kind])
        except ValidationError as refusal:
            problems.append(f"{planned.kind}.{problem_of(errors_of(refusal)[0])}")
            continue
        problems += _broken_rules(planned, section, passages)
        sections[planned.kind] = section
    if problems:
        raise AnswerInvalid(problems=problems[:20])
    return sections


def _broken_rules(
    planned: PlannedSection, section: AnsweredSection, passages: Sequence[Labelled]
) -> list[str]:
    labels = {one.label for one in passages if one.kind == planned.kind}
    problems: list[str] = []
    if not _line(section.name):
        problems.append(f"{planned.kind}: needs a name")
    if len(section.items) < planned.fewest:
        problems.append(f"{planned.kind}: at least {planned.fewest} item")
    if len(section.items) > planned.items:
        problems.append(f"{planned.kind}: at most {planned.items} items")
    for number, item in enumerate(section.items, start=1):
        if not set(item.refs) <= labels:
            problems.append(f"{planned.kind}: item {number} has a label that is not of its section")
        if prompts.needs_references(planned.kind) and not item.refs:
            problems.append(f"{planned.kind}: item {number} needs a label in refs")
        if not _line(item.title):
            problems.append(f"{planned.kind}: item {number} needs a title")
    return problems


def _text(text: str) -> str:
    """Return a text without addresses, as the API takes it: people send the outline back with their changes."""
    found = inline_text(text)
    return unicodedata.normalize("NFC", found.plain if found.is_unlinked else one_line(text))


def _line(text: str) -> str:
    return " ".join(_text(text).split())


def _passages(topics: Topics, plan: Sequence[PlannedSection]) -> list[Labelled]:
    kinds = {one.kind for one in plan}
    pairs = [
        (kind, chunk)
        for chunk in topics.retrieved_content
        if (kind := kind_of(chunk.topic, topics.custom_topics)) in kinds
    ]
    return prompts.labelled(pairs)


def _sections(
    outline: Outline,
    plan: Sequence[PlannedSection],
    answer: dict[str, AnsweredSection],
    passages: Sequence[Labelled],
    language: str,
) -> list[OutlineSection]:
    """Return the answered sections with ids that were never used before."""
    id_of = {one.label: one.id for one in passages}
    sections: list[OutlineSection] = []
    for order, planned in enumerate(plan, start=1):
        section, number = answer[planned.kind], outline.last_section + order
        is_english = language.split("-", maxsplit=1)[0].casefold() == "en"
        items = [
            _item(f"item-{number}-{position}", item, [id_of[label] for label in item.refs])
            for position, item in enumerate(section.items, start=1)
        ]
        sections.append(
            OutlineSection(
                id=f"section-{number}",
                name=planned.name if is_english else _line(section.name),
                order=order,
                items=items,
                kind=planned.kind,
            )
        )
    return sections


def _written(
    generated: Sequence[OutlineSection],
    answer: dict[str, AnsweredSection],
    plan: Sequence[PlannedSection],
) -> dict[str, bool]:
    """Return the ids of the model's items, and whether an address was removed from their texts."""
    return {
        item.id: any(inline_text(one).is_unlinked for one in (answered.title, answered.description))
        for planned, section in zip(plan, generated, strict=True)
        for item, answered in zip(section.items, answer[planned.kind].items, strict=True)
    }


def _item(item_id: str, answered: AnsweredItem, references: list[str]) -> OutlineItem:
    distinct = list(dict.fromkeys(references))
    return OutlineItem(
        id=item_id,
        title=_line(answered.title),
        description=_text(answered.description),
        source="rag_content" if distinct else "ai_generated",
        rag_reference_id=distinct[0] if distinct else None,
        rag_reference_ids=distinct,
    )


def _references(changed: Outline, topics: Topics, before: Outline) -> list[Reference]:
    """Return the cited passages: as retrieved now, or as an earlier outline kept them."""
    known = {reference.id: reference for reference in before.references}
    known |= {
        chunk.chunk_id: outline_changes.reference_of(chunk) for chunk in topics.retrieved_content
    }
    cited = [
        one
        for section in changed.sections
        for item in section.items
        for one in item.rag_reference_ids
    ]
    return [known[one] for one in dict.fromkeys(cited) if one in known]


def new_outline(code: str) -> Outline:
    """Return the outline of a newsletter that has none."""
    return Outline(**Outline.key(code), updated_at=timestamp(clock.now_ms()))
