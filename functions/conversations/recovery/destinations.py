"""To which of the seven queues an event goes, by its type, and in which message group."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from conversations.store import states
from conversations.store.items.conversation import ChannelMethod
from shared.aws.dynamodb import Table
from shared.aws.sqs_fifo import Entry, FifoQueue, digest
from shared.aws.sqs_standard import StandardQueue
from shared.aws.tables.dynamodb_json import storable
from shared.events.recovery.port import NotReplayable
from shared.events.versions import NewerVersion
from shared.runtime.failures import Permanent

if TYPE_CHECKING:
    from conversations.initiation.context_object import ContextObject


@dataclass(slots=True, kw_only=True, eq=False)
class Destinations:
    """The seven queues; *files* is the queue of downloads. *log* holds the channel of each conversation."""

    log: Table
    inbound: FifoQueue
    statuses: FifoQueue
    replies: FifoQueue
    files: StandardQueue
    channels: Mapping[ChannelMethod, FifoQueue]

    def of(self, body: str) -> tuple[FifoQueue, Entry]:
        """Return the queue and entry of an event by its type. Raises NotReplayable (`unreadable`, `gone`)."""
        from conversations.initiation.context_object import ContextObject  # noqa: PLC0415 - few calls replay
        from conversations.lifecycle.records import commands  # noqa: PLC0415 - as above
        from conversations.lifecycle.records.file_download import FileDownload  # noqa: PLC0415 - as above
        from conversations.lifecycle.records.reply_trigger import ReplyTrigger  # noqa: PLC0415 - as above
        from shared.events.exchange import (  # noqa: PLC0415 - as above
            DeliveryStatus,
            FileStored,
            InboundMessage,
            NumberReleased,
            file_entry,
            inbound_entry,
            release_entry,
            status_entry,
        )

        try:
            event = json.loads(body)
            kind = event.get("type") if isinstance(event, dict) else None
            queue: FifoQueue = self.inbound
            entry: Entry | None = None
            entries: dict[str, tuple[Any, Callable[[Any], Entry]]] = {
                "inbound_message": (InboundMessage, inbound_entry),
                "human_reply": (InboundMessage, inbound_entry),
                "file_stored": (FileStored, file_entry),
                "number_released": (NumberReleased, release_entry),
            }
            if kind in entries:
                of_kind, entry_of = entries[kind]
                entry = entry_of(_adapter(of_kind).validate_python(storable(event)))
            elif kind == "delivery_status":
                status = _adapter(DeliveryStatus).validate_python(storable(event))
                queue, entry = self.statuses, status_entry(status)
            elif kind == "file_download":
                queue, entry = self.files, _adapter(FileDownload).validate_json(body).entry()
            elif kind == "reply_trigger":
                ref = _adapter(ReplyTrigger).validate_json(body).ref
                queue, entry = self.replies, Entry(body, digest(ref), "")
            if entry is not None:
                return queue, replace(entry, body=body)
            record = commands.read(body)
        except (ValueError, ValidationError, Permanent, NewerVersion):
            raise NotReplayable("unreadable") from None
        if isinstance(record, ContextObject):
            data = record.conversation_data
            message_group = digest(data.conversation_ref or data.conversation_id)
            return self.channels[_requested_channel(record)], Entry(body, message_group, "")
        state = states.read(self.log, record.ref)
        if state is None:
            raise NotReplayable("gone")
        return self.channels[state.channel_method], Entry(body, digest(record.ref), "")


def _requested_channel(context: "ContextObject") -> ChannelMethod:
    request = context.frontend_payload.get("request_data")
    channel = str(request.get("channel_method")).lower() if isinstance(request, dict) else ""
    try:
        return ChannelMethod(channel)
    except ValueError:
        raise NotReplayable("unreadable") from None


@cache
def _adapter(event: type) -> TypeAdapter[Any]:
    # Built at first use: few calls replay an event.
    return TypeAdapter(event)
