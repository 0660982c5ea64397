"""Parks events that cannot be processed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from email_threads.inbound.events import FEEDBACK
from email_threads.recovery import claims
from email_threads.store import parked
from shared.runtime.failures import Permanent
from shared.runtime.json_objects import json_object

if TYPE_CHECKING:
    from email_threads.configuration.resources import Resources


class CompanyRefusal(Permanent):
    """A mail of a known company can never be processed."""

    def __init__(self, reason: str, company_id: str) -> None:
        super().__init__(reason)
        self.company_id = company_id


def park(resources: Resources, body: str, refusal: Permanent) -> str | None:
    """
    Park a queue record that can never be processed; return its company, as far as it is known.

    Parked, it blocks nothing, is visible and can be replayed. The raw mail stays in the bucket for 30 days. An event
    about several recipients is parked once for each: they are erased one by one.
    """
    event = json_object(body) or {}
    event.pop("is_released", None)  # Set by a replay: the event keeps its id.
    if isinstance(refusal, CompanyRefusal):
        company: str | None = refusal.company_id
    else:
        company = claims.company_of(resources, event)
    events = parked.events_of(resources.table)
    for part in _by_recipient(event):
        subject = claims.subject_of(resources.bucket, part) if company is None else None
        events.park(body, part, refusal.reason, company, participant=subject)
    return company


def _by_recipient(event: dict[str, Any]) -> list[dict[str, Any]]:
    """Return an event of SES once for each of its recipients; any other event as it is."""
    named = event.get("recipients")
    if event.get("type") != FEEDBACK or not isinstance(named, list) or len(named) < 2:  # noqa: PLR2004 - several
        return [event]
    return [{**event, "recipients": [one]} for one in dict.fromkeys(map(str, named))]
