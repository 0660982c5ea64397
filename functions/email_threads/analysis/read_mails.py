"""The mails of a thread that a model reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.analysis.prompt import MOST_MAILS
from email_threads.replies.checks.withheld_text import readable
from email_threads.store import threads

if TYPE_CHECKING:
    from email_threads.store.items import Mail, Thread
    from shared.aws.dynamodb import Table

_BACK: Final = 2 * MOST_MAILS  # numbers of mails that are read: some are no mails of people


def mails_that_count(table: Table, thread: Thread, newest: int) -> list[Mail]:
    """Return the mails that count up to number *newest*, without quotes of mails that do not count."""
    numbers = range(max(1, newest - _BACK + 1), newest + 1)
    wanted = sorted({*numbers, *(one for one in thread.withheld_mails if one <= newest)})
    found = readable(threads.mails(table, thread.conversation_id, wanted))
    return [mail for mail in found.mails if mail.n in numbers][-MOST_MAILS:]
