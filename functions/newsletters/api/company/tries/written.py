"""A newsletter that does not exist: what a try or a scenario is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self

from pydantic import Field, model_validator

from newsletters.api import inputs
from newsletters.drafting.outlines.changes import reference_of
from newsletters.drafting.retrieval.catalogue import MOST_CHUNKS, selected_names
from newsletters.drafting.tone import PRESETS
from newsletters.store.content.newsletters import Newsletter
from newsletters.store.items import (
    Chunk,
    ChunkMetadata,
    CustomTopic,
    Metadata,
    OutlineItem,
    OutlineSection,
    Topics,
)
from shared.api.models.inputs import Input
from shared.runtime.validation import patterns

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_PASSAGE: Final = 2_000  # characters, as of a retrieved one
MOST_ITEMS: Final = 20
DEFAULT_WORDS: Final = 150
SECTION: Final = "section-1"
_CODE: Final = "NL-19700101-TRY0"
_SOURCE: Final = "written"
_DAY: Final = patterns.worded(
    r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$", "must be empty, or a date such as 2026-02-28"
)

_CONFIGURED: Final = (
    "title", "description", "language", "target_audience", "length_preference", "frequency", "geographic_focus",
)  # fmt: skip

type Step = Literal["topics", "outline", "section"]


class WrittenPassage(Input):
    """A passage of a document that does not exist. *topic*: the information type or own topic that found it."""

    topic: str = Field(max_length=60)
    title: str = Field(default="", max_length=300)
    date: str = Field(default="", pattern=_DAY)
    url: str = Field(default="", max_length=2_000)
    text: str = Field(min_length=1, max_length=LONGEST_PASSAGE)


class WrittenItem(Input):
    """An item of a section. *passages* are the numbers, from 1, of the passages that it reports."""

    title: inputs.Title
    description: str = Field(default="", max_length=500)
    notes: inputs.Notes = ""
    passages: list[Annotated[int, Field(ge=1)]] = Field(default_factory=list)


class WrittenSection(Input):
    """A section of an outline, which is to be written in about *words* words."""

    name: inputs.SectionName
    kind: Literal["updates", "main", "opportunities", "resources"] = "main"
    words: int = Field(default=DEFAULT_WORDS, ge=20, le=2_000)
    items: list[WrittenItem] = Field(min_length=1, max_length=MOST_ITEMS)


class WrittenNewsletter(Input):
    """
    A newsletter, with what its step needs: *selected_types* for `topics`, *passages* for `outline`, both *passages* and
    *section* for `section`.
    """

    title: inputs.Title = "Newsletter"
    description: inputs.Description = ""
    language: inputs.Language = "en"
    target_audience: inputs.Audience = Field(default_factory=list)
    tone_preset: inputs.Preset = "industry_insight"
    length_preference: inputs.Length = "standard"
    frequency: inputs.Frequency = "weekly"
    geographic_focus: inputs.Region = ""
    selected_types: list[str] = Field(default_factory=list, max_length=inputs.MOST_TYPES)
    custom_topics: Annotated[
        list[inputs.CustomTopicInput], Field(max_length=inputs.MOST_CUSTOM)
    ] = Field(default_factory=list)
    passages: list[WrittenPassage] = Field(default_factory=list, max_length=MOST_CHUNKS)
    section: WrittenSection | None = None

    @model_validator(mode="after")
    def _names_what_there_is(self) -> Self:
        if "" in self._named(self.selected_types):
            raise ValueError("selected_types must be information types or own topics")
        if "" in self._named([one.topic for one in self.passages]):
            raise ValueError("passages must have information types or own topics")
        items = self.section.items if self.section else []
        if any(number > len(self.passages) for item in items for number in item.passages):
            raise ValueError("section.items.passages must be numbers of passages")
        return self

    def _named(self, words: Sequence[str]) -> list[str]:
        return selected_names(words, [one.name for one in self.custom_topics])

    @property
    def words(self) -> int | None:
        """The words of its section; None without one."""
        return self.section.words if self.section else None

    def missing_for(self, step: Step) -> str | None:
        """Return the field that a step needs and that is missing."""
        if step == "topics":
            return None if self.selected_types else "selected_types"
        if not self.passages:
            return "passages"
        return "section" if step == "section" and self.section is None else None

    def as_newsletter(self, company_id: str) -> Newsletter:
        """Return the newsletter of a company, with its topics and, with a section, its outline."""
        topics = self._topics()
        outline = None
        if self.section is not None:
            from newsletters.drafting.outlines.generation import new_outline  # noqa: PLC0415 - loads what calls models

            ids = [one.chunk_id for one in topics.retrieved_content]
            section = _section(self.section, ids)
            references = [reference_of(one) for one in topics.retrieved_content]
            update = {"sections": [section], "references": references}
            outline = new_outline(_CODE).model_copy(update=update)
        return Newsletter(metadata=self._metadata(company_id), topics=topics, outline=outline)

    def _metadata(self, company_id: str) -> Metadata:
        professional, technical = PRESETS[self.tone_preset]
        fields: dict[str, Any] = {name: getattr(self, name) for name in _CONFIGURED}
        empty = dict.fromkeys(("GSI1PK", "GSI1SK", "id", "user_id", "created_at", "updated_at"), "")
        return Metadata(
            **Metadata.key(_CODE),
            **empty,
            **fields,
            newsletterCode=_CODE,
            company_id=company_id,
            tone_professional=professional,
            tone_technical=technical,
        )

    def _topics(self) -> Topics:
        names = self._named([one.topic for one in self.passages])
        chunks = [
            Chunk(
                topic=name,
                source=_SOURCE,
                score=1,
                content=one.text,
                metadata=ChunkMetadata(url=one.url, date=one.date),
                chunk_id=f"chunk-{number:012x}",
                title=one.title,
            )
            for number, (one, name) in enumerate(zip(self.passages, names, strict=True), start=1)
        ]
        custom = [CustomTopic(name=x.name, query=x.query, kind=x.kind) for x in self.custom_topics]
        return Topics(
            **Topics.key(_CODE),
            updated_at="",
            selected_types=self._named(self.selected_types),
            custom_topics=custom,
            retrieved_content=chunks,
            total_chunks_retrieved=len(chunks),
        )


def _section(given: WrittenSection, ids: Sequence[str]) -> OutlineSection:
    items = [
        _item(f"item-1-{number}", one, [ids[place - 1] for place in dict.fromkeys(one.passages)])
        for number, one in enumerate(given.items, start=1)
    ]
    return OutlineSection(id=SECTION, name=given.name, order=1, items=items, kind=given.kind)


def _item(item_id: str, given: WrittenItem, references: list[str]) -> OutlineItem:
    return OutlineItem(
        id=item_id,
        title=given.title,
        description=given.description,
        user_notes=given.notes,
        source="rag_content" if references else "ai_generated",
        rag_reference_ids=references,
    )
