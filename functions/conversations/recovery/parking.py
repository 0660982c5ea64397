"""Parks events that can never be handled, with the reason, so that they do not block their queue."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from aws_lambda_powertools.metrics import MetricUnit

from conversations.configuration.folders import parked_events
from conversations.privacy import subjects
from conversations.store import routes, states
from conversations.store.items.records import DeadLetter, Parked, ParkReason
from conversations.store.recovery import unhandled
from shared.aws.sqs_fifo import digest
from shared.events.recovery import over_quota
from shared.runtime import clock
from shared.runtime.json_objects import json_object
from shared.runtime.observability import logger, metrics

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket

PARKED = "Parked"
_SHORT = 24


def park(
    log: Table, bucket: Bucket, source: str, body: str, reason: str, *, counted: str = PARKED
) -> None:
    """
    Park an event with the reason why it cannot be handled. Its body is stored in the bucket for a replay.

    The body of an event of an erased conversation is not stored: it may identify the person. *counted* is the metric
    to increment; the default one raises an alarm. Repeats store the body once, since the id is a hash of the event.

    Above the company's quota for this metric the event is stored in the bucket only, by
    `shared.events.recovery.over_quota`. A repeat counts again: the key of the first item cannot be derived from the
    event.
    """
    parked_id = digest(source, body)[:_SHORT]
    # Of an erased conversation only the reason is stored.
    stored_body = None if reason == ParkReason.ERASED else body
    company_id = company_of(log, body, reason)
    # Statuses with a separate metric must not take up the quota of the others.
    if unhandled.has_room(log, f"{counted}#{subjects.of_company(company_id)}"):
        whole = (
            parked_events(bucket).put(parked_id, stored_body.encode())
            if stored_body is not None
            else None
        )
        parked = Parked(
            parked_id=parked_id,
            reason=reason,
            source=source,
            event_type=type_of(body),
            body_object=whole.attributes() if whole else None,
            company_id=company_id,
            subjects=[
                subjects.of_company(company_id),
                *(subjects.of_body(stored_body) if stored_body is not None else ()),
            ],
            ttl=Parked.time_to_live(),
        )
        unhandled.park(log, clock.to_text(clock.now_ms()), parked)
    elif stored_body is not None:
        over_quota.keep(
            parked_events(bucket),
            company_id,
            parked_id,
            stored_body.encode(),
            reason=reason,
            subjects=subjects.of_body(stored_body),
        )
    else:
        over_quota.count(company_id, reason)
    metrics.add_metric(counted, MetricUnit.Count, 1)
    logger.warning("event parked", extra={"reason": reason, "parked": parked_id})


def company_of(log: Table, body: str, reason: str) -> str | None:
    """
    Return the company of a parked event; None if the event does not prove one.

    The business address proves nothing if another account signed the call (`TENANT_MISMATCH`): a company must not be
    able to fill the list of another one.
    """
    event = json_object(body) or {}
    if "ref" in event:
        state = states.read(log, str(event["ref"])) if event["ref"] else None
        return state.company_id if state else None
    if isinstance(event.get("conversation_data"), dict):
        project = event.get("company_data_payload")
        owner = project.get("company_id") if isinstance(project, dict) else None
        conversation_id = str(event["conversation_data"].get("conversation_id"))
        return owner if conversation_id.partition("#")[0] == owner else None
    channel, address = event.get("channel_method"), event.get("business_address")
    if reason == ParkReason.TENANT_MISMATCH or not channel or not address:
        return None
    owners = {owner.company_id for owner in routes.owners(log, str(channel), str(address))}
    return owners.pop() if len(owners) == 1 else None


def note_dead_letter(log: Table, source: str, body: str, reason: str, attempts: int) -> None:
    """Store the reason of a dead letter, which the letter itself does not contain. Idempotent."""
    note = DeadLetter(
        reason=reason,
        source=source,
        attempts=attempts,
        died_at=clock.to_text(clock.now_ms()),
        ttl=DeadLetter.time_to_live(),
    )
    unhandled.note_dead_letter(log, letter_hash(body), note)


def letter_hash(body: str) -> str:
    """Return the hash that identifies a dead letter by its body; the same after a redrive."""
    return digest("letter", body)


def type_of(body: str) -> str | None:
    """Return the `type` field of an event; None if it has none or the body is not a JSON object."""
    try:
        event = json.loads(body)
    except ValueError:
        return None
    kind = event.get("type") if isinstance(event, dict) else None
    return kind if isinstance(kind, str) and len(kind) <= _SHORT else None
