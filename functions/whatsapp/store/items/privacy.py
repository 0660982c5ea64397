"""Jobs that erase or export a contact."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from shared.aws.sqs_fifo import digest
from whatsapp.store.items.item import AtMost, WhatsAppItem

type Kind = Literal["erase", "export"]


class ErasedContact(WhatsAppItem):
    """
    The tombstone of an id of an erased contact: events of the id up to `until` are not stored again.

    The key has the company and a keyed hash of the id. It outlives an event that waits 14 days in the queue, 14 days
    as a dead letter, and 30 days parked, once each way round.
    """

    item_type: ClassVar[str] = "ERASED_CONTACT"
    pk_pattern: ClassVar[str] = "ERASED#{company}#{subject}"
    ttl_days: ClassVar[int | None] = 120

    until: str  # as `receivedAt`


class PrivacyJob(WhatsAppItem):
    """
    The erasure or export of one contact of a company: how far it is, and what earlier runs removed or wrote.

        queued -> running -> done -> queued (the next run)

    There is one item for each contact and kind, so a second request finds the first one. `contact`, `planned`, `start`
    and `requested_for` have ids of the customer: they are removed when a run is done. `receipts` have counts only.
    """

    item_type: ClassVar[str] = "PRIVACY_JOB"
    pk_pattern: ClassVar[str] = "PRIVACY_JOB#{jobId}"

    job_id: str
    kind: Kind
    state: Literal["queued", "running", "done"] = "queued"
    run: int = 1
    revision: int = 0
    requested_at: str  # items up to this time belong to the run
    requested_by: str  # the authenticated caller
    finished_at: str | None = None

    requested_for: str | None = None  # digits or user id; a contact key if `by_key`
    by_key: bool | None = None
    contact: Annotated[dict[str, Any], AtMost(6)] | None = None  # the resolved ids
    step: Literal["resolve", "fence", "settle", "list"] = "resolve"
    source: int = 0  # number of the list that is being read
    start: Annotated[dict[str, Any], AtMost(5)] | None = None  # where it continues
    joining: Annotated[dict[str, Any], AtMost(3)] | None = (
        None  # of an export's pages (`shared.privacy.exports.Joining`)
    )
    settles_at: int | None = None  # ms since 1970
    # What the current page removes, as {kind, key}: written first, so that a crash changes no count.
    planned: Annotated[list[dict[str, str]], AtMost(1_000)] = Field(default_factory=list)
    page: int = 0
    counts: Annotated[dict[str, int], AtMost(40)] = Field(default_factory=dict)
    # The newest ten runs, newest first: {run, requestedAt, requestedBy, finishedAt, counts, left}.
    receipts: Annotated[list[dict[str, Any]], AtMost(10)] = Field(default_factory=list)

    @classmethod
    def id_of(cls, kind: Kind, company: str, contact: str, *, by_key: bool = False) -> str:
        """
        Return the id of the job of a contact: its digits or user id, or *by_key* its contact key.

        They differ, because the number that was a contact's first id may belong to another contact today.
        """
        named_as = ("key",) if by_key else ()
        return digest("privacy job", kind, company, contact, *named_as)[:32]
