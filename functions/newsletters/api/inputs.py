"""Input models of the API and their limits."""

import re
import unicodedata
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    Base64Bytes,
    ConfigDict,
    Field,
    Strict,
    model_validator,
)
from pydantic_core import PydanticCustomError

from newsletters.api import views
from newsletters.configuration.mailbox_paces import PacesInput
from newsletters.configuration.model_limits import FEWEST_TOKENS
from newsletters.drafting.retrieval.catalogue import MOST_CHUNKS, TYPES
from newsletters.store import items
from newsletters.store.items import NewsletterStatus, ReviewState
from shared.ai.retrieval.documents import DocumentAttributes
from shared.ai.retrieval.port import LONGEST_TITLE
from shared.ai.retrieval.settings import RetrievalSettings
from shared.ai.settings import MOST_TOKENS, ModelSettings
from shared.ai.versions.inputs import Note, Number
from shared.api.models.inputs import Change, Input
from shared.runtime.validation import patterns

_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]|[\ud800-\udfff]"
)  # all but tab and newline
_NOT_IN_DOCUMENT = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]|[\ud800-\udfff]")  # all but white space
MOST_TYPES = len(TYPES) + 5
MOST_CUSTOM = 5
MOST_VERSIONS = 1_000_000_000  # a number that the table can compare


def is_text(text: str) -> str:
    """Return a text in Unicode's composed form. Raises PydanticCustomError for control characters and surrogates."""
    if _CONTROL.search(text):
        raise PydanticCustomError("control", "must not have control characters or lone surrogates")
    return unicodedata.normalize("NFC", text)


def is_line(text: str) -> str:
    """Return a text of one line without blanks at its ends. Raises PydanticCustomError if nothing is left."""
    line = " ".join(is_text(text).split())
    if not line:
        raise PydanticCustomError("blank", "must not be blank")
    return line


def _in_one_line(text: str) -> str:
    return " ".join(is_text(text).split())


def _is_filled(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "must not be blank")
    return is_text(text)


def _is_document(text: str) -> str:
    if _NOT_IN_DOCUMENT.search(text):
        raise PydanticCustomError("control", "must not have control characters or lone surrogates")
    return text


def _is_unique(values: list[str]) -> list[str]:
    if len(set(values)) != len(values):
        raise PydanticCustomError("unique", "must not name an entry twice")
    return values


type Text = Annotated[str, AfterValidator(is_text)]
type Title = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(is_line)]
type Description = Annotated[str, Field(max_length=2_000), AfterValidator(is_text)]
type Preview = Annotated[str, Field(max_length=150), AfterValidator(_in_one_line)]
type Region = Annotated[str, Field(max_length=200), AfterValidator(is_text)]
type Percent = Annotated[int, Strict(), Field(ge=0, le=100)]
type Version = Annotated[int, Strict(), Field(ge=0, le=MOST_VERSIONS)]
type Flag = Annotated[bool, Strict()]
type AudienceName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{1,39}$")]
type Audience = Annotated[list[AudienceName], Field(max_length=10), AfterValidator(_is_unique)]
type Format = Literal["email", "pdf", "web", "html"]
type Length = Literal["quick_read", "standard", "deep_dive", "short", "mixed", "long"]
type Frequency = Literal["daily", "weekly", "monthly", "quarterly", "custom"]
type Language = Annotated[str, Field(pattern=patterns.LANGUAGE)]
type Preset = Literal["expert_analysis", "industry_insight", "friendly_summary"]
type PersonName = Annotated[str, Field(max_length=100), AfterValidator(is_text)]
type EmailText = Annotated[str, Field(max_length=320), AfterValidator(is_text)]
type Notes = Annotated[str, Field(max_length=1_000), AfterValidator(is_text)]
type SectionName = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(is_line)]
type ReferenceId = Annotated[
    str,
    Field(
        pattern=patterns.worded(
            r"^chunk-[0-9a-f]{12}$", "must be a reference such as chunk-0123456789ab"
        )
    ),
]
type ExportFormat = Literal["pdf", "docx", "html", "email", "markdown", "text"]


