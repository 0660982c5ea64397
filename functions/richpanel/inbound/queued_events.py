"""Parses the events of `richpanel.fifo` and `richpanel-live.fifo`."""

import json

from richpanel.inbound.channels import Channel
from richpanel.inbound.event import VERSION, RichpanelEvent, is_sound
from shared.aws import record_body
from shared.aws.record_body import MALFORMED
from shared.failures import Permanent

_model = record_body.model_of(RichpanelEvent)


def parse_event(body: str) -> RichpanelEvent:
    """
    Parse a queue record. Raises Permanent (`malformed_event`) if it is not a valid event.

    Strict, since only our own functions write to these queues; unknown fields are ignored, so that a newer webhook
    function may add some.
    """
    try:
        raw = json.loads(body)
        fields = raw | {"channel": Channel(raw["channel"])}
        event = record_body.parse_event(RichpanelEvent, _model, fields)
    except (ValueError, TypeError, KeyError, RecursionError):
        raise Permanent(MALFORMED) from None
    if raw.get("v") != VERSION or not is_sound(event):
        raise Permanent(MALFORMED)
    return event
