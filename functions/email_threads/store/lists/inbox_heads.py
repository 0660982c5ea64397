"""The row of a thread in the inbox over all contexts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from email_threads.store import threads
from email_threads.store.deadlines import service_levels
from email_threads.store.items import Status, Thread
from email_threads.store.items.item import PARTITION_KEY
from email_threads.store.items.threads.service_level import TargetState
from email_threads.store.items.threads.thread import Direction
from shared.aws.tables.prefetched import PrefetchedTable
from shared.identity.contacts.claims import claimed
from shared.identity.identifiers import IdentifierKind
from shared.inbox import items as inbox

if TYPE_CHECKING:
    from collections.abc import Sequence

    from email_threads.store.items.threads.service_level import Target
    from shared.aws.dynamodb import Attributes, Table
    from shared.identity.contacts.claims import Claim
    from shared.identity.identifiers import Identifier

ASSIGNED = "assigned_to"  # in the details of changes
_STATUS: dict[Status, inbox.Status] = {
    Status.ACTIVE: "open",
    Status.PENDING_INFO: "open",
    Status.COMPLETED: "resolved",
    Status.ARCHIVED: "archived",
}


@dataclass(frozen=True, slots=True)
class EmailHeads:
    """The threads of the table. A reference is the id of a thread, which the API takes as it is."""

    table: Table
    context: inbox.Context = inbox.Context.EMAIL_THREADS

    def reference_of(self, key: Attributes) -> str | None:
        """Return the id of a thread; the keys of its mails and of all other items have a `#`."""
        conversation_id = str(key[PARTITION_KEY])
        return conversation_id if "#" not in conversation_id else None

    def read(self, reference: str) -> inbox.Head | None:
        """Return the present head (strongly consistent read); None if no list contains it."""
        thread = threads.get(self.table, reference)
        return shown(thread) if thread is not None else None

    def for_keys(self, keys: Sequence[Attributes]) -> Self:
        """Return these heads: a key says whose it is."""
        del keys
        return self

    def prefetched(self, references: Sequence[str]) -> Self:
        """Return the same heads, after a batch read of these."""
        keys = [Thread.key(one) for one in references]
        return replace(self, table=PrefetchedTable(self.table, keys))


def shown(thread: Thread) -> inbox.Head | None:
    """
    Return the inbox entry of a thread; None for one that was merged, and for one of an older system that belongs to no
    company.

    A thread is unread while a mail of the customer waits for an answer.
    """
    if not thread.company_id or not thread.mailbox or thread.merged_into is not None:
        return None
    newest = thread.email_history[-1] if thread.email_history else None
    answers = (one.timestamp for one in thread.email_history if one.direction is Direction.OUTBOUND)
    received = (one.timestamp for one in thread.email_history if one.direction is Direction.INBOUND)
    return inbox.Head(
        company_id=thread.company_id,
        context=inbox.Context.EMAIL_THREADS,
        reference=thread.conversation_id,
        channel=inbox.Channel.EMAIL,
        address=thread.mailbox,
        last_activity_at=newest.timestamp if newest else thread.updated_at,
        answered_at=max(answers, default=None),
        received=max(received, default=None),
        ended_at=thread.closed_at,
        status=_status_of(thread),
        snoozed_until=thread.snoozed_until,
        context_status=thread.status,
        assignee=thread.metadata.assigned_to,
        assigned_by=_assigned_by(thread),
        labels=thread.metadata.tags,
        unread_count=1 if thread.waiting_since else 0,
        waiting_since=thread.waiting_since if _STATUS[thread.status] == inbox.OPEN else None,
        **_due(thread),
        contact=inbox.shortened(thread.participant_name, inbox.LONGEST_NAME),
        handle=inbox.shortened(thread.participant, inbox.LONGEST_NAME),
        subject=inbox.shortened(thread.subject, inbox.LONGEST_NAME),
        preview=inbox.shortened(newest.body, inbox.LONGEST_PREVIEW) if newest else None,
        ttl=thread.ttl,
        claims=_claims(thread),
        signed=_signed(thread),
    )


def _due(thread: Thread) -> dict[str, Any]:
    """Return the earliest due time: of a target that is not reached, or of a reminder, also of one that was given."""
    found = [
        {
            "due_at": target.due_at,
            "due_for": name.value,
            "at_risk_at": target.alarm_at,
            "due_state": _due_state(target),
        }
        for name, target in service_levels.running(thread).items()
    ]
    if thread.reminder is not None and service_levels.is_open(thread):
        at = thread.reminder.remind_at
        state = "overdue" if thread.reminder.given_at is not None else None
        found.append({"due_at": at, "due_for": "follow_up", "at_risk_at": at, "due_state": state})
    return min(found, key=lambda one: one["due_at"], default={})


def _due_state(target: Target) -> inbox.DueState | None:
    if target.state is TargetState.OVERDUE:
        return "overdue"
    return "at_risk" if target.alarmed else None


def _assigned_by(thread: Thread) -> str | None:
    """Return who made the newest assignment that the head still has in its record."""
    made = (one for one in reversed(thread.audit_log) if ASSIGNED in (one.detail or "").split())
    found = next(made, None)
    return found.actor if found is not None else None


def _claims(thread: Thread) -> tuple[Claim, ...]:
    """Return the address of a thread's participant, if a mail has proven it."""
    proof = thread.participant_proof
    return claimed(IdentifierKind.EMAIL, thread.participant, proof) if proof else ()


def _signed(thread: Thread) -> tuple[Identifier, ...]:
    """Return the addresses in the newest signature of a proven participant that has some."""
    if thread.participant_proof is None:
        return ()
    own = (one.signed for one in reversed(thread.email_history) if one.sender == thread.participant)
    newest = next(filter(None, own), None) or []
    claims = [claimed(IdentifierKind.EMAIL, one, thread.participant_proof) for one in newest]
    return tuple(claim.identifier for found in claims for claim in found)


def _status_of(thread: Thread) -> inbox.Status:
    status = _STATUS[thread.status]
    return inbox.SNOOZED if status == inbox.OPEN and thread.snoozed_until else status
