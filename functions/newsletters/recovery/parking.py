"""Parks events that cannot be processed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.store import issues, parked
from newsletters.store.content import newsletters
from newsletters.store.items.issues import is_issue_id
from newsletters.store.items.metadata import is_code
from shared.events.recovery.event_store import text
from shared.runtime.json_objects import json_object

if TYPE_CHECKING:
    from newsletters.store.items import Issue, Metadata
    from shared.aws.dynamodb import Table
    from shared.runtime.failures import Permanent


def park(table: Table, body: str, refusal: Permanent) -> str | None:
    """
    Park a queue record that can never be processed; return its company, as far as it is known.

    Parked, it blocks nothing, is visible and can be replayed.
    """
    event = json_object(body) or {}
    code = text(event.get("code"))
    issue_id = text(event.get("issue_id"))
    found = _named(table, code, issue_id)
    company = found.company_id if found else text(event.get("company_id"))
    parked.events_of(table).park(
        body, event, refusal.reason, company, correlation_id=code or issue_id
    )
    return company


def _named(table: Table, code: str | None, issue_id: str | None) -> Metadata | Issue | None:
    if issue_id is not None:
        return issues.get(table, issue_id) if is_issue_id(issue_id) else None
    return newsletters.get_metadata(table, code) if code and is_code(code) else None
