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
    from newsletters.store.objects import Store
    from shared.api.routing.routes import Request

REPEATED_WITHIN_MS = clock.HOUR_MS  # in which clients repeat a call
DEFAULT_TITLE = "Newsletter Draft"
_ID_SPACE = uuid.UUID("6f0d2c1e-6c6f-4f0c-9f6a-3f1f3f0a2b7d")


def create(store: Store, request: Request[inputs.NewsletterInput]) -> views.WrittenNewsletter:
    """Create a newsletter of the caller. A repeated call finds the first one by its id and code. Raises NoCode."""
    now, caller, given = clock.now_ms(), request.caller, request.input
    values = _with_preset({**given.model_dump(exclude_none=True), **given.tones()})
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


def configure(
    store: Store, newsletter: Newsletter, given: inputs.NewsletterChange
) -> views.WrittenNewsletter:
    """Change the configuration; null sets a default. Raises InvalidInput for a step ahead, and StaleVersion."""
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
    named = given.model_fields_set - {"version"}
    defaults = {
        name: Metadata.model_fields[name].get_default(call_default_factory=True)
        for name in named - {"title", "tone_preset"}
    } | {"title": DEFAULT_TITLE}
    changes: dict[str, Any] = {
        name: defaults[name] if getattr(given, name) is None else getattr(given, name)
        for name in named - {"tone_preset"}
    }
    changes |= given.tones()
    if not {"tone_professional", "tone_technical"} & set(changes):
        return changes
    present = {name: getattr(metadata, name) for name in ("tone_professional", "tone_technical")}
    return _with_preset(present | changes)


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
