"""Providers' delivery statuses of our messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conversations.store.items import identifiers

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World

UNREACHABLE = {"ErrorCode": "30003"}


def ours(world: World, ref: str) -> dict[str, Any]:
    """Our newest message."""
    return [m for m in world.log(ref) if m["author"] != "customer"][-1]


def report_status(world: World, ref: str, word: str, **fields: str) -> None:
    """Twilio reports a status of our newest message."""
    world.status(ours(world, ref)["provider_message_id"], word, **fields)
    world.work_off()


def mails(world: World) -> list[str]:
    """The conversations over mail, oldest first."""
    rows = [row for key, row in world.rows().items() if key[0] == "conversations"]
    found = sorted((row for row in rows if row["channel_method"] == "email"), key=by_creation)
    return [identifiers.ref_of(str(row["conversation_id"])) for row in found]


def by_creation(row: dict[str, Any]) -> str:
    return str(row["created_at"])


def take_status(world: World) -> None:
    """Process the one queued status, and nothing else."""
    name = next(name for name in world.workers if name.endswith("statuses.fifo"))
    (status,) = world.lanes.queues[name].receive(1)
    world.run_worker(name, status)
