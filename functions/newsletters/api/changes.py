"""Changes the steps of a newsletter: topics, outline and draft."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.api import presenters, views
from newsletters.api.access import NotFound
from newsletters.drafting.drafts import changes as draft_changes
from newsletters.drafting.outlines import changes as outline_changes
from newsletters.drafting.outlines.changes import OutlineRefused
from newsletters.drafting.retrieval.catalogue import selected_names, type_named
from newsletters.inbound.events import PurgeRequested, entry
from newsletters.jobs.requests import StepProcessing
from newsletters.jobs.state import is_working
from newsletters.store.bucket import revisions
from newsletters.store.content import steps
from newsletters.store.content.newsletters import (
    Newsletter,
    StaleVersion,
    delete_newsletter,
)
from newsletters.store.content.step_inputs import status_of
from newsletters.store.items import (
    CustomTopic,
    Draft,
    Outline,
    OutlineItem,
    OutlineSection,
    StepStatus,
    Topics,
)
from shared.api.errors import InvalidInput

if TYPE_CHECKING:
    from newsletters.api import inputs
    from newsletters.configuration.resources import Resources
    from newsletters.store.bucket.objects import Store
    from newsletters.store.items import StepItem, StepName
    from shared.aws.dynamodb import Attributes


class NoContent(Exception):
    """The step has no content that could be changed, reviewed or exported."""


def missing_content(step: StepItem | None, name: StepName) -> NoContent | StepProcessing:
    """Return the refusal of a call that needs the step's content: the first one may just be made."""
    if step is not None and is_working(step):
        return StepProcessing(f"{name}: a job is working on it; cancel it or wait")
    return NoContent(f"{name}: generate it first")


def select_topics(
    store: Store, newsletter: Newsletter, given: inputs.TopicsInput
) -> views.WrittenTopics:
    """Write the selected types; retrieved passages stay. Raises InvalidInput, StaleVersion, StepProcessing."""
    before = newsletter.topics or Topics(
        **Topics.key(newsletter.code), updated_at=newsletter.metadata.updated_at
    )
    custom = before.custom_topics
    if given.has("custom_topics"):
        custom = _custom_topics(given.custom_topics, {one.name: one for one in custom})
    words = given.selected_types if given.has("selected_types") else before.selected_types
    names = _checked_names(words, custom, _problems_of_custom(given.custom_topics))
    topics = before.model_copy(update={"selected_types": names, "custom_topics": custom})
    if steps.is_written(newsletter.topics, topics, given.version):
        return presenters.written_topics(newsletter.metadata, topics)
    _check_writable(newsletter.topics, given.version, "topics")
    saved = steps.save_topics(store, newsletter, _settled(topics), {})
    return presenters.written_topics(newsletter.metadata, saved)


def change_outline(
    store: Store, newsletter: Newsletter, given: inputs.OutlineInput, by: str
) -> views.WrittenOutline:
    """
    Replace the outline; the present one becomes a revision.

    Raises InvalidInput, NoContent, StaleVersion, StepProcessing.
    """
    outline = newsletter.outline
    if outline is None or not outline.has_content:
        raise missing_content(outline, "outline")
    sections = _sections(given.sections, outline)
    is_later = outline.version == given.version + 1
    try:
        if is_later and outline_changes.is_made_of(outline, sections):
            return presenters.written_outline(outline)
        _check_writable(outline, given.version, "outline")
        changed = outline_changes.changed(outline, sections, newsletter.topics)
    except OutlineRefused as refusal:
        raise InvalidInput([{"field": refusal.field, "problem": refusal.problem}]) from None
    kept = revisions.to_keep(store, newsletter.code, outline, by=by, cause=revisions.EDITED)
    saved = steps.save_outline(store, newsletter, _settled(changed), {}, kept)
    revisions.prune(store, newsletter.code, "outline")
    return presenters.written_outline(saved)


def change_draft(
    store: Store, newsletter: Newsletter, given: inputs.DraftInput, by: str, key: str | None = None
) -> views.WrittenDraft:
    """
    Replace the text of the draft, or of section *key*; the present text becomes a revision.

    Raises NoContent, StaleVersion, StepProcessing, TextTooLarge, and DraftRefused.
    """
    draft = _written_draft(newsletter)
    if key is None:
        changed = draft_changes.edited(draft, given.content)
    else:
        changed = draft_changes.with_edited_section(draft, key, given.content)
    is_same = changed.effective_content == draft.effective_content
    if steps.is_written(draft, changed, given.version):
        return presenters.written_draft(draft, newsletter.metadata.status)
    _check_writable(draft, given.version, "draft")
    if is_same:  # A text that is sent back as it was read is no edit.
        return presenters.written_draft(draft, newsletter.metadata.status)
    kept = revisions.to_keep(store, newsletter.code, draft, by=by, cause=revisions.EDITED)
    written = _save_draft(store, newsletter, changed, kept)
    revisions.prune(store, newsletter.code, "draft")
    return written


def discard_edits(
    store: Store, newsletter: Newsletter, version: int, by: str
) -> views.WrittenDraft:
    """
    Return to the generated text; the edits become a revision. Without edits nothing is written.

    Raises as `change_draft`.
    """
    draft = _written_draft(newsletter)
    if (
        not draft.has_user_edits
        and draft.version in {version, version + 1}
        and not is_working(draft)
    ):
        return presenters.written_draft(draft, newsletter.metadata.status)
    _check_writable(draft, version, "draft")
    kept = revisions.to_keep(store, newsletter.code, draft, by=by, cause="discarded")
    return _save_draft(store, newsletter, draft_changes.without_edits(draft), kept)


