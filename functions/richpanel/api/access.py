"""Dependencies, instructions and errors of the admin API, and the audit row that precedes each change."""

from dataclasses import dataclass
from typing import Any

from richpanel.guards.switches import SwitchBoard
from richpanel.inbound.webhook import EventQueues
from richpanel.resources import Sources
from richpanel.store import audits
from richpanel.store.items import AuditAction
from richpanel.store.states import Erased
from shared import clock
from shared.api.auth import Caller
from shared.aws.dead_letters import DeadLetters
from shared.aws.dynamodb import Table
from shared.aws.sqs_fifo import to_json

__all__ = ["ApiDependencies", "Erased", "Instruction", "NotFound", "leave_trace"]


class NotFound(Exception):
    """The conversation is unknown, or its id is not a valid conversation id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiDependencies(Sources):
    """Dependencies of the admin API."""

    idempotency: Table
    audit: Table
    switchboard: SwitchBoard
    lanes: EventQueues
    dead_letters: DeadLetters


@dataclass(frozen=True, slots=True)
class Instruction:
    """The caller of a change, and the id of the request."""

    caller: Caller
    request_id: str


def leave_trace(
    deps: ApiDependencies,
    given: Instruction,
    action: str,
    facts: dict[str, Any],
    *,
    about: str = AuditAction.SWITCHES,
    result: str = "success",
) -> None:
    """
    Write an audit row of a change under `sys:switches` or a conversation. *facts* are our own codes and not redacted.

    Written before the change: an untraceable change is worse than a trace of a change that failed. Safe to repeat.
    """
    action_id = f"{action}:{given.request_id}"
    audits.add(
        deps.audit,
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
