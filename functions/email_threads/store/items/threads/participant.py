"""A person of a thread."""

from typing import ClassVar

from pydantic import Field

from email_threads.store.items.item import ThreadItem


class Participant(ThreadItem):
    """
    An outside address of a thread: the thread's row in the list of that person's threads in CompanyIndex.

    The author of a mail with weak evidence has a row, too, by which people and privacy jobs find the thread.

    In ParticipantIndex it stands for the persons beside the primary correspondent, for whom the head stands there.
    Without `status`: see the head.
    """

    pattern: ClassVar[str] = "{thread}#participant#{address_hash}"

    conversation_id: str  # the item's key
    company_status: str = Field(repr=False)  # its list in CompanyIndex
    participant: str | None = Field(default=None, repr=False)
    mailbox: str = Field(repr=False)
    updated_at: str
    subject: str = Field(repr=False)
    last_seq: int
    is_weak: bool | None = None  # no participant: only mails with weak evidence are theirs
    erased: bool | None = None  # an erasure has begun: mails of the person do not join any more

    @staticmethod
    def list_of(company_id: str, address: str) -> str:
        """Return the partition of CompanyIndex with a person's threads of a company."""
        return f"{company_id}#participant#{address}"
