"""Counts an account's media files and their bytes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal, Self

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.cursors import Page
from whatsapp.actions.calls import paging, participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Day, PageInput, WabaId
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.media.limits import Category, category_of
from whatsapp.sending.views import View
from whatsapp.store.accounts import media_files
from whatsapp.store.items import Message, pk
from whatsapp.store.items.conversations.groups import Call as StoredCall

if TYPE_CHECKING:
    from whatsapp.store.items import Media

EUM = Group("eum_media")
RECORDS_A_CALL = 1_000
_DATE = len("YYYY-MM-DD")

type Direction = Literal["inbound", "outbound"]


class StatsRequest(PageInput):
    """An account, and optionally the first and the last day (UTC) on which files were stored."""

    meta_waba_id: WabaId
    start_date: Day | None = None
    end_date: Day | None = None

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        if self.start_date and self.end_date and self.end_date < self.start_date:
            raise PydanticCustomError("dates", "endDate must not be before startDate")
        return self


class FilesOfType(View):
    """The number and the bytes of the files of one type in one direction."""

    category: Category
    mime_type: str
    direction: Direction
    files: int
    bytes: int


class MediaStats(View):
    """
    The files of the records that this call read; the sums of all pages are the whole.

    *without_file*: records of files that are not downloaded, expired, refused or deleted. *complete*: false if there
    are more records, which the cursor continues with.
    """

    files: int
    bytes: int
    without_file: int
    by_type: list[FilesOfType]
    complete: bool


@EUM.reads("local", Scope.WHATSAPP_ANALYTICS)
def eum_get_media_stats(call: Call[StatsRequest]) -> Page[MediaStats]:
    """
    Count an account's stored and uploaded files by type and direction. Each call reads 1,000 records; add up the pages
    until `complete` is true.

    A file is inbound if a customer's message has it, and outbound otherwise.
    """
    participants.account_of(call, call.input.meta_waba_id)
    records, last = media_files.page(
        call.table,
        call.input.meta_waba_id,
        limit=RECORDS_A_CALL,
        start=paging.start_of(call),
    )
    own = [record for record in records if record.company == call.company]
    stored = [record for record in own if _is_file(record) and _is_asked(call.input, record)]
    by_type = _by_type(stored, _inbound(call, stored))
    stats = MediaStats(
        files=len(stored),
        bytes=sum(one.bytes for one in by_type),
        without_file=sum(not _is_file(record) for record in own),
        by_type=by_type,
        complete=last is None,
    )
    return Page(stats, paging.cursor_of(call, last))


def _by_type(stored: list[Media], inbound: set[str]) -> list[FilesOfType]:
    """Return the files of each type and direction; *inbound*: the keys of messages that customers sent."""
    numbers: Counter[tuple[str, Direction]] = Counter()
    sizes: Counter[tuple[str, Direction]] = Counter()
    for record in stored:
        kind: tuple[str, Direction] = (
            record.content_type or "application/octet-stream",
            "inbound" if record.message_pk in inbound else "outbound",
        )
        numbers[kind] += 1
        sizes[kind] += record.content_length or 0
    return [
        FilesOfType(
            category=category_of(mime_type),
            mime_type=mime_type,
            direction=direction,
            files=numbers[mime_type, direction],
            bytes=sizes[mime_type, direction],
        )
        for mime_type, direction in sorted(numbers)
    ]


def _is_file(record: Media) -> bool:
    """Whether a record is of a stored or an uploaded file."""
    return record.media_status in {"STORED", "PENDING"} and record.content_length is not None


def _is_asked(asked: StatsRequest, record: Media) -> bool:
    """Whether a file was stored in the asked days."""
    day = (record.uploaded_at or "")[:_DATE]
    first, last = (str(each) if each else day for each in (asked.start_date, asked.end_date))
    return first <= day <= last


def _inbound(call: Call[StatsRequest], records: list[Media]) -> set[str]:
    """Return the keys of the messages of these files that customers sent, and of calls."""
    named = (record.message_pk for record in records if record.message_pk)
    calls, keys = set[str](), list[str]()
    for key in dict.fromkeys(named):
        (calls.add if StoredCall.is_key(key) else keys.append)(key)
    found = map(Message.read, call.table.get_many([pk(key) for key in keys]))
    return calls | {message.pk for message in found if message.direction == "INBOUND"}
