"""
Exports the messages of a conversation, oldest first, as parts of JSON Lines or CSV.

    exports/{company}/messages/{contact, hashed}/{job}/messages-000000.jsonl

One event of the queue of jobs writes one part and queues the next one. The part is written before the job records it:
a run that dies writes the same object again. Of two runs of the same part only one is recorded, and queues the next.
The bucket deletes exports after seven days; an erasure of the contact deletes them at once.
"""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any, Final

from shared.aws.sqs_fifo import digest
from shared.aws.stored_objects import Folder
from shared.runtime import clock, csv_files
from shared.runtime.failures import Permanent
from whatsapp import store
from whatsapp.api.entry_search import Search, search
from whatsapp.api.json_view import plain
from whatsapp.inbound.event import Event, Outcome
from whatsapp.privacy.jobs import folders_of
from whatsapp.store.conversations.lists.merged_entries import EntryList
from whatsapp.store.inbox import exports
from whatsapp.store.items import Conversation, Message

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket
    from shared.aws.sqs_standard import StandardQueue
    from whatsapp.api.entry_search import Entry
    from whatsapp.configuration.resources import Resources
    from whatsapp.store.items import Phone
    from whatsapp.store.items.analytics.exports import ExportJob

KIND: Final = "export_page"
LINK_SECONDS: Final = 3_600
PART_MESSAGES = 5_000
PART_BYTES = 8 << 20
_BATCH = 500
_TYPES: Final = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}
COLUMNS: Final = (
    "at", "kind", "direction", "type", "from", "to", "senderName", "text", "caption", "transcript", "filename",
    "mediaId", "replyTo", "template", "campaignId", "deliveryStatus", "editedAt", "id", "conversationPk", "isShortened",
)  # fmt: skip


def folder_of(company: str, conversation_pk: str, job_id: str) -> str:
    """Return the prefix of a job's parts, made with the newest key of the stage."""
    return f"{folders_of(company, Conversation.contact_of(conversation_pk))[0]}{job_id}/"


def start(table: Table, queue: StandardQueue, job: ExportJob, phone: Phone) -> ExportJob:
    """Start a job, or queue it again if it exists, and return it. Safe to repeat. Raises NotEnqueued."""
    stored = exports.add(table, job)
    if stored.state != "done":
        _enqueue(queue, stored, phone)
    return stored


def write_part(resources: Resources, event: Event, phone: Phone) -> Outcome:
    """Write the part that the event names and queue the next one. Raises Permanent (`no_export_job`)."""
    job = exports.get(resources.table, event.id)
    if job is None or job.company != phone.company:
        raise Permanent("no_export_job")
    page = int((event.payload or {}).get("page", 0))
    if job.state == "done":
        return Outcome.DUPLICATE
    if page != job.page:
        if (
            page == job.page - 1
        ):  # The run that recorded this part may have died before it queued the next one.
            _enqueue(resources.files, job, phone)
        return Outcome.DUPLICATE
    entries, positions = _entries_of(resources.table, job)
    if entries or page == 0:
        resources.bucket.put(
            f"{job.folder}{_name(job)}", rendered(entries, job.format), _TYPES[job.format]
        )
    changed = _after(job, len(entries), positions)
    if not exports.advance(resources.table, changed, after=page):
        return Outcome.DUPLICATE
    if changed.state != "done":
        _enqueue(resources.files, changed, phone)
    return Outcome.PERSISTED


def links_of(bucket: Bucket, job: ExportJob) -> list[str]:
    """Return links to the parts of a job, in their order; none once they have expired or were erased."""
    folder = Folder(bucket, job.folder)
    return [
        folder.link_to(key, seconds=LINK_SECONDS)
        for key in bucket.keys_under(job.folder)
        if folder.holds(key)
    ]


def rendered(entries: Iterable[Entry], form: str) -> bytes:
    """Return messages and calls as lines of JSON, or as CSV with a header. Pure."""
    rows = [row_of(entry) for entry in entries]
    if form == "jsonl":
        lines = [f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows]
        return "".join(lines).encode("utf-8", "replace")
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="", extrasaction="ignore")
    writer.writeheader()
    writer.writerows({name: cell_of(value) for name, value in row.items()} for row in rows)
    return text.getvalue().encode("utf-8", "replace")


