"""Recovery requests of the admin API: filters them by the caller's company, pages them, logs and counts each event."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aws_lambda_powertools.metrics import MetricUnit

from shared import clock
from shared.api.auth import Caller, Forbidden, Scope
from shared.api.cursors import Listing, Page
from shared.api.opaque_ids import seal_of
from shared.api.routing import Request
from shared.aws.secrets import JsonSecret
from shared.runtime.observability import logger, metrics
from whatsapp.api.inputs import ParkedInput, ParkedQuery, RedriveInput
from whatsapp.api.views import (
    ParkedEvents,
    ParkedView,
    Redriven,
    RedrivenLetters,
    RefusedReplayView,
    ReplaysView,
    ReplayView,
    parked_view,
)
from whatsapp.recovery import dead_letters, replay
from whatsapp.recovery.replay import Position, Replay, Wanted
from whatsapp.resources import Depot
from whatsapp.store.events import EVENT_INDEX

# One replay makes a handful of calls; this time is reserved for the response.
SPARE_MS = 8 * clock.SECOND_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryDependencies:
    """Dependencies of the recovery routes. *seal_secret* seals cursors (`shared.api.opaque_ids.seal_of`)."""

    depot: Depot
    seal_secret: JsonSecret


def parked(deps: RecoveryDependencies, request: Request[ParkedQuery]) -> Page[ParkedEvents]:
    """List parked events, newest first. Raises Forbidden and InvalidCursor."""
    given = request.given
    states = replay.WAITING if given.state == "waiting" else None
    company = _company(request.caller, given.company)
    wanted = Wanted(company=company, reason=given.reason, states=states)
    listing, start = _listing(deps, request.caller, "parked", given, given.state)
    events, last = replay.parked(deps.depot.table, wanted, limit=given.limit, start=start)
    views = ParkedEvents(events=[parked_view(event) for event in events])
    return Page(views, _cursor(deps, listing, last))


def replay_one(deps: RecoveryDependencies, caller: Caller, event_id: str) -> ParkedView:
    """Queue one parked event again. Raises NotFound, NotReplayable and NotEnqueued."""
    done = replay.replay(deps.depot, event_id, _company(caller, None), by=caller.principal)
    _tell(caller, done)
    return parked_view(done.event)


def replay_all(
    deps: RecoveryDependencies, request: Request[ParkedInput]
) -> Callable[[], Page[ReplaysView]]:
    """Queue open parked events again, newest first. Raises Forbidden and InvalidCursor; later NotEnqueued."""
    caller, given = request.caller, request.given
    wanted = Wanted(company=_company(caller, given.company), reason=given.reason)
    listing, start = _listing(deps, caller, "replay", given)
    done: list[Replay] = []

    def tell(one: Replay) -> None:
        done.append(one)
        _tell(caller, one)

    def change() -> Page[ReplaysView]:
        last = replay.replay_all(
            deps.depot,
            wanted,
            limit=given.limit,
            start=start,
            tell=tell,
            is_over=_is_over(request),
            by=caller.principal,
        )
        return Page(_replays(done), _cursor(deps, listing, last))

    return change


def redrive(deps: RecoveryDependencies, request: Request[RedriveInput]) -> RedrivenLetters:
    """Redrive dead letters to their source. Raises NotEnqueued."""
    given = request.given
    done: list[Redriven] = []

    def tell(one: Redriven) -> None:
        done.append(one)
        _tell_redriven(request.caller, one)

    dead_letters.redrive(
        deps.depot,
        ids=given.ids,
        limit=given.limit,
        tell=tell,
        is_over=_is_over(request),
        by=request.caller.principal,
    )
    return RedrivenLetters(
        letters=done,
        missing=sorted(set(given.ids or ()) - {one.id for one in done}),
        waiting=dead_letters.waiting(deps.depot),
    )


def _company(caller: Caller, asked: str | None) -> str | None:
    """Return the company to filter by; None, meaning all and none, only for operators. Raises Forbidden."""
    if Scope.OPERATOR in caller.scopes:
        return asked
    if asked not in {None, caller.company}:
        raise Forbidden(f"company: requires the scope {Scope.OPERATOR}")
    return caller.company


def _listing(
    deps: RecoveryDependencies, caller: Caller, use: str, given: ParkedInput, state: str = ""
) -> tuple[Listing, Position]:
    """Return the listing that a cursor is bound to, and the position of the given cursor. Raises InvalidCursor."""
    whose = _company(caller, given.company)
    # None means every company: `*` cannot be a company name.
    parts = (use, "*" if whose is None else whose, given.reason or "", state)
    listing = Listing(caller.company, EVENT_INDEX, parts)
    if given.cursor is None:
        return listing, None
    return listing, listing.position(seal_of(deps.seal_secret), given.cursor)


def _cursor(deps: RecoveryDependencies, listing: Listing, last: Position) -> str | None:
    return listing.cursor(seal_of(deps.seal_secret), last) if last else None


def _is_over(request: Request[Any]) -> Callable[[], bool]:
    return lambda: request.remaining_ms < SPARE_MS


def _replays(done: list[Replay]) -> ReplaysView:
    return ReplaysView(
        replayed=[
            ReplayView(
                event_id=one.event.event_id,
                correlation_id=one.event.correlation_id,
                replay=one.number,
            )
            for one in done
            if one.number is not None
        ],
        refused=[
            RefusedReplayView(event_id=one.event.event_id, why=one.refused)
            for one in done
            if one.refused
        ],
    )


def _tell(caller: Caller, one: Replay) -> None:
    _log(
        caller,
        "parked event refused" if one.refused else "parked event replayed",
        {
            "event_id": one.event.event_id,
            "correlation_id": one.event.correlation_id,
            "reason": one.refused or one.event.reason,
            "replay": one.number,
        },
    )
    metrics.add_metric("Replayed", MetricUnit.Count, int(one.number is not None))


def _tell_redriven(caller: Caller, one: Redriven) -> None:
    _log(
        caller,
        "dead letter refused" if one.refused else "dead letter redriven",
        {"letter": one.id, "correlation_id": one.correlation_id, "reason": one.refused},
    )
    metrics.add_metric("Redriven", MetricUnit.Count, int(one.refused is None))


def _log(caller: Caller, message: str, facts: dict[str, Any]) -> None:
    """Write one log line per requeued event, with its caller."""
    who = {"company": caller.company, "principal": caller.principal}
    logger.info(message, extra=facts | who)
