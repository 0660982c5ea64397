"""Dependencies, instructions and errors of the admin API, and the audit row that precedes each change."""

from dataclasses import dataclass
from typing import Any, Self

from richpanel.configuration.resources import Sources
from richpanel.guards.switches import SwitchBoard
from richpanel.inbound.webhook import EventQueues
from richpanel.store import audits
from richpanel.store.items import AuditAction
from richpanel.store.states import Erased
from shared.api.auth import Caller
from shared.api.routing.routes import Request
from shared.aws.dead_letters import DeadLetters
from shared.aws.dynamodb import Table
from shared.aws.secrets import JsonSecret
from shared.runtime import clock
from shared.runtime.observability import logger

__all__ = [
    "SPARE_MS", "ApiDependencies", "Erased", "Instruction", "NotFound", "NothingToDecide", "log_change",
    "write_audit_row",
]  # fmt: skip

# Time reserved for sending the response.
SPARE_MS = 4 * clock.SECOND_MS


class NotFound(Exception):
    """The conversation is unknown, or its id is not a valid conversation id."""


class NothingToDecide(Exception):
    """The ticket has no message from a customer."""


@dataclass(slots=True, kw_only=True, eq=False)
class ApiDependencies(Sources):
    """
    Dependencies of the admin API. *contacts* has what companies have set about requests for people, *seal_secret* seals
    cursors (`shared.api.opaque_ids.seal_of`).
    """

    idempotency: Table
    audit: Table
    contacts: Table
    switchboard: SwitchBoard
    queues: EventQueues
    dead_letters: DeadLetters
    seal_secret: JsonSecret


@dataclass(frozen=True, slots=True)
class Instruction:
    """The caller of a change, and the id of the request."""

    caller: Caller
    request_id: str

    @classmethod
    def of(cls, request: Request[Any]) -> Self:
        """Return the instruction of a request."""
        return cls(request.caller, request.id)


def write_audit_row(
    deps: ApiDependencies,
    instruction: Instruction,
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
    audits.add_change(
        deps.audit,
        instruction.caller.principal,
        f"{action}:{instruction.request_id}",
        facts,
        about=about,
        result=result,
    )


def log_change(instruction: Instruction, message: str, facts: dict[str, Any]) -> None:
    """Log one line for a change, with its caller."""
    actor = {"company": instruction.caller.company, "principal": instruction.caller.principal}
    logger.info(message, extra=facts | actor)
