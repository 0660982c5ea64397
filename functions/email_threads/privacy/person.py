"""The addresses of a person: tests whether a mail is the person's, and finds other participants of a thread."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from email_threads.parsing.kinds import REPORTS
from email_threads.replies.composition import FORWARDED
from email_threads.store.items import Mail, Status
from email_threads.store.items.threads.thread import Direction
from email_threads.store.lists.thread_lists import ThreadList
from email_threads.threading import ids, people
from email_threads.threading.head import windows

if TYPE_CHECKING:
    from email_threads.store.items import Draft, Thread
    from email_threads.store.items.threads.thread import EmailFields


OWN_LIST: Final = "participant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """
    An address of a company.

    *own* are the company's mailboxes. Mails that were received after *until* do not belong to the run.
    """

    company_id: str
    address: str = field(repr=False)
    own: frozenset[str] = field(repr=False)
    until: str

    @property
    def address_hash(self) -> str:
        """The hash of the address in the keys of their rows."""
        return ids.address_hash(self.address)

    def wrote(self, mail: EmailFields) -> bool:
        """
        Whether a mail is theirs alone: they sent it, it was sent to them only, it forwards one of their mails, or it
        reports about such a mail.
        """
        if mail.direction is Direction.OUTBOUND:
            return {*mail.to, *mail.cc} - self.own == {self.address} or self._is_forwarded(mail)
        if mail.sender == self.address:
            return True
        if not isinstance(mail, Mail) or mail.kind not in REPORTS:
            return False
        return self.address in f"{mail.body}\n{mail.diagnostic or ''}".casefold()

    def received(self, mail: EmailFields) -> bool:
        """Whether a mail names them as a recipient."""
        return self.address in {*mail.to, *mail.cc}

    def is_addressed_by(self, draft: Draft) -> bool:
        """Whether a draft is to them, or answers a mail of theirs."""
        return self.address in {*draft.to, *draft.cc, *draft.bcc, draft.author}

    def is_joined_by(self, mail: Mail) -> bool:
        """Whether a mail after the request makes them a participant again."""
        return mail.received_at > self.until and self.address in people.added_by(mail, "")

    def is_listed_by(self, mail: Mail) -> bool:
        """Whether a mail after the request lists the thread for them again, also one with weak evidence."""
        return mail.received_at > self.until and self.address in people.listed_by(mail, "")

    @property
    def lists(self) -> dict[str, ThreadList]:
        """Return the lists with the person's threads: the person's list, then the company's, which have held mails."""
        own = ThreadList.of_participant(self.company_id, self.address, mailbox=None)
        company = {
            str(status): ThreadList.of_status(self.company_id, status, mailbox=None, text=None)
            for status in Status
        }
        return {OWN_LIST: own, **company}

    def is_named_in(self, thread: Thread) -> bool:
        """Whether the head of a thread names them, or does not show all of its people."""
        entries = thread.email_history
        is_cut = thread.email_count > len(entries) or any(
            len(addresses) >= windows.MOST_VALUES
            for one in entries
            for addresses in (one.to, one.cc)
        )
        named = {thread.participant, *thread.participants, *(entry.sender for entry in entries)}
        return is_cut or self.address in named or any(self.received(entry) for entry in entries)

    def is_alone_in(self, thread: Thread) -> bool:
        """Whether they are the only outside person of a thread."""
        if self.others_in(thread) or thread.participant not in {None, self.address}:
            return False
        is_theirs = self.address in {thread.participant, *thread.participants}
        return is_theirs or self.is_only_named_in(thread)

    def _is_forwarded(self, mail: EmailFields) -> bool:
        """Whether we forwarded a mail of theirs: `replies.composition` writes it below its sender."""
        _, marker, forwarded = mail.body.partition(FORWARDED)
        return bool(marker) and f"From: {self.address}\n" in forwarded[: len(self.address) + 8]

    def is_only_named_in(self, thread: Thread) -> bool:
        """Whether a thread has a held mail in their name: its sender is no participant, and has no row."""
        is_named = any(entry.sender == self.address for entry in thread.email_history)
        return is_named and thread.participant is None and not self.others_in(thread)

    def others_in(self, thread: Thread) -> set[str]:
        """Return the other outside participants of a thread."""
        return thread.participants - self.own - {thread.mailbox, self.address}