class _Configuration(Input):
    """The configuration of a newsletter. `tone_preset` sets both tones; numbers set the nearest preset."""

    description: Description | None = None
    preview: Preview | None = None
    target_audience: Audience | None = None
    tone_professional: Percent | None = None
    tone_technical: Percent | None = None
    tone_preset: Preset | None = None
    format_type: Format | None = None
    length_preference: Length | None = None
    frequency: Frequency | None = None
    geographic_focus: Region | None = None
    language: Language | None = None
    user_email: EmailText | None = None
    user_name: PersonName | None = None


class NewsletterInput(_Configuration):
    """A new newsletter. Absent values get their defaults."""

    title: Title = "Newsletter Draft"

    @model_validator(mode="after")
    def _has_one_tone(self) -> Self:
        numbers = {"tone_professional", "tone_technical"} & self.model_fields_set
        if self.tone_preset is not None and numbers:
            raise PydanticCustomError("tone", "must have tone_preset or numbers, not both")
        return self


class NewNewsletterInput(NewsletterInput):
    """
    A new newsletter. Absent values get their defaults, or with `copy_from` those of another newsletter that the caller
    may read, whose information types and own topics are copied, too; its passages and texts are not.
    """

    copy_from: Annotated[str, Field(max_length=20)] | None = None


class NewsletterChange(_Configuration, Change):
    """New values; absent ones stay, null sets the default. `version` is the newsletter's version as read."""

    view = views.MetadataView

    version: Version
    title: Title | None = None
    current_step: Annotated[int, Strict(), Field(ge=1, le=4)] | None = None

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if not self.model_fields_set - {"version"}:
            raise PydanticCustomError("empty", "must contain a change")
        return self


class NewslettersQuery(Input):
    """
    Own newsletters, or with `of=company` all of the company; newest first.

    `status` and `review` filter the page, which may be short then.
    """

    of: Literal["me", "company"] = "me"
    status: NewsletterStatus | None = None
    review: ReviewState | None = None
    limit: int = Field(default=25, ge=1, le=100)
    cursor: str | None = None


class CustomTopicInput(Change):
    """A custom topic: the documents are searched for `query`. Absent values of a stored topic of this name stay."""

    view = items.CustomTopic

    name: Annotated[str, Field(min_length=3, max_length=60), AfterValidator(is_line)]
    query: Annotated[str, Field(min_length=3, max_length=200), AfterValidator(is_line)]
    kind: Literal["updates", "main", "opportunities", "resources"] = "main"


class TopicsInput(Change):
    """The information types, by id or name in any case, and names of custom topics. Absent fields stay."""

    view = views.TopicsView

    version: Version = 0
    selected_types: Annotated[list[str], Field(min_length=1, max_length=MOST_TYPES)] = Field(
        default_factory=list
    )
    custom_topics: Annotated[list[CustomTopicInput], Field(max_length=MOST_CUSTOM)] = Field(
        default_factory=list
    )


class StartInput(Input):
    """
    `accept_stale`: generate although the previous step was generated from older values. `replace_edits`: the generated
    draft replaces edits. `sections`: only these sections of the draft, by key, are written again.
    """

    accept_stale: Flag = False
    replace_edits: Flag = False
    sections: (
        Annotated[list[str], Field(min_length=1, max_length=12), AfterValidator(_is_unique)] | None
    ) = None


class OutlineItemInput(Change):
    """
    An item. Without `id` it is created, and needs a title; absent fields of a stored one stay. `included: false` keeps
    it but leaves it out of the draft.
    """

    view = items.OutlineItem

    id: Annotated[str, Field(max_length=60)] = ""
    title: Title = ""
    description: Annotated[str, Field(max_length=500), AfterValidator(is_text)] = ""
    included: Flag = True
    user_notes: Notes = ""
    rag_reference_ids: Annotated[list[ReferenceId], Field(max_length=MOST_CHUNKS)] = Field(
        default_factory=list
    )

    @model_validator(mode="after")
    def _has_a_title(self) -> Self:
        if not self.id and not self.title:
            raise PydanticCustomError("title", "a new item needs a title")
        return self


class OutlineSectionInput(Change):
    """A section with its items in order. A new one, without `id`, needs a name; of a stored one absent fields stay."""

    view = items.OutlineSection

    id: Annotated[str, Field(max_length=60)] = ""
    name: SectionName = ""
    items: Annotated[list[OutlineItemInput], Field(max_length=60)] = Field(default_factory=list)

    @model_validator(mode="after")
    def _has_a_name(self) -> Self:
        if not self.id and not self.name:
            raise PydanticCustomError("name", "a new section needs a name")
        return self


