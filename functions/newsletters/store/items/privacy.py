"""Jobs that erase or export a user."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from newsletters.store.items.item import TableItem
from shared.aws.sqs_fifo import digest

type PrivacyKind = Literal["erase", "export"]

_ID_DIGITS = 32


class PrivacyJob(TableItem):
    """
    The erasure or export of one user of a company: how far it is, and what earlier runs removed or wrote.

        queued -> running -> done -> queued (the next run)

    There is one item for each user and kind, so a second request finds the first one. `requested_for` leads
    to the user: it is removed when a run is done. `receipts` have counts only.
    """

    partition: ClassVar[str] = "NLPRIVACY#{job_id}"
    sort: ClassVar[str] = "JOB"

    company_id: str
    job_id: str
    kind: PrivacyKind
    state: Literal["queued", "running", "done"] = "queued"
    run: int = 1
    revision: int = 0
    requested_at: str
    requested_by: str  # the authenticated caller
    finished_at: str | None = None
    requested_for: str | None = Field(default=None, repr=False)  # the user's id
    step: Literal["newsletters", "planned", "finish"] = "newsletters"
    start: dict[str, Any] | None = None  # where the company's list continues
    planned: list[str] = Field(default_factory=list)  # codes of the next turn
    page: int = 0
    joining: dict[str, Any] | None = None  # of an export's pages (`shared.privacy.exports.Joining`)
    counts: dict[str, int] = Field(default_factory=dict)
    # The newest ten runs, newest first: {run, requested_at, requested_by, finished_at, counts, left}.
    receipts: list[dict[str, Any]] = Field(default_factory=list)

    @classmethod
    def id_of(cls, kind: PrivacyKind, company_id: str, user_id: str) -> str:
        """Return the id of the job of a user."""
        return digest("newsletter privacy job", kind, company_id, user_id)[:_ID_DIGITS]
