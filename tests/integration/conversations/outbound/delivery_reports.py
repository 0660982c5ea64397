"""Providers' delivery statuses of our messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conversations.store.items import identifiers

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

UNREACHABLE = {"ErrorCode": "30003"}


def newest_sent(system: System, ref: str) -> dict[str, Any]:
    """Our newest message."""
    return [m for m in system.log(ref) if m["author"] != "customer"][-1]


def report_status(system: System, ref: str, word: str, **fields: str) -> None:
    """Twilio reports a status of our newest message."""
    system.status(newest_sent(system, ref)["provider_message_id"], word, **fields)
    system.drain()


def email_conversations(system: System) -> list[str]:
    """The conversations over mail, oldest first."""
    rows = [row for key, row in system.rows().items() if key[0] == "conversations"]
    found = sorted((row for row in rows if row["channel_method"] == "email"), key=by_creation)
    return [identifiers.ref_of(str(row["conversation_id"])) for row in found]


def by_creation(row: dict[str, Any]) -> str:
    return str(row["created_at"])


def take_status(system: System) -> None:
    """Process the one queued status, and nothing else."""
    name = next(name for name in system.workers if name.endswith("statuses.fifo"))
    (status,) = system.fifo_queues.queues[name].receive(1)
    system.run_worker(name, status)
