"""What those reach who operate the middleware, and the trace that each of their changes leaves."""

from dataclasses import dataclass
from typing import Any

from richpanel.guards.switches import SwitchBoard
from richpanel.inbound.webhook import Lanes
from richpanel.resources import Sources
from richpanel.store import audits
from richpanel.store.items import AuditAction
from richpanel.store.states import Erased
from shared import clock
from shared.api.auth import Caller
from shared.aws.dead_letters import DeadLetters
from shared.aws.dynamodb import Table
from shared.aws.sqs_fifo import to_json

__all__ = ["Erased", "Instruction", "NotFound", "Office", "leave_trace"]


class NotFound(Exception):
    """Nothing is known of the conversation, or its id is none that a conversation can have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Office(Sources):
    """Everything that the admin API reaches."""

    idempotency: Table
    audit: Table
    switchboard: SwitchBoard
    lanes: Lanes
    dead_letters: DeadLetters


@dataclass(frozen=True, slots=True)
class Instruction:
    """Who wants something, and the id of the call in which they said so."""

    caller: Caller
    request_id: str


def leave_trace(
    office: Office,
    given: Instruction,
    action: str,
    facts: dict[str, Any],
    *,
    about: str = AuditAction.SWITCHES,
    result: str = "success",
) -> None:
    """
    Keep who changed what, under `sys:switches` or a conversation. *facts* are codes of ours: nothing in it is redacted.

    Before the change: one that nobody can trace is worse than the trace of one that failed. Safe to repeat.
    """
    action_id = f"{action}:{given.request_id}"
    audits.add(
        office.audit,
        AuditAction(
            conversation_id=about,
            ts_action_id=AuditAction.sort_key(clock.to_text(clock.now_ms()), action_id),
            action_type="switch",
            action_payload_redacted=to_json({"who": given.caller.principal, **facts}),
            idempotency_key=action_id,
            result=result,
            expires_at=AuditAction.time_to_live(),
        ),
    )