def cell_of(value: Any) -> str:  # noqa: ANN401 - any JSON value of a row
    """Return a value as a cell of CSV that no spreadsheet runs as a formula. Pure."""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return csv_files.harmless(text)


def row_of(entry: Entry) -> dict[str, Any]:
    """Return a message or call as an export has it: absent values are left out. Pure."""
    if not isinstance(entry, Message):
        row: dict[str, Any] = {
            "at": entry.received_at,
            "kind": "call",
            "direction": "INBOUND" if entry.call_direction == "USER_INITIATED" else "OUTBOUND",
            "type": entry.status,
            "from": entry.from_,
            "to": entry.to,
            "senderName": entry.sender_name,
            "id": entry.call_id,
            "conversationPk": entry.conversation_pk,
        }
    else:
        row = _row_of_message(entry)
    return {name: plain(value) for name, value in row.items() if value not in (None, "")}


def _row_of_message(message: Message) -> dict[str, Any]:
    return {
        "at": message.received_at,
        "kind": "message",
        "direction": message.direction,
        "type": message.subtype or message.type,
        "from": message.from_,
        "to": message.to,
        "senderName": message.sender_name,
        "text": message.text_body,
        "caption": message.caption,
        "transcript": message.transcript,
        "filename": message.filename,
        "mediaId": message.media_id,
        "replyTo": message.reply_to,
        "template": message.template,
        "campaignId": message.campaign_id,
        "deliveryStatus": message.delivery_status,
        "editedAt": message.edited_at,
        "id": message.message_id,
        "conversationPk": message.conversation_pk,
        "content": message.content,
        # The rest of a very long message is in a separate object.
        "isShortened": True if message.content_s3_key else None,
    }


def _entries_of(table: Table, job: ExportJob) -> tuple[list[Entry], dict[str, str]]:
    """Return the next part's messages and calls, and where the timeline continues; empty at its end."""
    head = store.heads.get(table, job.conversation or "")
    if head is None or head.company != job.company:
        return [], {}  # Erased since the job began.
    wanted = Search(
        company=str(job.company),
        listed=EntryList(
            index=store.messages.TIMELINE_INDEX,
            field=Message.name_of("conversation_pk"),
            time=Message.name_of("received_at"),
            partitions=[head.pk, *sorted(head.linked_conversations)],
            since=job.since,
            until=job.until,
            newest_first=False,
        ),
        fits=lambda _: True,
        most=_BATCH,
    )
    positions = job.positions or wanted.listed.first_positions()
    entries: list[Entry] = []
    room, size = min(PART_MESSAGES, job.most - job.exported), 0
    while positions and room > len(entries) and size < PART_BYTES:
        limit = min(_BATCH, room - len(entries))
        found = search(table, wanted, limit=limit, start=positions)
        entries += found.entries
        size += len(rendered(found.entries, job.format))
        positions = found.positions
    return entries, positions


def _after(job: ExportJob, count: int, positions: dict[str, str]) -> ExportJob:
    """Return the job after a part of *count* messages."""
    exported = job.exported + count
    changes: dict[str, object] = {"page": job.page + 1, "exported": exported}
    if positions and exported < job.most:
        return job.model_copy(update=changes | {"positions": positions})
    changes |= {"state": "done", "finished_at": clock.to_text(clock.now_ms())}
    return job.model_copy(update=changes | {"positions": None, "conversation": None})


def _name(job: ExportJob) -> str:
    return f"messages-{job.page:06d}.{job.format}"


def _enqueue(queue: StandardQueue, job: ExportJob, phone: Phone) -> None:
    now = clock.now_ms()
    event = Event(
        kind=KIND, id=job.job_id, source="parley", app=phone.app_id or "", accepted_at=now, waba=phone.waba_meta_id,
        phone=phone.phone, display_phone=phone.display_phone, field=KIND, at=now // 1_000, index=0, contact=None,
        payload={"page": job.page}, hash=digest(job.job_id),
    )  # fmt: skip
    parts = (KIND, job.job_id, str(job.page))
    queue.send([event.entry(group=parts, deduplication=parts)])
