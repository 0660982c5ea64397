"""Creates newsletters and changes their configuration."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from newsletters.api import presenters, views
from newsletters.drafting.tone import DEFAULT_PRESET, PRESETS, nearest_preset
from newsletters.store import newsletters
from newsletters.store.items import STEP_NUMBERS, STEPS, Metadata
from newsletters.store.items.item import timestamp
from newsletters.store.items.metadata import LISTED, USER_PARTITION
from newsletters.store.newsletters import (
    CODE_ATTEMPTS,
    CodeTaken,
    Newsletter,
    NoCode,
    StaleVersion,
    create_newsletter,
    generate_newsletter_code,
)
from newsletters.store.steps import is_written
from shared.api.errors import InvalidInput
from shared.aws.tables.items import filled
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.api import inputs
    from newsletters.store.bucket.objects import Store
    from shared.api.routing.routes import Request

REPEATED_WITHIN_MS = clock.HOUR_MS  # in which clients repeat a call
DEFAULT_TITLE = "Newsletter Draft"
_TONES = ("tone_professional", "tone_technical")
_ID_SPACE = uuid.UUID("6f0d2c1e-6c6f-4f0c-9f6a-3f1f3f0a2b7d")


def create(store: Store, request: Request[inputs.NewsletterInput]) -> views.WrittenNewsletter:
    """Create a newsletter of the caller. A repeated call finds the first one by its id and code. Raises NoCode."""
    now, caller = clock.now_ms(), request.caller
    if (earlier := _before_midnight(store, request.cause, now)) is not None:
        return presenters.written_newsletter(earlier)
    owner = {"user_id": caller.principal, "company_id": caller.company}
    return presenters.written_newsletter(
        made(store, request.cause, now, values_of(request.input), **owner)
    )


def values_of(given: inputs.NewsletterInput) -> dict[str, Any]:
    """Return the configuration of a new newsletter, without absent values."""
    return _with_preset(given.model_dump(exclude_none=True) | _tones_of_new(given))


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
