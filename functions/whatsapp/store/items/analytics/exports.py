"""Exports of messages."""

from typing import Annotated, ClassVar, Literal

from whatsapp.store.items.item import AtMost, WhatsAppItem

type Format = Literal["jsonl", "csv"]


class ExportJob(WhatsAppItem):
    """
    An export of one conversation's messages: how far it is.

    `page` is the number of the next part, and counts the changes of the item. `exported` messages are in the parts
    before it, which are objects under `folder`; `positions` say where the timeline continues. The conversation and the
    positions are removed when the job is done.
    """

    item_type: ClassVar[str] = "EXPORT_JOB"
    pk_pattern: ClassVar[str] = "EXPORT#{jobId}"
    ttl_days: ClassVar[int | None] = 7  # as long as the bucket keeps exports

    job_id: str
    phone: str
    format: Format
    folder: str  # key prefix of the parts, ends with `/`
    state: Literal["running", "done"] = "running"
    requested_at: str
    requested_by: str
    finished_at: str | None = None
    since: str | None = None
    until: str
    most: int
    exported: int = 0
    page: int = 0
    conversation: str | None = None  # key of the conversation, under a name that no index has
    positions: Annotated[dict[str, str], AtMost(11)] | None = None
