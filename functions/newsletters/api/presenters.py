"""Converts items to the views of the API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.api import views
from newsletters.drafting.drafts.changes import lost_citations
from newsletters.drafting.tone import nearest_preset
from newsletters.jobs.state import is_usable, job_state, percent_of, step_state
from newsletters.store.content.step_inputs import content_hash, topics_hash
from newsletters.store.items import STEPS, Draft, Outline, Topics
from shared.ai.spending import prices

if TYPE_CHECKING:
    from typing import Any

    from newsletters.store.content.newsletters import Newsletter
    from newsletters.store.items import Job, Metadata, NewsletterStatus, StepItem, StepName


def summary(metadata: Metadata) -> views.NewsletterSummary:
    """Return a newsletter as lists show it."""
    return views.NewsletterSummary(
        code=metadata.newsletterCode,
        title=metadata.title,
        status=metadata.status,
        current_step=metadata.current_step,
        created_at=metadata.created_at,
        updated_at=metadata.updated_at,
        user_id=metadata.user_id,
        user_name=metadata.user_name,
        review=metadata.review.state if metadata.review else None,
    )


def whole(newsletter: Newsletter) -> views.NewsletterView:
    """Return all of a newsletter."""
    steps: list[StepItem | None] = [newsletter.step(name) for name in STEPS]
    known = [one.ai_cost_micros for one in steps if one and one.ai_cost_micros is not None]
    return views.NewsletterView(
        metadata=metadata_view(newsletter.metadata, newsletter.draft),
        ai_dollars=prices.shown(sum(known) if known else None),
        topics=topics_view(newsletter),
        outline=outline_view(newsletter),
        draft=draft_view(newsletter),
    )


def metadata_view(metadata: Metadata, draft: Draft | None) -> views.MetadataView:
    """Return the configuration; *draft* tells whether its review is outdated."""
    shown = {
        name: getattr(metadata, name)
        for name in views.MetadataView.model_fields
        if hasattr(metadata, name)
    }
    review = None
    if metadata.review is not None:
        present = content_hash(metadata, draft) if draft else ""
        review = views.ReviewView(
            **metadata.review.model_dump(), is_outdated=metadata.review.content_hash != present
        )
    return views.MetadataView(
        **{
            **shown,
            "newsletter_code": metadata.newsletterCode,
            "tone_preset": nearest_preset(metadata.tone_professional, metadata.tone_technical),
            "review": review,
        }
    )


def written_newsletter(metadata: Metadata) -> views.WrittenNewsletter:
    """Return a changed configuration or review, without its texts."""
    return views.WrittenNewsletter(
        newsletter_code=metadata.newsletterCode,
        id=metadata.id,
        status=metadata.status,
        current_step=metadata.current_step,
        version=metadata.version,
        updated_at=metadata.updated_at,
        review=metadata.review.state if metadata.review else None,
    )


def written_topics(metadata: Metadata, topics: Topics) -> views.WrittenTopics:
    """Return changed topics."""
    is_stale = topics.has_content and topics.inputs_hash != topics_hash(metadata, topics)
    return views.WrittenTopics(
        version=topics.version, selected_types=topics.selected_types, is_stale=is_stale
    )


def written_outline(outline: Outline) -> views.WrittenOutline:
    """Return the ids of a changed outline."""
    return views.WrittenOutline(
        version=outline.version,
        sections=[
            views.WrittenSection(id=section.id, items=[item.id for item in section.items])
            for section in outline.sections
        ],
        user_modifications=outline.user_modifications,
        warnings=[
            views.WarningView(code=one.code, section=one.section, item=one.item)
            for one in outline.warnings
        ],
    )


def written_draft(draft: Draft, status: NewsletterStatus) -> views.WrittenDraft:
    """Return the counts of a changed draft."""
    return views.WrittenDraft(
        version=draft.version,
        has_user_edits=draft.has_user_edits,
        word_count=draft.word_count,
        estimated_read_time=draft.estimated_read_time,
        status=status,
        lost_citations=lost_citations(draft),
    )


def topics_view(newsletter: Newsletter) -> views.TopicsView:
    """Return step 2."""
    topics = newsletter.topics
    return views.TopicsView(
        **_state(newsletter, "topics"),
        selected_types=topics.selected_types if topics else [],
        custom_topics=topics.custom_topics if topics else [],
        retrieved_content=topics.retrieved_content if topics else [],
        total_chunks_retrieved=topics.total_chunks_retrieved if topics else 0,
        queries=topics.queries if topics else [],
    )


def outline_view(newsletter: Newsletter) -> views.OutlineView:
    """Return step 3."""
    outline = newsletter.outline or Outline(**Outline.key(newsletter.code), updated_at="")
    present = (
        {chunk.chunk_id for chunk in newsletter.topics.retrieved_content}
        if newsletter.topics
        else set()
    )
    return views.OutlineView(
        **_state(newsletter, "outline"),
        sections=outline.sections,
        references=outline.references,
        stale_references=[one.id for one in outline.references if one.id not in present],
        user_modifications=outline.user_modifications,
        warnings=outline.warnings,
        generated_at=outline.generated_at,
        ai_version=outline.ai_version,
    )


def draft_view(newsletter: Newsletter) -> views.DraftView:
    """Return step 4, without its exports."""
    draft = newsletter.draft or Draft(**Draft.key(newsletter.code), updated_at="")
    return views.DraftView(
        **_state(newsletter, "draft"),
        content=draft.effective_content,
        generated_content=draft.generated_content,
        has_user_edits=draft.has_user_edits,
        sections=draft.sections,
        section_order=draft.section_order,
        citations=draft.citations,
        lost_citations=lost_citations(draft),
        warnings=draft.warnings,
        word_count=draft.word_count,
        estimated_read_time=draft.estimated_read_time,
        generated_at=draft.generated_at,
        ai_versions=draft.ai_versions or {},
    )


def step_status(newsletter: Newsletter, name: StepName, job: Job | None) -> views.StepStatusView:
    """Return the state of a step and of its newest job."""
    return views.StepStatusView(
        **_state(newsletter, name), job=progress(job) if job is not None else None
    )


def progress(job: Job) -> views.ProgressView:
    """Return the progress of a job."""
    shown = job_state(job)
    return views.ProgressView(
        job_id=job.job_id,
        state=shown.status,
        percent=percent_of(job),
        doing=job.doing,
        units=job.units,
        units_done=job.units_done,
        started_at=job.started_at,
        ended_at=job.ended_at,
        error_code=shown.error_code,
        error=shown.error,
    )


def _state(newsletter: Newsletter, name: StepName) -> dict[str, Any]:
    step: StepItem | None = newsletter.step(name)
    shown = step_state(step)
    prefix = {"topics": Topics.prefix, "outline": Outline.prefix, "draft": Draft.prefix}[name]
    return {
        "status": shown.status,
        "version": step.version if step else 0,
        "is_stale": newsletter.stale_steps()[name],
        "is_usable": is_usable(step),
        "error_code": shown.error_code,
        "error": shown.error,
        "started_at": getattr(step, f"{prefix}_started_at", None),
        "completed_at": getattr(step, f"{prefix}_completed_at", None),
        "ai_dollars": prices.shown(step.ai_cost_micros if step else None),
    }
