"""Exports the messages of a conversation to files."""

from typing import Annotated, Literal

from pydantic import Field

from shared.api.auth import Scope
from shared.runtime import clock
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Moment, Whole
from whatsapp.actions.conversations import inputs
from whatsapp.actions.conversations.deletions import LEGACY
from whatsapp.actions.conversations.inputs import ConversationInput
from whatsapp.api.json_view import View
from whatsapp.store.items.analytics.exports import ExportJob
from whatsapp.worker import message_exports


class ExportMessages(ConversationInput):
    """A conversation, a time range, the format, and the most messages, oldest first."""

    format: Literal["jsonl", "csv"] = "jsonl"
    since: Moment | None = None
    until: Moment | None = None
    limit: Annotated[Whole, Field(ge=1, le=1_000_000)] = 1_000


class StartedExport(View):
    """A job that was started; `get_action` with *jobId* shows its state, and links when it is done."""

    job_id: str
    state: Literal["running", "done"]

    @property
    def goes_on(self) -> bool:
        """Whether the work continues after the answer."""
        return self.state == "running"


@LEGACY.changes("local", Scope.WHATSAPP_WRITE, idempotent=False)
def export_messages(call: Call[ExportMessages]) -> StartedExport:
    """
    Start an export of a conversation's messages and calls, oldest first, to files that are kept for seven days.

    A file has up to 5,000 messages or 8 MB; `get_action` gives the links. Messages after the call are not exported, nor
    deleted and erased ones. Of a very long message the beginning is exported, marked `isShortened`. In CSV, a cell that
    a spreadsheet would run as a formula begins with an apostrophe.
    """
    asked, now = call.input, clock.now_ms()
    head = inputs.head_of(call)
    phone = inputs.phone_of(call, head)
    job_id = call.action_id("export")
    job = ExportJob(
        pk=ExportJob.key(job_id),
        company=call.company,
        ttl=clock.expires_in((ExportJob.ttl_days or 0) * clock.DAY_SECONDS),
        job_id=job_id,
        phone=phone.phone,
        format=asked.format,
        folder=message_exports.folder_of(call.company, head.pk, job_id),
        requested_at=clock.to_text(now),
        requested_by=call.caller.principal,
        since=inputs.text_of(asked.since),
        until=inputs.text_of(asked.until) or clock.to_text(now),
        most=asked.limit,
        conversation=head.pk,
    )
    started = message_exports.start(call.table, call.resources.jobs, job, phone)
    return StartedExport(job_id=started.job_id, state=started.state)
