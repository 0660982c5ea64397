"""
The routes of parked events and dead letters, the same in every context.

    GET  /{context}/parked                     scopes *read*, or operator
    POST /{context}/parked/{event_id}/replay   scopes *replay*, or operator
    POST /{context}/parked/replay              scopes *replay*, or operator
    GET  /{context}/dead-letters               operator
    POST /{context}/dead-letters/redrive       operator

A company's key sees and replays only the company's own parked events. Dead letters carry no verified company.
"""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Literal

from aws_lambda_powertools.metrics import MetricUnit
from pydantic import Field

from shared.api.auth import Caller, Forbidden, Scope
from shared.api.cursors import Listing, Page
from shared.api.models.inputs import Input, NoInput
from shared.api.opaque_ids import seal_of
from shared.api.routing.responses import Errors
from shared.api.routing.routes import Request, Routes
from shared.aws.secrets import JsonSecret
from shared.events.recovery import dead_letters, parked_events
from shared.events.recovery.parked_events import Replay
from shared.events.recovery.port import Filter, NotFound, NotReplayable, Position, Recovery
from shared.events.recovery.views import (
    DeadLetters,
    ParkedEvent,
    ParkedEvents,
    Redriven,
    Redrives,
    Replays,
)
from shared.runtime import clock
from shared.runtime.observability import logger, metrics

# One replay makes a handful of calls; this time is reserved for the response.
SPARE_MS = 8 * clock.SECOND_MS
ERRORS: Errors = {
    NotFound: (HTTPStatus.NOT_FOUND, "not_found"),
    NotReplayable: (HTTPStatus.CONFLICT, "not_replayable"),
}


class _Limit(Input):
    limit: int = Field(default=50, ge=1, le=100)


