"""Composition root of the recovery of this context, for the admin function and `operations recovery`."""

from collections.abc import Callable

from richpanel.inbound.webhook import EventQueues
from richpanel.recovery.dead_letters import HelpDeskLetters
from richpanel.recovery.parked_events import HelpDeskParkedEvents
from richpanel.store.items import Event
from shared.aws.dead_letters import DeadLetters
from shared.aws.dynamodb import Table
from shared.events.recovery.port import Recovery


def recovery_of(
    *,
    idempotency: Table,
    state: Table,
    audit: Table,
    queues: EventQueues,
    dead_letters: DeadLetters,
    company: Callable[[], str | None],
) -> Recovery[Event]:
    """Return the parked events and dead letters of the help desk; *company* returns the one that its account names."""
    parked = HelpDeskParkedEvents(
        idempotency=idempotency, state=state, audit=audit, queues=queues, company=company
    )
    return Recovery(
        context="richpanel",
        parked=parked,
        dead_letters=(HelpDeskLetters(dead_letters, idempotency, audit, queues),),
    )
