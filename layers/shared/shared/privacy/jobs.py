"""
The job that erases or exports a person in one context: its item and its revisions.

Each write replaces the revision that the writer read, so of two workers of one job only one records its step.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Self

from boto3.dynamodb.conditions import Attr
from pydantic import Field

from shared.aws.dynamodb import ConditionFailed
from shared.aws.tables.items import Item
from shared.identity.keyed_hashes import keyed_hashes
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shared.aws.dynamodb import Attributes, Table
    from shared.privacy.inventory import Found

type Kind = Literal["erase", "export"]

ID_DIGITS: Final = 32
MOST_RECEIPTS: Final = 10  # of a job
_ID: Final = re.compile(rf"[0-9a-f]{{{ID_DIGITS}}}", re.ASCII)


class Job(Item):
    """
    The erasure or export of one person: how far it is, and what earlier runs removed or wrote.

        queued -> running -> done -> queued (the next run)

    There is one item for each person and kind, so a second request finds the first one. The attributes of `of_run` lead
    to the person: they are removed when a run is done. `receipts` have counts only. A context adds its name and keys.
    """

    context: ClassVar[str]
    company_field: ClassVar[str] = "company_id"
    of_run: ClassVar[tuple[str, ...]] = ("requested_for", "start", "joining", "settles_at")

    job_id: str
    kind: Kind
    state: Literal["queued", "running", "done"] = "queued"
    run: int = 1
    revision: int = 0
    requested_at: str  # what is stored up to this time belongs to the run
    requested_by: str  # the authenticated caller
    finished_at: str | None = None
    requested_for: str | None = Field(default=None, repr=False)  # the subject
    step: str = "fence"  # fence, settle, pages, finish
    settles_at: int | None = None  # ms since 1970
    source: int | None = None  # number of the source that is being read; None: the first
    start: dict[str, Any] | None = Field(default=None, repr=False)  # where it continues
    # The removals of the current page, as {kind, key, act}: written first, so that a crash changes no count.
    planned: list[Any] = Field(default_factory=list, repr=False)
    page: int = 0
    joining: dict[str, Any] | None = None  # of an export's pages (`shared.privacy.exports.Joining`)
    counts: dict[str, int] = Field(default_factory=dict)
    # The newest ten runs, newest first: run, requested_at, requested_by, finished_at, counts, left.
    receipts: list[dict[str, Any]] = Field(default_factory=list)

    @classmethod
    @abstractmethod
    def key_of(cls, job_id: str) -> Attributes:
        """Return the whole key of the item of a job."""

    @classmethod
    def ids_of(cls, kind: Kind, company: str, subject: str) -> list[str]:
        """
        Return the ids that the job of a subject may have: with each identifier key, the present one first.

        A job outlives its run, so its id is a keyed hash. Raises as `keyed_hashes`.
        """
        found = keyed_hashes("privacy job", cls.context, kind, company, subject)
        return [one[:ID_DIGITS] for one in found]

    @property
    def owner(self) -> str:
        """The company whose data it is about."""
        return str(getattr(self, self.company_field))

    @property
    def is_done(self) -> bool:
        """Whether the current run has ended."""
        return self.state == "done"

    def turn(self) -> tuple[str, str, str]:
        """
        Return what tells the next turn from all others, for the queue's deduplication.

        It has the time: a request queues the job even if its last turn was queued just now.
        """
        return str(self.run), str(self.revision), str(clock.now_ms())

    def changed(self, **fields: object) -> Self:
        """Return the job with other values."""
        return self.model_copy(update=fields)

    def counted(self, kinds: Iterable[str]) -> Self:
        """Return the job with one more of each of these kinds."""
        counts = dict(self.counts)
        for kind in kinds:
            counts[kind] = counts.get(kind, 0) + 1
        return self.changed(counts=counts)

    def removed(self, planned: Sequence[Found]) -> Self:
        """Return the job after the findings of a page were removed."""
        return self.counted(found.kind for found in planned)


def get[J: Job](table: Table, item: type[J], job_id: str) -> J | None:
    """Return the job with this id (strongly consistent read); None if there is none, as for every malformed id."""
    if not _ID.fullmatch(job_id):
        return None
    stored = table.get(item.key_of(job_id))
    return item.read(stored) if stored else None


def replace[J: Job](table: Table, job: J) -> J:
    """
    Write the next revision of a job and return it. Raises Transient after a concurrent write.

    A write whose response was lost counts as a concurrent write: the next delivery reads it and continues from there.
    """
    changed = job.changed(revision=job.revision + 1)
    name = job.name_of("revision")
    unchanged = Attr(name).not_exists() | Attr(name).eq(job.revision)
    try:
        table.put(changed.attributes(), when=unchanged)
    except ConditionFailed:
        raise Transient("privacy_job_contended") from None
    return changed