class ParkedInput(_Limit):
    """Filter for parked events. `company` is for operators; if absent: all companies, and events without one."""

    reason: str | None = Field(default=None, pattern=r"^[A-Za-z0-9_]{1,64}$")
    company: str | None = Field(default=None, pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")
    cursor: str | None = None


class ParkedQuery(ParkedInput):
    """Filter for listing parked events. `waiting`: those not processed yet."""

    state: Literal["waiting", "all"] = "waiting"


class LettersQuery(_Limit):
    """Limits the number of dead letters per queue."""


class RedriveInput(_Limit):
    """Selects dead letters: those with the given ids, or up to `limit`."""

    ids: list[str] | None = Field(default=None, min_length=1, max_length=100)


@dataclass(slots=True, kw_only=True, eq=False)
class RecoveryRoutes:
    """The recovery of one context over HTTP; *seal_secret* seals cursors (`shared.api.opaque_ids.seal_of`)."""

    recovery: Recovery[Any]
    seal_secret: JsonSecret

    def declare(
        self, routes: Routes, *, read: tuple[Scope, ...], replay: tuple[Scope, ...]
    ) -> None:
        """Declare the routes: one of the scopes *read* is needed to list parked events, one of *replay* to replay."""
        base = f"/{self.recovery.context}"
        operator, accepted = Scope.OPERATOR, HTTPStatus.ACCEPTED
        reads, changes = routes.reads, routes.changes
        reads(f"GET {base}/parked", *read, operator)(self.list_parked)
        changes(f"POST {base}/parked/{{event_id}}/replay", *replay, operator, status=accepted)(
            self.replay_parked
        )
        changes(f"POST {base}/parked/replay", *replay, operator, status=accepted)(
            self.replay_all_parked
        )
        reads(f"GET {base}/dead-letters", operator)(self.list_dead_letters)
        changes(f"POST {base}/dead-letters/redrive", operator, status=accepted)(
            self.redrive_dead_letters
        )

    def list_parked(self, request: Request[ParkedQuery]) -> Page[ParkedEvents]:
        """List parked events, newest first."""
        query, store = request.input, self.recovery.parked
        states = store.waiting if query.state == "waiting" else None
        company = _company(request.caller, query.company)
        criteria = Filter(company=company, reason=query.reason, states=states)
        listing = self._listing(request.caller, "parked", criteria, query.state)
        start = self._position(listing, query.cursor)
        parked_page, last = parked_events.listed(store, criteria, limit=query.limit, start=start)
        views = ParkedEvents(events=[parked.view for parked in parked_page])
        return Page(views, self._cursor(listing, last))

    def replay_parked(self, request: Request[NoInput], event_id: str) -> Callable[[], ParkedEvent]:
        """Queue one parked event again."""
        caller, store = request.caller, self.recovery.parked
        company = _company(caller, None)

        def change() -> ParkedEvent:
            done = parked_events.replay(store, event_id, company, by=caller.principal)
            _log_replay(caller, done)
            return done.event

        return change

    def replay_all_parked(self, request: Request[ParkedInput]) -> Callable[[], Page[Replays]]:
        """Queue open parked events again, newest first."""
        caller, body = request.caller, request.input
        criteria = Filter(company=_company(caller, body.company), reason=body.reason)
        listing = self._listing(caller, "replay", criteria)
        start = self._position(listing, body.cursor)
        done: list[Replay] = []

        def report(replay: Replay) -> None:
            done.append(replay)
            _log_replay(caller, replay)

        def change() -> Page[Replays]:
            last = parked_events.replay_all(
                self.recovery.parked,
                criteria,
                limit=body.limit,
                start=start,
                report=report,
                is_over=_is_over(request),
                by=caller.principal,
            )
            return Page(parked_events.outcome(done), self._cursor(listing, last))

        return change

    def list_dead_letters(self, request: Request[LettersQuery]) -> DeadLetters:
        """List dead letters of each queue."""
        return dead_letters.listed(self.recovery.dead_letters, limit=request.input.limit)

    def redrive_dead_letters(self, request: Request[RedriveInput]) -> Callable[[], Redrives]:
        """Redrive dead letters to their source."""
        body, queues, caller = request.input, self.recovery.dead_letters, request.caller
        done: list[Redriven] = []

        def report(redriven: Redriven) -> None:
            done.append(redriven)
            _log_redrive(caller, redriven)

        def change() -> Redrives:
            dead_letters.redrive(
                queues,
                ids=body.ids,
                limit=body.limit,
                report=report,
                is_over=_is_over(request),
                by=caller.principal,
            )
            missing = sorted(set(body.ids or ()) - {redriven.id for redriven in done})
            return Redrives(letters=done, missing=missing, waiting=dead_letters.waiting(queues))

        return change

    def _listing(self, caller: Caller, use: str, criteria: Filter, state: str = "") -> Listing:
        """Return the listing that a cursor is bound to."""
        # None means every company: `*` cannot be a company name.
        whose = "*" if criteria.company is None else criteria.company
        parts = (use, whose, criteria.reason or "", state)
        return Listing(caller.company, f"{self.recovery.context}/parked", parts)

    def _position(self, listing: Listing, cursor: str | None) -> Position:
        """Return the position of a cursor. Raises InvalidCursor."""
        return listing.position(seal_of(self.seal_secret), cursor) if cursor is not None else None

    def _cursor(self, listing: Listing, last: Position) -> str | None:
        return listing.cursor(seal_of(self.seal_secret), last) if last else None


def _company(caller: Caller, requested_company: str | None) -> str | None:
    """Return the company to filter by; None, meaning all and none, only for operators. Raises Forbidden."""
    if Scope.OPERATOR in caller.scopes:
        return requested_company
    if requested_company not in {None, caller.company}:
        raise Forbidden(f"company: requires the scope {Scope.OPERATOR}")
    return caller.company


def _is_over(request: Request[Any]) -> Callable[[], bool]:
    return lambda: request.remaining_ms < SPARE_MS


def _log_replay(caller: Caller, replay: Replay) -> None:
    _log(
        caller,
        "parked event refused" if replay.refused else "parked event replayed",
        {
            "event_id": replay.event.event_id,
            "correlation_id": replay.event.correlation_id,
            "reason": replay.refused or replay.event.reason,
            "replay": replay.number,
        },
    )
    metrics.add_metric("Replayed", MetricUnit.Count, int(replay.number is not None))


def _log_redrive(caller: Caller, redriven: Redriven) -> None:
    _log(
        caller,
        "dead letter refused" if redriven.refused else "dead letter redriven",
        {
            "letter": redriven.id,
            "correlation_id": redriven.correlation_id,
            "reason": redriven.refused,
        },
    )
    metrics.add_metric("Redriven", MetricUnit.Count, int(redriven.refused is None))


def _log(caller: Caller, message: str, facts: dict[str, Any]) -> None:
    """Write one log line per requeued event, with its caller."""
    actor = {"company": caller.company, "principal": caller.principal}
    logger.info(message, extra=facts | actor)
