"""Parses the events of `richpanel.fifo` and `richpanel-live.fifo`."""

from richpanel.inbound.channels import Channel
from richpanel.inbound.event import RichpanelEvent, is_sound
from shared.events import record_body
from shared.events.record_body import MALFORMED
from shared.runtime.failures import Permanent

_model = record_body.model_of(RichpanelEvent)


def parse_event(body: str) -> RichpanelEvent:
    """
    Parse a queue record. Raises Permanent (`malformed_event`, `unsupported_event_version`) and NewerVersion.

    Strict, since only our own functions write to these queues; unknown fields are ignored, so that a newer webhook
    function may add some.
    """
    raw = record_body.load_event(body)
    try:
        fields = raw | {"channel": Channel(raw["channel"])}
        event = record_body.parse_event(RichpanelEvent, _model, fields)
    except (ValueError, TypeError, KeyError, RecursionError):
        raise Permanent(MALFORMED) from None
    if not is_sound(event):
        raise Permanent(MALFORMED)
    return event
