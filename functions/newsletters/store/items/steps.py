"""TOPICS, OUTLINE and DRAFT: the steps of a newsletter."""

from __future__ import annotations

from abc import abstractmethod
from enum import StrEnum
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from newsletters.store.items.item import TableItem


class StepStatus(StrEnum):
    """
    The status of a step.

        pending, completed, failed --start--> processing --> completed | failed
    """

    PENDING = "pending"
    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"


class Part(BaseModel):
    """Part of an item; attributes of a newer version are kept."""

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)


class StepItem(TableItem):
    """
    The attributes of all three steps; *prefix* begins the contract's names of status, times and error.

    *version* grows with every write of content. While a job works on the step, *job_id* names it and *deadline_ms*
    (since 1970) is when it counts as failed. *inputs_hash* is the hash of the content's inputs. *spilled* has, by
    attribute, pointers to values that are too large for the item, which holds them shortened. *ai_cost_micros*: what
    the models of all finished jobs of the step have cost in micro-dollars, as far as their prices are known.
    """

    partition: ClassVar[str] = "NEWSLETTER#{newsletter_code}"
    prefix: ClassVar[str]

    updated_at: str
    version: int = 0
    job_id: str | None = None
    deadline_ms: int | None = None
    error_code: str | None = None
    inputs_hash: str | None = None
    spilled: dict[str, dict[str, Any]] = Field(default_factory=dict, repr=False)
    ai_cost_micros: int | None = None

    @property
    def step_status(self) -> StepStatus:
        """The stored status."""
        return StepStatus(getattr(self, f"{self.prefix}_status"))

    @property
    def step_error(self) -> str | None:
        """The stored error: a fixed sentence."""
        error: str | None = getattr(self, f"{self.prefix}_error")
        return error

    @property
    @abstractmethod
    def has_content(self) -> bool:
        """Whether the step has ever been generated or written."""

    def with_status(self, status: StepStatus, **times_and_error: str | None) -> dict[str, Any]:
        """Return changes under the step's own names: `started_at`, `completed_at` and `error`."""
        named = {f"{self.prefix}_{name}": value for name, value in times_and_error.items()}
        return {f"{self.prefix}_status": status, **named}


class ChunkMetadata(Part):
    """Source of a passage; *url* is empty without a public address, *date* is `YYYY-MM-DD` or empty."""

    url: str = Field(default="", repr=False)
    date: str = ""


class Chunk(Part):
    """A retrieved passage, at most 2,000 characters. *topic* is the display name of the type that found it."""

    topic: str
    source: str
    score: float
    content: str = Field(repr=False)
    metadata: ChunkMetadata = Field(default_factory=ChunkMetadata)
    chunk_id: str
    title: str = Field(default="", repr=False)
    uri: str = Field(default="", repr=False)


class CustomTopic(Part):
    """A custom topic, searched by *query*."""

    name: str
    query: str = Field(repr=False)
    kind: Literal["updates", "main", "opportunities", "resources"] = "main"


class QueryRecord(Part):
    """The query for a type: the number of hits, the window in days (0: none), and whether it was widened."""

    type: str
    query: str = Field(repr=False)
    hits: int
    window_days: int
    widened: bool = False


class Topics(StepItem):
    """Step 2: the selected types, and the passages that were retrieved for them."""

    sort: ClassVar[str] = "TOPICS"
    prefix: ClassVar[str] = "retrieval"
    nullable: ClassVar[frozenset[str]] = frozenset({"retrieval_error"})

    selected_types: list[str] = Field(default_factory=list)
    retrieval_status: StepStatus = StepStatus.PENDING
    retrieval_started_at: str | None = None
    retrieval_completed_at: str | None = None
    retrieval_error: str | None = None
    retrieved_content: list[Chunk] = Field(default_factory=list)
    total_chunks_retrieved: int = 0
    custom_topics: list[CustomTopic] = Field(default_factory=list)
    queries: list[QueryRecord] = Field(default_factory=list)

    @property
    def has_content(self) -> bool:
        """Whether passages have been retrieved."""
        return bool(self.retrieved_content)


class OutlineItem(Part):
    """
    One item of a section. *source* tells what its text is made from: `rag_content` if it has references.

    An item that is not *included* is kept, but not drafted. *custom* items were added by a person.
    """

    id: str
    title: str = Field(repr=False)
    description: str = Field(default="", repr=False)
    editable: bool = True
    source: Literal["ai_generated", "rag_content"] = "ai_generated"
    rag_reference_id: str | None = None
    rag_reference_ids: list[str] = Field(default_factory=list)
    included: bool = True
    custom: bool = False
    user_notes: str = Field(default="", repr=False)


class OutlineSection(Part):
    """A section of the outline; *order* counts from 1, *kind* is the kind of the planned section."""

    id: str
    name: str = Field(repr=False)
    order: int
    items: list[OutlineItem] = Field(default_factory=list)
    kind: str = "main"


