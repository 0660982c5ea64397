"""
Messages decided in dry run, whose tickets are routed afterwards (`python -m operations richpanel backfill`).

The ticket is routed, tagged and assigned as for a new message, without a reply: the message is old. The turn has a
separate event, so that a repeated backfill changes nothing.
"""

from collections.abc import Mapping
from dataclasses import replace

from richpanel.clients.tickets import Ticket
from richpanel.configuration.account_settings import Account
from richpanel.decisions.facts import RouteOnly
from richpanel.inbound.event import event_id_of_message
from richpanel.store.items import Event, EventStatus
from richpanel.worker import turns
from richpanel.worker.cases import decisions
from richpanel.worker.turns import CustomerTurn, Reading
from shared.aws.sqs_fifo import digest


def event_id(decided: str, conversation_id: str) -> str:
    """Return the id of the backfill of the event *decided*; the hash cannot be the id of a message."""
    return event_id_of_message(conversation_id, digest("backfill", decided))


def is_open_to_it(account: Account, ticket: Ticket, reading: Reading) -> bool:
    """Return whether routing helps: the ticket is open, and no agent has it or has answered the newest message."""
    if ticket.is_closed or decisions.is_assigned_to_person(account, ticket) or not reading.customer:
        return False
    newest = reading.customer[-1].position
    return not any(position > newest for position in reading.agent_positions)


def due(
    account: Account,
    ticket: Ticket,
    reading: Reading,
    rows: Mapping[str, Event],
    decided: str | None,
) -> list[CustomerTurn]:
    """
    Return the turn of a backfill; empty if there is nothing to route any more.

    *decided* is the event of the message that was decided in dry run, *rows* are the event rows of the ticket's
    comments. A newer message was routed by itself.
    """
    if not is_open_to_it(account, ticket, reading):
        return []
    newest = reading.customer[-1]
    row = rows.get(newest.key)
    if newest.key != decided or row is None or row.status != EventStatus.PROCESSED:
        return []
    target = replace(newest, key=event_id(newest.key, row.conversation_id))
    earlier = turns.covered(reading, rows, newest)
    return [CustomerTurn(target, tuple(earlier), RouteOnly.BACKFILL)]
