"""
Finds delivery statuses whose callback never arrived, in the message lists that the gap check reads anyway.

Only Twilio can be queried. AWS End User Messaging SMS has no operation that reads a message; SES has one
(GetMessageInsights), which needs Virtual Deliverability Manager, at a price per mail; Meta's API has none, and Meta
retries a callback for seven days.

A lookup costs two reads per listed message that Parley sent, and no write unless the status is new.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.inbound.webhooks.twilio_events import delivery_status
from conversations.outbound.providers.status_codes import meaning
from conversations.store import messages
from conversations.store.items.log import Delivery
from shared.events.exchange import status_entry

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shared.aws.dynamodb import Table
    from shared.aws.sqs_fifo import Entry
    from shared.providers.twilio.messages import Listed

PROVIDER = "twilio"
_AT_ONCE = 100
_WAITING = frozenset({Delivery.SENDING, Delivery.UNKNOWN, Delivery.ACCEPTED, Delivery.QUEUED})
_IS_NEWS_AFTER: Mapping[Delivery, frozenset[Delivery]] = {
    Delivery.SENT: _WAITING,
    Delivery.DELIVERED: _WAITING | {Delivery.SENT},
    Delivery.READ: _WAITING | {Delivery.SENT, Delivery.DELIVERED},
    Delivery.FAILED: _WAITING | {Delivery.SENT},
}


def entries(log: Table, account_sid: str, listed: Sequence[Listed]) -> list[Entry]:
    """
    Return the statuses in *listed* that the log does not have yet, as entries of the statuses queue.

    Messages that other software sent from the account are ignored. Idempotent: a status is applied once.
    """
    sent = [message for message in listed if not message.is_inbound]
    new_entries: list[Entry] = []
    for first in range(0, len(sent), _AT_ONCE):
        new_entries += _entries(log, account_sid, sent[first : first + _AT_ONCE])
    return new_entries


def _entries(log: Table, account_sid: str, sent: Sequence[Listed]) -> list[Entry]:
    links = messages.linked_many(log, PROVIDER, [message.sid for message in sent])
    stored_statuses = messages.delivery_of(log, links.values())
    new_entries: list[Entry] = []
    for message in sent:
        link = links.get(message.sid)
        if link is None:
            continue
        status = delivery_status(
            message.callback_fields(), account_sid, link.action_id, message.updated_at_ms
        )
        new, old = meaning(status), stored_statuses.get((link.ref, link.message_sk))
        if new is not None and old in _IS_NEWS_AFTER.get(new, ()):
            new_entries.append(status_entry(status))
    return new_entries
