"""Response models. Parts that the API shows as they are stored are models of the items."""

from __future__ import annotations

from typing import Any, ClassVar

from newsletters.store.items import (
    Chunk,
    Citation,
    CustomTopic,
    EditorWarning,
    MailboxPaces,
    NewsletterStatus,
    OutlineSection,
    QueryRecord,
    Reference,
    Review,
    ReviewState,
    UserModifications,
)
from shared.api.models.views import View


class NewsletterSummary(View):
    """A newsletter in a list. `title` is the author's; times are UTC."""

    code: str
    title: str
    status: NewsletterStatus
    current_step: int
    created_at: str
    updated_at: str
    user_id: str
    user_name: str
    review: str | None = None


class Newsletters(View):
    """A page of newsletters, newest first."""

    newsletters: list[NewsletterSummary]


class ReviewView(Review):
    """The newest review. `is_outdated`: the text was changed since it was requested."""

    is_outdated: bool = False


class MetadataView(View):
    """The configuration of a newsletter."""

    newsletter_code: str
    id: str
    title: str
    description: str
    preview: str
    status: NewsletterStatus
    user_id: str
    user_email: str
    user_name: str
    created_at: str
    updated_at: str
    target_audience: list[str]
    tone_professional: int
    tone_technical: int
    tone_preset: str
    format_type: str
    length_preference: str
    frequency: str
    geographic_focus: str
    language: str
    current_step: int
    version: int
    review: ReviewView | None = None


class StepView(View):
    """
    The state of a step. `is_stale`: its content was generated from values that have changed since. `is_usable`: the
    next step can build on it. `ai_dollars`: what the models of all its finished jobs have cost, as far as their prices
    are known; null if none is.
    """

    status: str
    version: int
    is_stale: bool
    is_usable: bool
    error_code: str | None = None
    error: str | None = None
    started_at: str | None = None
    completed_at: str | None = None
    ai_dollars: str | None = None


class ProgressView(View):
    """The job of a step or an export: what it does, and how much of it is done."""

    job_id: str
    state: str
    percent: int
    doing: str
    units: int
    units_done: int
    started_at: str
    ended_at: str | None = None
    error_code: str | None = None
    error: str | None = None


class StepStatusView(StepView):
    """The state of a step and its newest job, without content."""

    job: ProgressView | None = None


class TopicsView(StepView):
    """Step 2."""

    selected_types: list[str]
    custom_topics: list[CustomTopic]
    retrieved_content: list[Chunk]
    total_chunks_retrieved: int
    queries: list[QueryRecord]


class OutlineView(StepView):
    """Step 3. `stale_references` are cited passages that the present retrieval does not have."""

    sections: list[OutlineSection]
    references: list[Reference]
    stale_references: list[str]
    user_modifications: UserModifications
    warnings: list[EditorWarning]
    generated_at: str | None = None
    ai_version: int | None = None


class DraftView(StepView):
    """
    Step 4. `content` is the text as it is exported. `lost_citations` are the numbers of sources whose marker the
    generated text has and `content` has not. `ai_versions` are the versions of the settings, by section.
    """

    content: str
    generated_content: str
    has_user_edits: bool
    sections: dict[str, str]
    section_order: list[str]
    citations: list[Citation]
    lost_citations: list[int]
    warnings: list[EditorWarning]
    word_count: int
    estimated_read_time: str
    generated_at: str | None = None
    ai_versions: dict[str, int]


class NewsletterView(View):
    """A whole newsletter. A step that was never begun has no content. `ai_dollars`: the sum of its steps."""

    metadata: MetadataView
    ai_dollars: str | None = None
    topics: TopicsView
    outline: OutlineView
    draft: DraftView


class WrittenNewsletter(View):
    """
    A newsletter after a change of its configuration or review. Answers of changes have no text: they are stored for a
    day, so that a repeated call gets the same one.
    """

    newsletter_code: str
    id: str
    status: NewsletterStatus
    current_step: int
    version: int
    updated_at: str
    review: ReviewState | None = None


class WrittenTopics(View):
    """The selected types under their display names, and the version of the step."""

    version: int
    selected_types: list[str]
    is_stale: bool


class WrittenSection(View):
    """The ids of a section and its items in their order."""

    id: str
    items: list[str]


class WarningView(View):
    """A warning without its text: the section and the item that it is about."""

    code: str
    section: str
    item: str


class WrittenOutline(View):
    """
    The version of the outline, and the ids of all sections and items. The warning `sources_lost` names an item whose
    passages are no longer cited.
    """

    version: int
    sections: list[WrittenSection]
    user_modifications: UserModifications
    warnings: list[WarningView]


class WrittenDraft(View):
    """The version of the draft and the counts of its present text; `lost_citations` as in the draft."""

    version: int
    has_user_edits: bool
    word_count: int
    estimated_read_time: str
    status: NewsletterStatus
    lost_citations: list[int]


class WrittenStep(View):
    """The version of a step after a change."""

    version: int


class RevisionView(View):
    """Content that was replaced: by whom, and how: `generated`, `edited`, `restored` or `discarded`."""

    version: int
    at: str
    by: str
    cause: str


class Revisions(View):
    """The kept revisions of a step, newest first."""

    revisions: list[RevisionView]


class StartedView(View):
    """A job that was accepted; `status_url` shows its progress."""

    job_id: str
    status: str
    status_url: str


class CancelledView(View):
    """A cancelled job; `job_id` is absent if none was running."""

    job_id: str | None = None
    status: str


class ExportView(View):
    """
    An exported file. `is_outdated`: the text was changed since. `section_bytes`: the size of each section of a mail
    above 102 KB, by its heading.
    """

    generated_at: str
    file_size: int
    is_outdated: bool
    warnings: list[str]
    section_bytes: dict[str, int]


class ExportsView(View):
    """
    The exported files and the newest job of each format. `missing_characters`: of the present text, which a PDF cannot
    show; the other formats have all.
    """

    exports: dict[str, ExportView]
    jobs: dict[str, ProgressView]
    missing_characters: str


class StartedExports(View):
    """The jobs of the requested formats."""

    jobs: dict[str, ProgressView]
    status_url: str


class ExportLink(View):
    """A link that downloads a file; it expires."""

    url: str
    expires_at: str
    file_size: int
    generated_at: str
    is_outdated: bool


class DeletedView(View):
    """A deleted newsletter; its files are removed within the hour."""

    code: str
    deleted: bool = True


class OptionsView(View):
    """The values that a configuration may have, with labels."""

    options: dict[str, list[dict[str, str]]]


class SettingsView(View):
    """The settings of the company; `version` 0 if none are stored."""

    omits_none: ClassVar[bool] = False

    ai: dict[str, Any] | None
    retrieval: dict[str, Any]
    ai_daily_units: int
    four_eyes: bool
    check_claims: bool
    track_clicks: bool
    ses_tenant: bool
    mailbox_providers: MailboxPaces
    version: int
    ai_version: int | None


class SourceView(View):
    """A document of the embedded search. `origin`: who a text comes from that is no file; empty for others."""

    name: str
    title: str
    url: str
    date: str
    topics: list[str]
    size: int
    changed_at: str
    origin: str


class SourceText(SourceView):
    """
    A document with its first passages, as the search reads them; `passage_count` is the number of all. `problem` is the
    code of the reason why it cannot be read.
    """

    passages: list[str]
    passage_count: int
    problem: str | None = None


class Sources(View):
    """A page of documents in the order of their names."""

    sources: list[SourceView]


class WrittenSource(View):
    """A document that was written or deleted."""

    name: str
