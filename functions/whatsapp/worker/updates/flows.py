"""Provider updates about flows. The answers of flows are messages."""

from aws_lambda_powertools.metrics import MetricUnit

from shared.runtime.observability import metrics
from whatsapp.configuration.resources import Resources
from whatsapp.inbound.event import Event, Outcome
from whatsapp.inbound.owners import Account
from whatsapp.recovery import parking

_STOPPED = frozenset({"THROTTLED", "BLOCKED"})


def note(resources: Resources, event: Event, account: Account) -> Outcome:
    """Store the event; count flows that customers can hardly open any more, for an alarm."""
    status = (event.payload or {}).get("new_status")
    if isinstance(status, str) and status in _STOPPED:
        metrics.add_metric("FlowBlocked", MetricUnit.Count, 1)
    return parking.keep(resources, event, account)
