"""The event that lets a job refresh what the providers report about numbers and templates, once an hour."""

from shared.aws.sqs_fifo import Entry, digest
from shared.runtime import clock
from whatsapp.inbound.event import REFRESH, Event


def entry_of(at_ms: int) -> Entry:
    """Return the entry for the queue of jobs of the hour of *at_ms*; a second one does nothing."""
    hour = clock.to_text(at_ms)[:13]
    event = Event(
        kind=REFRESH, id=f"{REFRESH}#{hour}", source="parley", app="", accepted_at=at_ms, waba="",
        phone="", display_phone="", field=REFRESH, at=at_ms // clock.SECOND_MS, index=0, contact=None,
        payload={"at": at_ms}, hash=digest(REFRESH, hour),
    )  # fmt: skip
    return event.entry(group=(REFRESH,), deduplication=(event.id,))
