"""Answers of the scripted model, checked by the rules of outlines and sections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from local.sandbox.providers.openai import schema_answers
from newsletters.drafting import prompts
from newsletters.drafting.outlines import generation as outline_generation
from newsletters.drafting.plan import plan_of
from newsletters.drafting.text import section_text
from newsletters.drafting.text.section_text import Sources
from tests.unit.newsletters.drafting.samples import chunk, metadata, topics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from local.scripted_model.answer import ScriptedAnswer
    from newsletters.drafting.outlines.generation import AnsweredSection
    from newsletters.drafting.prompts import Labelled
    from newsletters.store.items import OutlineItem, OutlineSection, Reference

TYPES = ("Policy Updates", "Research Findings", "Funding Opportunities", "Publications & Resources")
KINDS = ("updates", "main", "opportunities", "resources")


def answered(name: str, content: str, later: Sequence[str] = ()) -> ScriptedAnswer:
    answer = schema_answers.answer(name, [content, *later])
    assert answer is not None
    return answer


def labelled(passages: Sequence[tuple[str, str, str]]) -> list[Labelled]:
    return prompts.labelled(
        [
            (kind, chunk(f"chunk-{number}", text, title=title))
            for number, (kind, text, title) in enumerate(passages)
        ]
    )


def outline(
    passages: Sequence[Labelled],
    *,
    language: str = "en",
    description: str = "",
    length: str = "standard",
    keep: Sequence[OutlineItem] = (),
    avoid: Sequence[OutlineItem] = (),
    later: Sequence[str] = (),
) -> dict[str, AnsweredSection]:
    """Return the checked answer. Raises AnswerInvalid."""
    newsletter = metadata(language=language, description=description, length_preference=length)
    types = [TYPES[KINDS.index(one.kind)] for one in passages]
    plan = plan_of(newsletter, topics(*types))
    known = [one for one in passages if one.kind in {planned.kind for planned in plan}]
    content = prompts.outline_content(newsletter, plan, known, keep=keep, avoid=avoid)
    answer = answered(prompts.OUTLINE, content, later)
    return outline_generation.parsed(answer.text, plan, known)


def written(
    one: OutlineSection,
    references: dict[str, Reference],
    *,
    words: int = 300,
    language: str = "en",
    description: str = "",
    later: Sequence[str] = (),
) -> section_text.SectionText:
    """Return the rendered answer. Raises AnswerInvalid."""
    newsletter = metadata(language=language, description=description)
    content = prompts.section_content(newsletter, one, references, words)
    answer = answered(prompts.SECTION, content, later)
    blocks = section_text.parsed(answer.text, references)
    return section_text.rendered("main", one, blocks, references, Sources(), language=language)