def restore(
    store: Store, newsletter: Newsletter, name: StepName, given: inputs.RestoreInput, by: str
) -> views.WrittenStep:
    """
    Bring the content of a revision back; the present content becomes a revision.

    Raises NoContent, NotFound, StaleVersion, StepProcessing.
    """
    step = newsletter.step(name)
    if step is None or not step.has_content:
        raise missing_content(step, name)
    found = {one.version: one for one in revisions.of_step(store.table, newsletter.code, name)}
    if given.revision not in found:
        raise NotFound("revision: not found")
    changed = revisions.restored(store, newsletter.code, _settled(step), found[given.revision])
    if steps.is_written(step, changed, given.version):
        return views.WrittenStep(version=step.version)
    _check_writable(step, given.version, name)
    kept = revisions.to_keep(store, newsletter.code, step, by=by, cause="restored")
    if isinstance(changed, Draft):
        return views.WrittenStep(version=_save_draft(store, newsletter, changed, kept).version)
    saved = steps.save(store, newsletter, changed, {}, kept)
    return views.WrittenStep(version=saved.version)


def delete(resources: Resources, newsletter: Newsletter) -> views.DeletedView:
    """Delete a newsletter with its items; the worker removes its objects."""
    delete_newsletter(resources.store, newsletter.metadata)
    # After the items: the schedule finds the deletion if this message is lost.
    resources.steps.send([entry(PurgeRequested(code=newsletter.code))])
    return views.DeletedView(code=newsletter.code)


def _save_draft(
    store: Store, newsletter: Newsletter, draft: Draft, *also: Attributes
) -> views.WrittenDraft:
    counted = draft_changes.counted(_settled(draft))
    status = status_of(newsletter.metadata, counted)
    saved = steps.save_draft(store, newsletter, counted, {"status": status}, *also)
    return presenters.written_draft(saved, status)


def _written_draft(newsletter: Newsletter) -> Draft:
    if newsletter.draft is None or not newsletter.draft.has_content:
        raise missing_content(newsletter.draft, "draft")
    return newsletter.draft


def _custom_topics(
    given: list[inputs.CustomTopicInput], stored: dict[str, CustomTopic]
) -> list[CustomTopic]:
    """Return the given topics; a stored one of the same name has the values that are absent."""
    return [
        stored[one.name].model_copy(update=one.given())
        if one.name in stored
        else CustomTopic(**one.given())
        for one in given
    ]


def _checked_names(
    words: list[str], custom: list[CustomTopic], problems: list[dict[str, str]]
) -> list[str]:
    """Return the display names of the selected types, in their order. Raises InvalidInput, also with *problems*."""
    names = selected_names(words, [one.name for one in custom])
    if not names:
        raise InvalidInput([{"field": "selected_types", "problem": "must name a type"}])
    for at, name in enumerate(names):
        field = f"selected_types.{at}"
        if not name:
            problem = "is neither a type nor a custom topic"
            problems.append({"field": field, "problem": problem})
        elif name in names[:at]:
            problem = f"is the same type as entry {names.index(name)}"
            problems.append({"field": field, "problem": problem})
    if problems:
        raise InvalidInput(problems)
    return names


def _problems_of_custom(topics: list[inputs.CustomTopicInput]) -> list[dict[str, str]]:
    """Return the custom topics that share a name with another topic or a type: the selected name would be ambiguous."""
    problems = []
    seen: set[str] = set()
    for at, topic in enumerate(topics):
        if type_named(topic.name) is not None:
            problem = "is the name of a type"
        elif topic.name.casefold() in seen:
            problem = "is the name of another custom topic"
        else:
            seen.add(topic.name.casefold())
            continue
        problems.append({"field": f"custom_topics.{at}.name", "problem": problem})
    return problems


def _sections(given: list[inputs.OutlineSectionInput], outline: Outline) -> list[OutlineSection]:
    """Return the sections as they shall be; stored sections and items have the values that are absent."""
    known = {section.id: section for section in outline.sections}
    items = {item.id: item for section in outline.sections for item in section.items}
    return [
        (known.get(one.id) or OutlineSection(id=one.id, name=one.name, order=0)).model_copy(
            update={
                **one.given(),
                **(
                    {"items": [_item(item, items) for item in one.items]}
                    if one.has("items")
                    else {}
                ),
            }
        )
        for one in given
    ]


def _item(given: inputs.OutlineItemInput, known: dict[str, OutlineItem]) -> OutlineItem:
    before = known.get(given.id) or OutlineItem(id=given.id, title=given.title)
    return before.model_copy(update=given.given())


def _settled[Step: StepItem](step: Step) -> Step:
    """Return a step without a job whose deadline has passed, so that a person can change it."""
    if step.job_id is None:
        return step
    status = StepStatus.COMPLETED if step.has_content else StepStatus.PENDING
    return step.model_copy(update={**step.with_status(status), "job_id": None, "deadline_ms": None})


def _check_writable(step: StepItem | None, version: int, name: str) -> None:
    if step is not None and is_working(step):
        raise StepProcessing(f"{name}: a job is working on it; cancel it or wait")
    if (step.version if step else 0) != version:
        raise StaleVersion(f"version: the {name} has version {step.version if step else 0}")
