"""Shares of companies in the queues of channels and of replies (`shared.aws.workers.fair_shares`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from conversations.lifecycle.records import evaluation_step, reply_trigger
from conversations.lifecycle.records.evaluation_step import EvaluationStep
from conversations.lifecycle.records.file_download import FileDownload
from conversations.store import states
from conversations.store.recovery import due
from shared.aws.workers import fair_shares
from shared.aws.workers.fair_shares import Runs, Sharing, Waiting
from shared.events.record_body import load_event, parse_body

if TYPE_CHECKING:
    from collections.abc import Callable

    from conversations.configuration.resources import Resources
    from conversations.lifecycle.records.commands import Record as Command
    from conversations.lifecycle.records.reply_trigger import ReplyTrigger
    from conversations.store.items.conversation import ChannelMethod
    from shared.aws.sqs_standard import StandardQueue
    from shared.aws.workers.sqs_worker import Record

POSTPONED = "postponed"
_downloads = TypeAdapter(FileDownload)
_steps = TypeAdapter(EvaluationStep)
# A larger body stays on the queue: an item has at most 400 KB.
LARGEST_BODY = 300_000


def of_channel(resources: Resources, runs: Runs, channel: ChannelMethod) -> Sharing[str]:
    """Return how companies share the queue of a channel: first messages and work that was due."""
    from conversations.lifecycle.records import commands  # noqa: PLC0415 - replies start faster without it

    return _sharing(resources, runs, channel, commands.read)


def of_replies(
    resources: Resources, runs: Runs, triggers: TypeAdapter[ReplyTrigger]
) -> Sharing[str]:
    """Return how companies share the queue of replies."""
    return _sharing(resources, runs, None, lambda body: parse_body(body, triggers))


def of_agents(resources: Resources, runs: Runs) -> Sharing[str]:
    """
    Return how companies share the queue of what people send and release. What is above the share is hidden, so that
    the next message of its conversation waits behind it.
    """

    def waiting_of(record: Record) -> Waiting | None:
        from conversations.lifecycle.records import commands  # noqa: PLC0415 - replies start faster without it

        if load_event(record.body).get("type") == evaluation_step.TYPE:
            return Waiting(parse_body(record.body, _steps).company_id, record.sent_at_ms)
        command = commands.read(record.body)
        if command.type == "context":  # refused
            return None
        state = states.read(resources.log, command.ref)
        return Waiting(state.company_id, record.sent_at_ms) if state else None

    def postpone(record: Record) -> str:
        raise fair_shares.hidden(record)

    return Sharing(runs, waiting_of, postpone, fair_shares.LATE_MS)


def of_files(resources: Resources, runs: Runs, queue: StandardQueue) -> Sharing[str]:
    """Return how companies share the standard queue of downloads."""

    def waiting_of(record: Record) -> Waiting | None:
        state = states.read(resources.log, parse_body(record.body, _downloads).ref)
        return Waiting(state.company_id, fair_shares.since_ms(record)) if state else None

    def postpone(record: Record) -> str:
        queue.send([fair_shares.postponed(record.body)])
        return POSTPONED

    return Sharing(runs, waiting_of, postpone, fair_shares.LATE_MS)


def _sharing(
    resources: Resources,
    runs: Runs,
    channel: ChannelMethod | None,
    read: Callable[[str], Command | ReplyTrigger],
) -> Sharing[str]:
    def waiting_of(record: Record) -> Waiting | None:
        company = _company_of(resources, read(record.body), len(record.body))
        return Waiting(company, record.sent_at_ms) if company else None

    def postpone(record: Record) -> str:
        command = read(record.body)
        company = _company_of(resources, command, len(record.body)) or ""
        due.put_back(resources.log, _ref_of(command), channel, record.body, company=company)
        return POSTPONED

    return Sharing(runs, waiting_of, postpone, runs.late_ms)


def _company_of(resources: Resources, command: Command | ReplyTrigger, length: int) -> str | None:
    """Return whose work a record is; None for what people wait for, and what cannot wait in the table."""
    if command.type == "context":
        company = command.frontend_payload.get("company_data", {}).get("company_id")
        can_wait = length <= LARGEST_BODY and command.conversation_data.conversation_ref
        return company if can_wait and isinstance(company, str) else None
    if command.type in {"resume", reply_trigger.TYPE}:
        state = states.read(resources.log, _ref_of(command))
        return state.company_id if state else None
    return None


def _ref_of(command: Command | ReplyTrigger) -> str:
    if command.type == "context":
        return str(command.conversation_data.conversation_ref)
    return command.ref
