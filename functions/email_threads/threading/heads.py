"""The head of a thread after a mail was appended."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from email_threads.parsing.kinds import Kind
from email_threads.store.items import Status
from email_threads.store.threads import Append
from email_threads.threading import windows
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterable

    from email_threads.store.items import Mail, Thread

RETENTION_SECONDS: Final = 30 * clock.DAY_SECONDS  # contract, attribute `ttl`


def append_of(
    before: Thread | None,
    base: Thread,
    mail: Mail,
    *,
    participants: Iterable[str],
    references: Iterable[str],
    is_moved: bool = False,
) -> Append:
    """
    Return the write that appends *mail* to a thread.

    *before* is the stored head, None for a new thread, whose head without mails is *base*. *references* are the
    Message-IDs that the mail adds, oldest first. *is_moved*: the mail is of a merged thread, and no news.
    """
    entry = windows.entry_of(mail)
    history, is_longer = windows.history_with(before.email_history if before else [], entry)
    is_news = mail.kind is Kind.MAIL and not is_moved
    after = base.model_copy(
        update={
            "created_at": min(base.created_at, mail.timestamp),
            "last_seq": base.seq + 1,
            "status": Status.ACTIVE if before and is_news else base.status,
            "participants": windows.participants_with(base.participants, participants),
            "thread_references": windows.first_and_newest([*base.thread_references, *references]),
            "email_history": history,
            "email_count": mail.n,
            "last_inbound_n": mail.n if is_news else base.last_inbound_n,
            **_touched(base),
        }
    )
    return Append(
        before=before, after=after, mail=mail, entry=entry if before and is_longer else None
    )


def _touched(thread: Thread) -> dict[str, str | int]:
    """Return the attributes of a thread that change with every change: times and lifetime."""
    updated_at = max(clock.to_text(clock.now_ms()), thread.updated_at)
    ttl = clock.expires_in(RETENTION_SECONDS)
    return {
        "updated_at": updated_at,
        "last_updated_at": updated_at,
        "ttl": ttl,
        "ttl_date": f"{datetime.fromtimestamp(ttl, UTC):%Y-%m-%d}",
    }
