"""Parks events that cannot be processed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.store import newsletters, parked
from newsletters.store.items.metadata import is_code
from shared.events.recovery.event_store import text
from shared.runtime.json_objects import json_object

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from shared.runtime.failures import Permanent


def park(table: Table, body: str, refusal: Permanent) -> str | None:
    """
    Park a queue record that can never be processed; return its company, as far as it is known.

    Parked, it blocks nothing, is visible and can be replayed.
    """
    event = json_object(body) or {}
    code = text(event.get("code"))
    metadata = newsletters.get_metadata(table, code) if code and is_code(code) else None
    company = metadata.company_id if metadata else None
    parked.events_of(table).park(body, event, refusal.reason, company, correlation_id=code)
    return company
