"""Jobs that erase or export a person."""

from typing import Any, ClassVar, Literal

from pydantic import Field

from email_threads.store.items.item import ThreadItem
from shared.aws.sqs_fifo import digest

type PrivacyKind = Literal["erase", "export"]

_ID_DIGITS = 32


class PrivacyJob(ThreadItem):
    """
    The erasure or export of one address of a company: how far it is, and what earlier runs removed or wrote.

        queued -> running -> done -> queued (the next run)

    There is one item for each address and kind, so a second request finds the first one. `requested_for`, `planned` and
    `start` lead to the person: they are removed when a run is done. `receipts` have counts only.
    """

    pattern: ClassVar[str] = "privacy#{job_id}"

    conversation_id: str  # the item's key
    company_id: str
    job_id: str
    kind: PrivacyKind
    state: Literal["queued", "running", "done"] = "queued"
    run: int = 1
    revision: int = 0
    requested_at: str  # mails received up to this time belong to the run
    requested_by: str  # the authenticated caller
    finished_at: str | None = None

    requested_for: str | None = Field(default=None, repr=False)  # the address
    step: Literal["fence", "settle", "threads", "parked", "finish"] = "fence"
    settles_at: int | None = None  # ms since 1970
    list_number: int = 0  # of the list of threads that is being read
    start: dict[str, Any] | None = Field(default=None, repr=False)  # where it continues
    threads: list[str] = Field(default_factory=list)  # still to do of the page that was read
    source: int = 0  # number of the part of the first thread, or of the list after all threads
    n: int = 0  # position in that part
    subjects: list[str] = Field(default_factory=list)  # hashes: subjects of others in that thread
    is_named: bool = False  # a mail before that position names the person
    # What the current page removes, as {kind, key, act}: written first, so that a crash changes no count.
    planned: list[dict[str, str]] = Field(default_factory=list, repr=False)
    page: int = 0
    joining: dict[str, Any] | None = None  # of an export's pages (`shared.privacy.exports.Joining`)
    counts: dict[str, int] = Field(default_factory=dict)
    # The newest ten runs, newest first: {run, requested_at, requested_by, finished_at, counts, left}.
    receipts: list[dict[str, Any]] = Field(default_factory=list)

    @classmethod
    def id_of(cls, kind: PrivacyKind, company_id: str, address: str) -> str:
        """Return the id of the job of an address."""
        return digest("privacy job", kind, company_id, address)[:_ID_DIGITS]