class OutlineInput(Change):
    """The sections and items in order. Items and sections that are not in the list are removed."""

    view = views.OutlineView

    version: Version
    sections: Annotated[list[OutlineSectionInput], Field(min_length=1, max_length=12)]


class DraftInput(Change):
    """A text in Markdown: of the whole draft, or below the heading of one section."""

    view = views.DraftView

    version: Version
    content: Annotated[str, Field(min_length=1), AfterValidator(_is_filled)]


class VersionInput(Input):
    """The version as read."""

    version: Version


class RestoreInput(Input):
    """The revision to restore; `version` is the step's version as read."""

    version: Version
    revision: Annotated[int, Strict(), Field(ge=1, le=MOST_VERSIONS)]


class ExportQuery(Input):
    """`inline`: the link shows the file in a page, instead of downloading it."""

    inline: bool = False


class ExportsInput(Input):
    """The formats to render."""

    formats: Annotated[
        list[ExportFormat], Field(min_length=1, max_length=6), AfterValidator(_is_unique)
    ]


class ReviewRequestInput(Input):
    """A request to review the present text."""

    version: Version
    note: Notes = ""


class ApprovalInput(Input):
    """An approval of the text under review."""

    version: Version
    notes: Notes = ""


class ReturnInput(Input):
    """The changes that the author should make."""

    version: Version
    notes: Annotated[str, Field(min_length=1, max_length=1_000), AfterValidator(_is_filled)]


class Model(ModelSettings):
    """A language model. It is set as a whole. Unknown fields are errors here, and an answer needs some room."""

    model_config = ConfigDict(extra="forbid", strict=False, hide_input_in_errors=True)

    max_output_tokens: Annotated[int, Field(ge=FEWEST_TOKENS, le=MOST_TOKENS)] = FEWEST_TOKENS


class Retrieval(RetrievalSettings):
    """A retriever. It is set as a whole. Unknown fields are errors here."""

    model_config = ConfigDict(extra="forbid", strict=False, hide_input_in_errors=True)


class SettingsInput(Change):
    """Settings of the company; absent ones stay, null removes the model. `version` is 0 if none are stored."""

    view = views.SettingsView

    version: Version
    ai: Model | None = None
    retrieval: Retrieval = Field(default_factory=Retrieval)
    ai_daily_units: Annotated[int, Strict(), Field(ge=0, le=100_000)] = 200
    four_eyes: Flag = False
    check_claims: Flag = False
    track_clicks: Flag = False
    ses_tenant: Flag = False
    mailbox_providers: PacesInput = Field(default_factory=dict)


class VersionedSettings(Change):
    """The settings of a version: absent ones stay as in the version it is based on, null removes one."""

    ai: Model | None = None
    retrieval: Retrieval | None = None
    check_claims: Flag | None = None

    def values(self) -> dict[str, Any]:
        """Return the values that were given, as they are stored; None for those to remove."""
        present = self.model_dump(mode="json", exclude_none=True)
        return {name: present.get(name) for name in self.given()}


class SettingsVersionInput(Input):
    """A new version: changes of the settings of *based_on*, by default the live ones; *note* says why."""

    settings: VersionedSettings
    note: Note = ""
    based_on: Number | None = None


class SourcesQuery(Input):
    """Position in the list of documents."""

    limit: int = Field(default=25, ge=1, le=100)
    cursor: str | None = None


class SourceInput(DocumentAttributes):
    """
    A document of the embedded search. `text`: Markdown, text or HTML by the ending of its name, else Markdown; or
    `file`: a PDF or Word file in Base64.
    """

    model_config = ConfigDict(extra="forbid", strict=False, hide_input_in_errors=True)

    name: str
    title: Annotated[str, Field(min_length=1, max_length=LONGEST_TITLE), AfterValidator(is_line)]
    text: Annotated[str, Field(min_length=1), AfterValidator(_is_document)] | None = None
    file: Base64Bytes | None = Field(default=None, repr=False)

    @model_validator(mode="after")
    def _has_one_content(self) -> Self:
        if (self.text is None) == (self.file is None):
            raise PydanticCustomError("content", "must have text or file, not both")
        return self
