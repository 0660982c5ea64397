"""The bounded lists of a thread's head: newest mails, first and newest Message-IDs, participants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.store.items import HistoryEntry

if TYPE_CHECKING:
    from collections.abc import Iterable

    from email_threads.store.items import Mail

MOST_MAILS: Final = 10
MOST_HISTORY_BYTES: Final = 4_096
MOST_LIST_BYTES: Final = 1_024
NEWEST_BODY: Final = 1_500  # characters
OLDER_BODY: Final = 200
MOST_VALUES: Final = 5  # references, attachments, addresses of a field


def entry_of(mail: Mail) -> HistoryEntry:
    """Return the shortened entry of a mail in `email_history`."""
    return HistoryEntry(
        email_id=mail.email_id,
        n=mail.n,
        message_id=mail.message_id,
        in_reply_to=mail.in_reply_to,
        references=mail.references[-MOST_VALUES:],
        sender=mail.sender,
        to=mail.to[:MOST_VALUES],
        cc=mail.cc[:MOST_VALUES],
        subject=mail.subject,
        signed=mail.signed or None,
        body=mail.body[:NEWEST_BODY],
        timestamp=mail.timestamp,
        direction=mail.direction,
        attachments=mail.attachments[:MOST_VALUES],
        metadata=mail.metadata,
    )


def history_with(history: list[HistoryEntry], new: HistoryEntry) -> tuple[list[HistoryEntry], bool]:
    """
    Return the window with a new entry, and whether it is the old one plus this entry.

    Over the bound, bodies shrink from the oldest on, then the oldest entries go, then the new body shrinks: a character
    may have four bytes.
    """
    whole = [*history, new]
    if len(whole) <= MOST_MAILS and _size(whole) <= MOST_HISTORY_BYTES:
        return whole, True
    window = whole[-MOST_MAILS:]
    for number, entry in enumerate(window[:-1]):
        if _size(window) <= MOST_HISTORY_BYTES:
            break
        window[number] = entry.model_copy(update={"body": entry.body[:OLDER_BODY]})
    while len(window) > 1 and _size(window) > MOST_HISTORY_BYTES:
        del window[0]
    while _size(window) > MOST_HISTORY_BYTES and window[0].body:
        body = window[0].body
        window[0] = window[0].model_copy(update={"body": body[: len(body) * 3 // 4]})
    return window, False


def first_and_newest(values: Iterable[str]) -> list[str]:
    """Return the first value and the newest ones that fit into `MOST_LIST_BYTES`, each once, in their order."""
    first, *others = dict.fromkeys(values)
    left = MOST_LIST_BYTES - len(first.encode())
    kept: list[str] = []
    for value in reversed(others):
        left -= len(value.encode())
        if left < 0:
            break
        kept.append(value)
    return [first, *reversed(kept)]


def participants_with(known: set[str], addresses: Iterable[str]) -> set[str]:
    """Return the set with the addresses that fit into `MOST_LIST_BYTES`; the others have separate items."""
    kept = set(known)
    for address in addresses:
        if sum(len(one.encode()) for one in kept | {address}) <= MOST_LIST_BYTES:
            kept.add(address)
    return kept


def _size(entries: list[HistoryEntry]) -> int:
    return sum(
        len(entry.model_dump_json(by_alias=True, exclude_none=True).encode()) for entry in entries
    )
