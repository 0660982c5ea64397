"""The window of the newest mails on the head of a thread."""

from email_threads.store.items import HistoryEntry
from email_threads.threading.head.windows import entry_of, history_with
from tests.unit.email_threads.analysis.answers import mail


def size(entries: list[HistoryEntry]) -> int:
    return sum(
        len(one.model_dump_json(by_alias=True, exclude_none=True).encode()) for one in entries
    )


def test_a_long_new_mail_of_characters_with_several_bytes_is_within_the_bound() -> None:
    entry = entry_of(mail(1, "椅" * 3_000, subject="椅" * 300))

    window, is_longer = history_with([], entry)

    assert (len(window), is_longer) == (1, False)
    assert len(window[0].body) > 500
    assert size(window) <= 4_096


def test_a_long_new_mail_of_plain_characters_keeps_fifteen_hundred() -> None:
    window, _ = history_with([entry_of(mail(1))], entry_of(mail(2, "x" * 3_000)))

    assert [len(one.body) for one in window] == [6, 1_500]
