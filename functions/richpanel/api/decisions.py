"""Lists the decisions of one day, newest first, filtered by intent, team, gate and outcome."""

import json
from typing import Any

from richpanel.api.access import ApiDependencies
from richpanel.api.inputs import DecisionListQuery
from richpanel.api.views import DecisionListView, DecisionView
from richpanel.store import audits
from richpanel.store.items import AuditAction
from shared.api.cursors import Listing, Page
from shared.api.opaque_ids import seal_of
from shared.api.routing.routes import Request
from shared.aws.dynamodb import Attributes

READ_AT_ONCE = 200
MOST_READ = 1_000  # decisions per request; if fewer match, the cursor continues after them


def list_decisions(
    deps: ApiDependencies, request: Request[DecisionListQuery]
) -> Page[DecisionListView]:
    """Return the decisions of a day that match, newest first. Raises InvalidCursor."""
    query = request.input
    wanted = query.model_dump(
        mode="json", include={"intent", "team", "gate", "outcome"}, exclude_none=True
    )
    parameters = (str(query.day), *(f"{name}={value}" for name, value in sorted(wanted.items())))
    listing = Listing(request.caller.company, "decisions", parameters)
    seal = seal_of(deps.seal_secret)
    position = listing.position(seal, query.cursor) if query.cursor else None
    found, position = _matching(deps, query, wanted, position)
    cursor = listing.cursor(seal, position) if position else None
    return Page(DecisionListView(day=str(query.day), decisions=found), cursor)


def _matching(
    deps: ApiDependencies,
    query: DecisionListQuery,
    wanted: dict[str, str],
    start: Attributes | None,
) -> tuple[list[DecisionView], Attributes | None]:
    """Return up to *query.limit* matching decisions after *start*, and the position after them; None at the end."""
    found: list[DecisionView] = []
    partition = AuditAction.decisions_of(str(query.day))
    for _ in range(MOST_READ // READ_AT_ONCE):
        rows, last = audits.page(deps.audit, partition, limit=READ_AT_ONCE, start=start)
        for row in rows:
            view = _view(row)
            if not all(getattr(view, name) == value for name, value in wanted.items()):
                continue
            found.append(view)
            if len(found) == query.limit:
                return found, audits.key_of(row)
        if last is None:
            return found, None
        start = last
    return found, start


def _view(row: AuditAction) -> DecisionView:
    facts: dict[str, Any] = json.loads(row.action_payload_redacted)
    return DecisionView(
        at=row.ts_action_id.partition("#")[0],
        conversation_id=row.ticket_id or "",
        event_id=row.idempotency_key,
        outcome=row.result,
        intent=facts.get("intent"),
        team=facts.get("team"),
        gate=facts.get("reason"),
        channel=facts.get("channel"),
        tier=facts.get("tier"),
        template=facts.get("template"),
        ai_dollars=facts.get("dollars"),
        facts=facts,
    )
