"""Builds the event rows of customer comments; a row stores the hash of its comment, and no text."""

import hashlib

from richpanel.decisions.switches import Switches
from richpanel.inbound.channels import Channel
from richpanel.inbound.event import RichpanelEvent
from richpanel.store.items import Event, EventStatus, Mode
from richpanel.worker.turns import CustomerComment, canonical
from shared.aws.sqs_fifo import to_json
from shared.runtime import clock


def new_row(
    event: RichpanelEvent,
    comment: CustomerComment,
    switches: Switches,
    channel: Channel,
    owner: str,
) -> Event:
    """Return the row that *owner* claims for a turn; *comment* is the target of the turn."""
    now = clock.to_text(clock.now_ms())
    hashed, size = _digest(comment, event.conversation_id)
    can_answer = switches.may_automate(channel)
    return Event(
        event_id=comment.key,
        conversation_id=event.conversation_id,
        source_message_id=comment.message_id,
        created_at=now,
        last_processed_at=now,
        received_at=clock.to_text(event.received_at),
        status=EventStatus.PROCESSING,
        mode=Mode.AUTOMATION_CANDIDATE if can_answer else Mode.ROUTE_ONLY,
        safe_mode=switches.safe_mode,
        automation_enabled=switches.automation_enabled,
        payload_sha256=hashed,
        payload_bytes=size,
        lease_owner=owner,
        expires_at=Event.time_to_live(),
    )


def row_of_earlier(comment: CustomerComment, claimed: Event) -> Event:
    """Return the row of an earlier comment that is handled together with the claimed one."""
    hashed, size = _digest(comment, claimed.conversation_id)
    facts = {
        "event_id": comment.key,
        "source_message_id": comment.message_id,
        "payload_sha256": hashed,
        "payload_bytes": size,
    }
    return claimed.model_copy(update=facts)


def was_edited(comment: CustomerComment, row: Event) -> bool:
    """Return whether the comment was edited after its row was written."""
    return row.payload_sha256 != _digest(comment, row.conversation_id)[0]


def _digest(comment: CustomerComment, conversation_id: str) -> tuple[str, int]:
    """Return hash and size of a comment's canonical form, as the contract requires."""
    text = to_json(canonical(conversation_id, comment))
    return hashlib.sha256(text.encode()).hexdigest(), len(text)
