"""Creates newsletters and changes their configuration."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from newsletters.api import changes, inputs, presenters, views
from newsletters.drafting.retrieval.catalogue import selected_names
from newsletters.drafting.tone import DEFAULT_PRESET, PRESETS, nearest_preset
from newsletters.store.content import newsletters
from newsletters.store.content.newsletters import (
    CODE_ATTEMPTS,
    CodeTaken,
    Newsletter,
    NoCode,
    StaleVersion,
    create_newsletter,
    generate_newsletter_code,
)
from newsletters.store.content.steps import is_written
from newsletters.store.items import STEP_NUMBERS, STEPS, Metadata
from newsletters.store.items.item import timestamp
from newsletters.store.items.metadata import LISTED, USER_PARTITION
from shared.api.errors import InvalidInput
from shared.aws.tables.items import filled
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsletters.store.bucket.objects import Store
    from newsletters.store.items import Topics
    from shared.api.routing.routes import Request

REPEATED_WITHIN_MS = clock.HOUR_MS  # in which clients repeat a call
DEFAULT_TITLE = "Newsletter Draft"
_TONES = ("tone_professional", "tone_technical")
_COPIED = (
    "title", "description", "preview", "target_audience", *_TONES, "format_type", "length_preference", "frequency",
    "geographic_focus", "language",
)  # fmt: skip
_ID_SPACE = uuid.UUID("6f0d2c1e-6c6f-4f0c-9f6a-3f1f3f0a2b7d")


def create(
    store: Store, request: Request[inputs.NewNewsletterInput], copied: Newsletter | None
) -> views.WrittenNewsletter:
    """
    Create a newsletter of the caller, with values and topics of *copied* for absent ones. Its passages and texts are
    not copied: they are as old as that newsletter. A repeated call finds the first one by its id and code, and does
    what it has left undone. Raises NoCode, and InvalidInput before anything is made.
    """
    if copied is not None:
        _check_topics(copied.topics)
    now, caller = clock.now_ms(), request.caller
    metadata = _before_midnight(store, request.cause, now)
    if metadata is None:
        owner = {"user_id": caller.principal, "company_id": caller.company}
        values = _copied_values(copied.metadata) if copied is not None else {}
        metadata = made(store, request.cause, now, values_of(request.input, values), **owner)
    if copied is not None and copied.topics is not None and copied.topics.selected_types:
        metadata = _with_topics(store, metadata, copied.topics)
    return presenters.written_newsletter(metadata)


def _check_topics(topics: Topics | None) -> None:
    """Raise InvalidInput if a newsletter that is to be copied selects a type that does not exist any more."""
    if topics is None:
        return
    own = [one.name for one in topics.custom_topics]
    named = zip(topics.selected_types, selected_names(topics.selected_types, own), strict=True)
    if gone := [one for one, name in named if not name]:
        problem = f"selects {', '.join(gone)}, which is no type any more: change its topics first"
        raise InvalidInput([{"field": "copy_from", "problem": problem}])


def _with_topics(store: Store, metadata: Metadata, topics: Topics) -> Metadata:
    """Select the same topics for a new newsletter, unless it has some."""
    present = newsletters.get_newsletter_full(store, metadata.newsletterCode)
    if present is None or present.topics is not None:
        return metadata
    custom = [
        inputs.CustomTopicInput(name=one.name, query=one.query, kind=one.kind)
        for one in topics.custom_topics
    ]
    given = inputs.TopicsInput(selected_types=topics.selected_types, custom_topics=custom)
    changes.select_topics(store, present, given)
    return newsletters.get_metadata(store.table, metadata.newsletterCode) or metadata


def values_of(
    given: inputs.NewsletterInput, copied: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the configuration of a new newsletter, without absent values, or with *copied* ones."""
    named = given.model_dump(exclude_none=True, exclude_unset=bool(copied), exclude={"copy_from"})
    return _with_preset({**(copied or {}), **named} | _tones_of_new(given))


def _copied_values(metadata: Metadata) -> dict[str, Any]:
    """Return the configuration of a newsletter, without what it says about its author."""
    return {name: getattr(metadata, name) for name in _COPIED}


def made(
    store: Store, cause: str, at_ms: int, values: dict[str, Any], *, user_id: str, company_id: str
) -> Metadata:
    """Make the newsletter of a *cause* with the date of *at_ms*, or return it if there is one. Raises NoCode."""
    created_at = timestamp(at_ms)
    for attempt in range(CODE_ATTEMPTS):
        code = generate_newsletter_code(cause, attempt, at_ms)
        metadata = Metadata(
            **Metadata.key(code),
            GSI1PK=filled(USER_PARTITION, user_id),
            GSI1SK=f"{LISTED}{created_at}",
            id=_id_of(cause),
            newsletterCode=code,
            user_id=user_id,
            company_id=company_id,
            created_at=created_at,
            updated_at=created_at,
            **values,
        )
        try:
            return create_newsletter(store, metadata)
        except CodeTaken:
            continue
    raise NoCode


