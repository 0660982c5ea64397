"""The time at which an approved draft is sent: after the undo time of its mailbox, or as a person chooses."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from email_threads.store import threads
from email_threads.store.items import DraftStatus
from shared.api.errors import Unprocessable
from shared.runtime import clock

if TYPE_CHECKING:
    from datetime import tzinfo

    from email_threads.api.drafts.inputs import ApproveInput
    from email_threads.store.items import Draft, Mailbox, Thread
    from shared.aws.dynamodb import Table

RECIPIENT: Final = "recipient"  # the zone in which the mail that is answered was written
LONGEST_DAYS: Final = 28  # a draft is kept for 30


def time_of(
    table: Table, thread: Thread, draft: Draft, mailbox: Mailbox | None, given: ApproveInput
) -> str | None:
    """
    Return when a draft is to be sent, None for at once; of an approved one, whose call is repeated, as it was.

    Raises Unprocessable about `send_at` or `time_zone`.
    """
    if draft.draft_status is DraftStatus.APPROVED and draft.version == given.version:
        return draft.send_at
    if given.send_at is not None:
        return _checked(_with_zone(table, draft, given.send_at, given.time_zone), thread)
    if given.time_zone is not None:
        raise _refused("time_zone", "needs send_at")
    seconds = (mailbox.undo_seconds if mailbox is not None else None) or 0
    return clock.to_text(clock.now_ms() + seconds * clock.SECOND_MS) if seconds else None


def _with_zone(table: Table, draft: Draft, given: datetime, zone: str | None) -> datetime:
    if given.tzinfo is not None:
        if zone is not None:
            raise _refused("time_zone", "must be absent if send_at has an offset")
        return given
    if zone is None:
        raise _refused("send_at", "needs an offset, or time_zone")
    return given.replace(tzinfo=_of_recipient(table, draft) if zone == RECIPIENT else _named(zone))


def _named(zone: str) -> tzinfo:
    try:
        return ZoneInfo(zone)
    except (ValueError, OSError, LookupError):
        raise _refused("time_zone", "must be a zone of the IANA database, or recipient") from None


def _of_recipient(table: Table, draft: Draft) -> tzinfo:
    """Return the offset of the Date field of the mail that a draft answers."""
    numbers = [draft.in_reply_to_n] if draft.in_reply_to_n else []
    answered = next(iter(threads.mails(table, draft.thread, numbers)), None)
    if answered is None or answered.utc_offset is None:
        raise _refused("time_zone", "the zone of the recipient is not known")
    return timezone(timedelta(minutes=answered.utc_offset))


def _checked(at: datetime, thread: Thread) -> str:
    """Return a time as it is stored, if the draft still exists then."""
    now = clock.now_ms()
    try:
        moment = round(at.astimezone(UTC).timestamp() * clock.SECOND_MS)
    except (OverflowError, ValueError):
        moment = 0
    if not now < moment <= now + LONGEST_DAYS * clock.DAY_SECONDS * clock.SECOND_MS:
        raise _refused("send_at", f"must be in the future, at most {LONGEST_DAYS} days ahead")
    if thread.ttl is not None and moment >= thread.ttl * clock.SECOND_MS:
        deleted = clock.to_text(thread.ttl * clock.SECOND_MS)
        raise _refused("send_at", f"must be before {deleted}, when the thread is deleted")
    return clock.to_text(moment)


def _refused(field: str, problem: str) -> Unprocessable:
    return Unprocessable([{"field": field, "problem": problem}])