class Reference(Part):
    """A cited passage, kept so that it stays valid after a new retrieval."""

    id: str
    title: str = Field(default="", repr=False)
    url: str = Field(default="", repr=False)
    date: str = ""
    text: str = Field(repr=False)


class EditorWarning(Part):
    """
    A remark for the editor: *code*, the key of the section, the outline's *item*, and the text it is about.

    *reference* is the id of the passage to compare it with, *passage* the part of it that concerns the text.
    """

    code: str
    section: str = ""
    item: str = ""
    text: str = Field(default="", repr=False)
    reference: str = ""
    passage: str = Field(default="", repr=False)


class UserModifications(Part):
    """Ids of the items that people added, removed or edited since the outline was generated."""

    items_added: list[str] = Field(default_factory=list)
    items_removed: list[str] = Field(default_factory=list)
    items_edited: list[str] = Field(default_factory=list)


class Outline(StepItem):
    """
    Step 3. *generated_items* are hashes of the items as generated, by id. *removed_items* are generated ones that
    people removed. *last_section* and *last_custom* number sections and items for good. *warnings* are about the texts
    and sources of its items. *ai_version* is the version of the company's settings with which it was generated.
    """

    sort: ClassVar[str] = "OUTLINE"
    prefix: ClassVar[str] = "outline"
    nullable: ClassVar[frozenset[str]] = frozenset({"outline_error"})

    outline_status: StepStatus = StepStatus.PENDING
    outline_started_at: str | None = None
    outline_completed_at: str | None = None
    outline_error: str | None = None
    sections: list[OutlineSection] = Field(default_factory=list)
    user_modifications: UserModifications = Field(default_factory=UserModifications)
    generated_at: str | None = None
    ai_version: int | None = None
    references: list[Reference] = Field(default_factory=list)
    generated_items: dict[str, str] = Field(default_factory=dict)
    removed_items: list[OutlineItem] = Field(default_factory=list)
    last_section: int = 0
    last_custom: int = 0
    warnings: list[EditorWarning] = Field(default_factory=list)

    @property
    def has_content(self) -> bool:
        """Whether the outline has sections."""
        return bool(self.sections)


class Citation(Part):
    """A source of the draft; *n* is its number in the text."""

    n: int
    chunk_id: str
    title: str = Field(default="", repr=False)
    url: str = Field(default="", repr=False)
    date: str = ""


class Export(Part):
    """
    An exported file. *content_hash* is the hash of the exported content. *section_bytes* has the size of each section,
    by its heading, if the file is a mail that mail programs clip.
    """

    s3_key: str = Field(repr=False)
    generated_at: str
    file_size: int  # bytes
    sha256: str = ""
    content_hash: str = ""
    warnings: list[str] = Field(default_factory=list)
    section_bytes: dict[str, int] = Field(default_factory=dict, repr=False)


class Draft(StepItem):
    """
    Step 4. *sections* maps the key of each section to its Markdown, *generated_content* is the whole text.

    *user_edits* replaces it if *has_user_edits*. *section_order* has the keys in their order, *section_names* the
    headings by key, *ai_versions* the versions of the company's settings with which the model wrote them. With
    *has_source_links* markers of sources are links `[[n]](#source-n)`; without, the draft is of an earlier release, see
    `earlier_sources`.
    """

    sort: ClassVar[str] = "DRAFT"
    prefix: ClassVar[str] = "draft"
    nullable: ClassVar[frozenset[str]] = frozenset({"draft_error"})

    draft_status: StepStatus = StepStatus.PENDING
    draft_started_at: str | None = None
    draft_completed_at: str | None = None
    draft_error: str | None = None
    generated_content: str = Field(default="", repr=False)
    sections: dict[str, str] = Field(default_factory=dict, repr=False)
    user_edits: str = Field(default="", repr=False)
    has_user_edits: bool = False
    word_count: int = 0
    estimated_read_time: str = "0 minutes"
    generated_at: str | None = None
    exports: dict[str, Export] = Field(default_factory=dict)
    section_order: list[str] = Field(default_factory=list)
    ai_versions: dict[str, int] | None = None
    citations: list[Citation] = Field(default_factory=list)
    warnings: list[EditorWarning] = Field(default_factory=list)
    section_names: dict[str, str] = Field(default_factory=dict, repr=False)
    has_source_links: bool = False

    @property
    def has_content(self) -> bool:
        """Whether the draft has a text."""
        return bool(self.effective_content)

    @property
    def earlier_sources(self) -> frozenset[int]:
        """The numbers whose markers have the notation of earlier releases, see `markdown_tokens`."""
        return frozenset() if self.has_source_links else frozenset(one.n for one in self.citations)

    @property
    def effective_content(self) -> str:
        """The text as people see and export it."""
        return self.user_edits if self.has_user_edits else self.generated_content
