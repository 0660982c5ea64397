"""Views of parked events and dead letters in the API and `operations recovery`: ids, reasons, states, times."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from shared.api.models import views


class View(views.View):
    """Part of a response, in camelCase."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class ParkedEvent(View):
    """
    A parked event: why it is parked, and the state of its replays (`shared.events.recovery.states`).

    `kind` is the type of the event. `source` is the worker that parked it, where several do. `phone` and `waba` are
    Meta's ids of the business number and its account. `payload` is an outline: the structure without any content.
    """

    event_id: str
    state: str
    reason: str | None = None
    kind: str | None = None
    source: str | None = None
    company: str | None = None
    phone: str | None = None
    waba: str | None = None
    correlation_id: str | None = None  # the id used in logs
    received_at: str | None = None
    parked_at: str
    replay_count: int | None = None
    replayed_at: str | None = None
    parked_again_at: str | None = None
    replaced_by: str | None = None
    resolved_at: str | None = None
    payload: Any = None


class ParkedEvents(View):
    """A page of parked events, newest first."""

    events: list[ParkedEvent]


class Replayed(View):
    """An event that was queued again; `replay` is the number of the replay."""

    event_id: str
    correlation_id: str | None = None
    replay: int


class Refused(View):
    """An event that cannot be replayed; `why` is a code of `shared.events.recovery.port.NotReplayable`."""

    event_id: str
    why: str


class Replays(View):
    """The outcome of a replay of several events."""

    replayed: list[Replayed]
    refused: list[Refused]


class DeadLetter(View):
    """
    A dead letter. `queue` is the dead-letter queue, by its name in `waiting`.

    `reason` is the error of the last attempt, or `no_error_reported`. `source` is the worker that made it, where
    several share the dead-letter queue. `redriven_at`: the last redrive.
    """

    id: str
    queue: str
    source: str | None = None
    kind: str | None = None
    reason: str
    attempts: int | None = None
    correlation_id: str | None = None
    received_at: str | None = None
    dead_since: str
    redriven_at: str | None = None


class DeadLetters(View):
    """The dead letters visible now, and the approximate number in each dead-letter queue."""

    letters: list[DeadLetter]
    waiting: dict[str, int]


class Redriven(View):
    """
    The outcome of one redrive: queued again, or *refused* with a reason and left in place.

    `destination` is the name of the queue it went to, where a dead-letter queue serves several.
    """

    id: str
    queue: str
    destination: str | None = None
    correlation_id: str | None = None
    refused: str | None = None


class Redrives(View):
    """The outcome of a redrive; `missing`: ids that no dead letter has, or that are in flight."""

    letters: list[Redriven]
    missing: list[str]
    waiting: dict[str, int]