def configure(
    store: Store, newsletter: Newsletter, given: inputs.NewsletterChange
) -> views.WrittenNewsletter:
    """
    Change the configuration; null sets a default.

    Raises InvalidInput for a step ahead, two different tones or another owner or code, and StaleVersion.
    """
    _check_fixed(newsletter.metadata, given)
    metadata, changes = newsletter.metadata, _configuration(newsletter.metadata, given)
    if changes.get("current_step", 1) > max(metadata.current_step, _reached(newsletter)):
        problem = "must not be ahead of the last step that has content"
        raise InvalidInput([{"field": "current_step", "problem": problem}])
    if is_written(metadata, metadata.model_copy(update=changes), given.version):
        return presenters.written_newsletter(metadata)
    if metadata.version != given.version:
        raise StaleVersion(f"version: the newsletter has version {metadata.version}")
    written = newsletters.configure(store, newsletter, changes)
    return presenters.written_newsletter(written)


def _check_fixed(metadata: Metadata, given: inputs.NewsletterChange) -> None:
    """Raise InvalidInput if values that never change are given with other values."""
    fixed = {
        "newsletter_code": metadata.newsletterCode,
        "id": metadata.id,
        "user_id": metadata.user_id,
        "created_at": metadata.created_at,
    }
    problems = [
        {"field": name, "problem": "cannot be changed"}
        for name, present in fixed.items()
        if given.sent_back(name, present) != present
    ]
    if problems:
        raise InvalidInput(problems)


def _id_of(cause: str) -> str:
    return str(uuid.uuid5(_ID_SPACE, cause))


def _before_midnight(store: Store, cause: str, now_ms: int) -> Metadata | None:
    """Return the newsletter that the same call created before midnight: a repeated call's code has another date."""
    if now_ms % (clock.DAY_SECONDS * clock.SECOND_MS) > REPEATED_WITHIN_MS:
        return None
    code = generate_newsletter_code(cause, 0, now_ms - REPEATED_WITHIN_MS - 1)
    found = newsletters.get_metadata(store.table, code)
    return found if found is not None and found.id == _id_of(cause) else None


def _configuration(metadata: Metadata, given: inputs.NewsletterChange) -> dict[str, Any]:
    """Return the new values of the named fields; null is the default of its field."""
    named = given.given().keys() - {"version", "tone_preset"}
    defaults = {
        name: Metadata.model_fields[name].get_default(call_default_factory=True)
        for name in named - {"title"}
    } | {"title": DEFAULT_TITLE}
    changes: dict[str, Any] = {
        name: defaults[name] if getattr(given, name) is None else getattr(given, name)
        for name in named
    }
    present = {name: getattr(metadata, name) for name in _TONES}
    numbers = {name: changes[name] for name in _TONES if name in changes}
    if given.has("tone_preset"):
        numbers = _tones(present, numbers, given.tone_preset or DEFAULT_PRESET)
    if not numbers:
        return changes
    return _with_preset(present | changes | numbers)


def _tones(present: dict[str, int], numbers: dict[str, int], preset: str) -> dict[str, int]:
    """
    Return the tones that *preset* and *numbers* set together. Values as they were read are no change, so that a
    newsletter can be sent back with either of them changed. Raises InvalidInput if both are, to different tones.
    """
    of_preset = _numbers_of(preset)
    if not numbers:
        return of_preset
    is_new_preset = preset != nearest_preset(*present.values())
    if present | numbers == present:
        return of_preset if is_new_preset else numbers
    if is_new_preset and preset != nearest_preset(*(present | numbers).values()):
        problem = "must have tone_preset or numbers, not both"
        raise InvalidInput([{"field": "tone_preset", "problem": problem}])
    return numbers


def _tones_of_new(given: inputs.NewsletterInput) -> dict[str, int]:
    """Return the tones of a new newsletter's preset, if it has one."""
    return {} if given.tone_preset is None else _numbers_of(given.tone_preset)


def _numbers_of(preset: str) -> dict[str, int]:
    return dict(zip(_TONES, PRESETS[preset], strict=True))


def _with_preset(values: dict[str, Any]) -> dict[str, Any]:
    """Return values with the preset that is nearest to their tones; absent ones are the default's."""
    professional, technical = PRESETS[DEFAULT_PRESET]
    numbers = (
        values.get("tone_professional", professional),
        values.get("tone_technical", technical),
    )
    return {**values, "tone_preset": nearest_preset(*numbers)}


def _reached(newsletter: Newsletter) -> int:
    """Return the number of the last step that has content."""
    found = [STEP_NUMBERS[one] for one in STEPS if (s := newsletter.step(one)) and s.has_content]
    return max(found, default=1)
