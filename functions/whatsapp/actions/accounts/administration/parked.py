"""Lists and replays parked events of the company."""

from typing import Annotated, Any, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.events.recovery import parked_events, port
from shared.events.recovery.parked_events import Replay
from shared.events.recovery.port import Filter, NotReplayable, Parked, Position
from shared.events.recovery.states import OPEN
from shared.events.recovery.views import ParkedEvent, ParkedEvents, Replays
from shared.runtime import clock
from whatsapp.actions.accounts.administration.sends import OPS
from whatsapp.actions.calls import paging
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.inputs import Cursor, Input, Moment, PageInput, Whole
from whatsapp.actions.dispatch.registration import Group
from whatsapp.api.queries import NotFound
from whatsapp.recovery.parked_events import InboxParkedEvents
from whatsapp.store.items import WebhookEvent

SECURITY = Group("webhook_security")
MOST_RETRIES = 5
# An API call must answer within half a minute; a replay reads an object and sends a message.
SPARE_MS = 6 * clock.SECOND_MS

type EventId = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
type Reason = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,64}$")]


class ListParked(PageInput):
    """A reason, and the time in which the events were received."""

    reason: Annotated[Reason | None, Field(description="only those parked for this reason")] = None
    since: Moment | None = None
    until: Moment | None = None


class ReplayParked(Input):
    """Events by id, or all with a reason or since a time."""

    reason: Annotated[Reason | None, Field(description="only those parked for this reason")] = None
    since: Moment | None = None
    until: Moment | None = None
    event_ids: Annotated[list[EventId], Field(min_length=1, max_length=100)] | None = None
    limit: Annotated[Whole, Field(ge=1, le=1_000)] = 100
    cursor: Cursor | None = None

    @model_validator(mode="after")
    def _is_narrowed(self) -> Self:
        narrowed = self.reason is not None or self.since is not None
        if (self.event_ids is None) != narrowed:
            raise PydanticCustomError("events", "must have eventIds, or reason or since")
        return self


class Retry(Input):
    """A parked event."""

    webhook_event_id: EventId


@OPS.reads("local", Scope.WHATSAPP_ADMIN)
def list_parked_events(call: Call[ListParked]) -> Page[ParkedEvents]:
    """
    List the company's parked events, newest first, with the reason and an outline of the payload without content.

    Events of an unknown number belong to no company: only operators see them. A page may be short and have a cursor.
    """
    found, position = _listed(call, call.input.limit, frozenset())
    views = [parked.view for parked in found]
    return Page(ParkedEvents(events=views), paging.cursor_of(call, position))


@OPS.changes("local", Scope.WHATSAPP_ADMIN)
def replay_parked_events(call: Call[ReplayParked]) -> Page[Replays]:
    """
    Queue parked events again: the named ones, or the open ones with a reason or since a time.

    Within a call the oldest goes first; the calls begin with the newest events. Events that are queued already are
    skipped, so the call can be repeated. It stops before its time ends and returns a cursor. Events that cannot be
    replayed are returned as refused, with the reason.
    """
    if call.input.event_ids is not None:
        replays = [_one(call, event_id) for event_id in dict.fromkeys(call.input.event_ids)]
        return Page(parked_events.outcome(replays))
    start = paging.start_of(call)
    found, position = _listed(call, call.input.limit, frozenset({OPEN}))
    replays = []
    for parked in reversed(found):
        if replays and call.remaining_ms() < SPARE_MS:
            # The rest is still open, and found again from here.
            return Page(parked_events.outcome(replays), paging.cursor_of(call, start or _BEGINNING))
        replays.append(_one(call, parked.view.event_id))
    return Page(parked_events.outcome(replays), paging.cursor_of(call, position))


@SECURITY.changes("local", Scope.WHATSAPP_ADMIN)
def webhook_retry(call: Call[Retry]) -> ParkedEvent:
    """
    Queue one parked event again, at most five times; its record counts the attempts.

    Errors: `state_conflict` after five attempts, and for an event that is handled or cannot be replayed.
    """
    event_id = call.input.webhook_event_id
    parked = _store(call).one(event_id, call.company)
    if parked is None:
        raise NotFound("webhookEventId: parked event not found")
    if parked.next_replay > MOST_RETRIES:
        raise StateConflict(f"webhookEventId: was retried {MOST_RETRIES} times")
    replay = _one(call, event_id)
    if replay.number is None:
        raise StateConflict(f"webhookEventId: {replay.refused or replay.event.state}")
    return replay.event.model_copy(update={"payload": None})


# A cursor must have a position; an empty one would be no cursor.
_BEGINNING = {"pk": ""}


def _store(call: Call[Any]) -> InboxParkedEvents:
    return InboxParkedEvents(call.table, call.resources.bucket, call.resources.queue)


def _listed(
    call: Call[Any], limit: int, states: frozenset[str]
) -> tuple[list[Parked[WebhookEvent]], Position]:
    """Return parked events of the company that fit the call, newest first, and the next position."""
    asked = call.input
    criteria = Filter(company=call.company, reason=asked.reason, states=states or None)
    start = paging.start_of(call)
    start = None if start == _BEGINNING else start
    found, position = parked_events.listed(_store(call), criteria, limit=limit, start=start)
    since = clock.to_text(round(asked.since.timestamp() * 1_000)) if asked.since else ""
    until = clock.to_text(round(asked.until.timestamp() * 1_000)) if asked.until else "~"
    fitting = [one for one in found if since <= (one.view.received_at or "") <= until]
    # Newest first: the rest of the list is older than `since`.
    is_over = bool(found) and (found[-1].view.received_at or "") < since
    return fitting, None if is_over else position


def _one(call: Call[Any], event_id: str) -> Replay:
    """Replay one event of the company. Raises NotFound and NotEnqueued."""
    parked = _store(call).one(event_id, call.company)
    try:
        return parked_events.replay(_store(call), event_id, call.company, by=call.caller.principal)
    except port.NotFound:
        raise NotFound("eventIds: parked event not found") from None
    except NotReplayable as refusal:
        if parked is None:  # It expired meanwhile.
            raise NotFound("eventIds: parked event not found") from None
        return Replay(parked.view, refused=refusal.why)
