"""What people change in a newsletter: its configuration, topics, outline and draft."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from newsletters.api import presenters, views
from newsletters.api.access import NotFound
from newsletters.drafting import draft_changes, outline_changes
from newsletters.drafting.outline_changes import OutlineRefused
from newsletters.drafting.tone import nearest_preset
from newsletters.inbound.events import PurgeRequested, entry
from newsletters.jobs.requests import StepProcessing
from newsletters.jobs.state import is_working
from newsletters.store import newsletters, revisions, steps
from newsletters.store.items import (
    CustomTopic,
    Draft,
    Metadata,
    OutlineItem,
    OutlineSection,
    StepStatus,
    Topics,
)
from newsletters.store.items.item import timestamp
from newsletters.store.items.metadata import LISTED, USER_PARTITION
from newsletters.store.newsletters import (
    CODE_ATTEMPTS,
    CodeTaken,
    Newsletter,
    NoCode,
    StaleVersion,
    create_newsletter,
    delete_newsletter,
    generate_newsletter_code,
)
from shared.api.errors import InvalidInput
from shared.aws.items import filled
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.api import inputs
    from newsletters.configuration.resources import Resources
    from newsletters.store.items import StepItem, StepName
    from newsletters.store.objects import Store
    from shared.api.routing import Request
    from shared.aws.dynamodb import Attributes

REPEATED_WITHIN_MS = clock.HOUR_MS  # in which clients repeat a call
_ID_SPACE = uuid.UUID("6f0d2c1e-6c6f-4f0c-9f6a-3f1f3f0a2b7d")


class NoContent(Exception):
    """The step has no content that could be changed, reviewed or exported."""


def create(store: Store, request: Request[inputs.NewsletterInput]) -> views.WrittenNewsletter:
    """Create a newsletter of the caller. A repeated call finds the first one by its id and code. Raises NoCode."""
    now, caller, given = clock.now_ms(), request.caller, request.input
    values = {**given.model_dump(exclude_none=True), **given.tones()}
    created_at = timestamp(now)
    if (earlier := _before_midnight(store, request.cause, now)) is not None:
        return presenters.written_newsletter(earlier)
    for attempt in range(CODE_ATTEMPTS):
        code = generate_newsletter_code(request.cause, attempt, now)
        metadata = Metadata(
            **Metadata.key(code),
            GSI1PK=filled(USER_PARTITION, caller.principal),
            GSI1SK=f"{LISTED}{created_at}",
            id=_id_of(request.cause),
            newsletterCode=code,
            user_id=caller.principal,
            company_id=caller.company,
            created_at=created_at,
            updated_at=created_at,
            **values,
        )
        try:
            return presenters.written_newsletter(create_newsletter(store, metadata))
        except CodeTaken:
            continue
    raise NoCode


def _id_of(cause: str) -> str:
    return str(uuid.uuid5(_ID_SPACE, cause))


def _before_midnight(store: Store, cause: str, now_ms: int) -> Metadata | None:
    """Return what the same call has created before the date changed: the code of a repeated call has another date."""
    if now_ms % (clock.DAY_SECONDS * clock.SECOND_MS) > REPEATED_WITHIN_MS:
        return None
    code = generate_newsletter_code(cause, 0, now_ms - REPEATED_WITHIN_MS - 1)
    found = newsletters.get_metadata(store.table, code)
    return found if found is not None and found.id == _id_of(cause) else None


def configure(
    store: Store, newsletter: Newsletter, given: inputs.NewsletterChange
) -> views.WrittenNewsletter:
    """Change the configuration; null sets a default. Raises StaleVersion."""
    named = given.model_fields_set - {"version"}
    values = {name: getattr(given, name) for name in named}
    changes: dict[str, Any] = {
        name: Metadata.model_fields[name].get_default(call_default_factory=True)
        if value is None
        else value
        for name, value in values.items()
        if name != "title" or value is not None
    }
    if "title" in named and given.title is None:
        changes["title"] = "Newsletter Draft"
    changes |= given.tones()
    if {"tone_professional", "tone_technical"} & set(changes):
        changed = newsletter.metadata.model_copy(update=changes)
        changes["tone_preset"] = nearest_preset(changed.tone_professional, changed.tone_technical)
    _at_version(newsletter.metadata, given.version)
    written = newsletters.configure(store, newsletter, changes)
    return presenters.written_newsletter(written)


def select_topics(
    store: Store, newsletter: Newsletter, given: inputs.TopicsInput
) -> views.WrittenTopics:
    """Write the selected types; retrieved passages stay. Raises InvalidInput, StaleVersion, StepProcessing."""
    names = _checked_names(given)
    before = newsletter.topics or Topics(
        **Topics.key(newsletter.code), updated_at=newsletter.metadata.updated_at
    )
    _check_writable(newsletter.topics, given.version, "topics")
    topics = before.model_copy(
        update={
            "selected_types": names,
            "custom_topics": [CustomTopic(**one.model_dump()) for one in given.custom_topics],
        }
    )
    saved = steps.save_topics(store, newsletter, _settled(topics), {})
    return presenters.written_topics(newsletter.metadata, saved)


def change_outline(
    store: Store, newsletter: Newsletter, given: inputs.OutlineInput
) -> views.WrittenOutline:
    """Replace the outline. Raises InvalidInput, NoContent, StaleVersion, StepProcessing."""
    outline = newsletter.outline
    if outline is None or not outline.has_content:
        raise NoContent("outline: generate it first")
    _check_writable(outline, given.version, "outline")
    known = {item.id: item for section in outline.sections for item in section.items}
    sections = [
        OutlineSection(
            id=section.id,
            name=section.name,
            order=0,
            items=[_item(one, known) for one in section.items],
        )
        for section in given.sections
    ]
    try:
        changed = outline_changes.changed(outline, sections, newsletter.topics)
    except OutlineRefused as refusal:
        raise InvalidInput([{"field": refusal.field, "problem": refusal.problem}]) from None
    saved = steps.save_outline(store, newsletter, _settled(changed), {})
    return presenters.written_outline(saved)


def change_draft(
    store: Store, newsletter: Newsletter, given: inputs.DraftInput, key: str | None = None
) -> views.WrittenDraft:
    """
    Replace the text of the draft, or that of section *key*. Raises NoContent, StaleVersion, StepProcessing,
    TextTooLarge, and DraftRefused.
    """
    draft = _written_draft(newsletter, given.version)
    if key is None:
        return _save_draft(store, newsletter, draft_changes.edited(draft, given.content))
    changed = draft_changes.with_edited_section(draft, key, given.content)
    return _save_draft(store, newsletter, changed)


def discard_edits(
    store: Store, newsletter: Newsletter, version: int, by: str
) -> views.WrittenDraft:
    """Return to the generated text; the edits become a revision. Raises as `change_draft`."""
    draft = _written_draft(newsletter, version)
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
        raise NoContent(f"{name}: generate it first")
    _check_writable(step, given.version, name)
    found = {one.version: one for one in revisions.of_step(store.table, newsletter.code, name)}
    if given.revision not in found:
        raise NotFound("revision: not found")
    kept = revisions.to_keep(store, newsletter.code, step, by=by, cause="restored")
    changed = revisions.restored(store, newsletter.code, _settled(step), found[given.revision])
    if isinstance(changed, Draft):
        return views.WrittenStep(version=_save_draft(store, newsletter, changed, kept).version)
    saved = steps.save(store, newsletter, changed, {}, kept)
    return views.WrittenStep(version=saved.version)


def delete(resources: Resources, newsletter: Newsletter) -> views.DeletedView:
    """Delete a newsletter with all that belongs to it; its objects are removed by the worker."""
    delete_newsletter(resources.store, newsletter.metadata)
    # After the items: the schedule finds the deletion if this message is lost.
    resources.steps.send([entry(PurgeRequested(code=newsletter.code))])
    return views.DeletedView(code=newsletter.code)


def _save_draft(
    store: Store, newsletter: Newsletter, draft: Draft, *also: Attributes
) -> views.WrittenDraft:
    counted, status = draft_changes.with_content(newsletter, _settled(draft))
    saved = steps.save_draft(store, newsletter, counted, {"status": status}, *also)
    return presenters.written_draft(saved, status)


def _written_draft(newsletter: Newsletter, version: int) -> Draft:
    if newsletter.draft is None or not newsletter.draft.has_content:
        raise NoContent("draft: generate it first")
    _check_writable(newsletter.draft, version, "draft")
    return newsletter.draft


def _checked_names(given: inputs.TopicsInput) -> list[str]:
    names = given.names()
    problems = []
    for at, name in enumerate(names):
        if not name:
            problems.append(
                {"field": f"selected_types.{at}", "problem": "is neither a type nor a custom topic"}
            )
        elif name in names[:at]:
            first = names.index(name)
            problems.append(
                {"field": f"selected_types.{at}", "problem": f"is the same type as entry {first}"}
            )
    if problems:
        raise InvalidInput(problems)
    return names


def _item(given: inputs.OutlineItemInput, known: dict[str, OutlineItem]) -> OutlineItem:
    before = known.get(given.id) or OutlineItem(id=given.id, title=given.title)
    return before.model_copy(update=given.model_dump())


def _settled[Step: StepItem](step: Step) -> Step:
    """Return a step without the job whose deadline has passed: a person's write takes its place."""
    if step.job_id is None:
        return step
    status = StepStatus.COMPLETED if step.has_content else StepStatus.PENDING
    return step.model_copy(update={**step.with_status(status), "job_id": None, "deadline_ms": None})


def _check_writable(step: StepItem | None, version: int, name: str) -> None:
    if step is not None and is_working(step):
        raise StepProcessing(f"{name}: a job is working on it; cancel it or wait")
    if (step.version if step else 0) != version:
        raise StaleVersion(f"version: the {name} has version {step.version if step else 0}")


def _at_version(metadata: Metadata, version: int) -> Metadata:
    if metadata.version != version:
        raise StaleVersion(f"version: the newsletter has version {metadata.version}")
    return metadata
