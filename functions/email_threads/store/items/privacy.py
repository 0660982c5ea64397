"""Jobs that erase or export a person, and the positions at which they read lists of threads."""

from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

from pydantic import BaseModel, ConfigDict, Field

from email_threads.store.items.item import ThreadItem
from email_threads.store.items.thread import Status
from shared.aws.dynamodb import Attributes
from shared.aws.sqs_fifo import digest
from shared.aws.tables.items import stored
from shared.privacy.jobs import ID_DIGITS, Job, Kind

# The share of a finding that is about the person. The rest of a `part` belongs to others: hashes of subjects that they
# use follow the word.
WHOLE, PART = "", "part"
MAIL, THREAD = "mail", "thread"
# Lists of threads: the person's, and the company's, one for each status. They are the first sources.
THREAD_LISTS: Final = 1 + len(Status)


@dataclass(frozen=True, slots=True)
class Place:
    """
    A place in the inventory of a thread: the number of its source, a position there, and subjects of others.

    *is_named*: a mail before it names the person.
    """

    source: int = 0
    n: int = 0
    subjects: tuple[str, ...] = ()  # hashes
    is_named: bool = False


class Position(BaseModel):
    """A position in a list of threads: what is left of the page that was read, and where the next page starts."""

    model_config = ConfigDict(defer_build=True)

    threads: list[str] = Field(default_factory=list)
    place: Place = Place()  # in the first thread
    after: dict[str, Any] | None = None

    def attributes(self) -> Attributes | None:
        """Return the position as a job stores it; None at the end of the list."""
        return stored(self) if self.threads or self.after else None


class PrivacyJob(Job, ThreadItem):
    """The erasure or export of one address of a company."""

    pattern: ClassVar[str] = "privacy#{job_id}"

    conversation_id: str  # the item's key
    company_id: str
    # The position of a run that an earlier release began.
    list_number: int | None = None
    threads: list[str] | None = None
    n: int | None = None
    subjects: list[str] | None = None
    is_named: bool | None = None

    def in_present_form(self) -> Self:
        """Return the job; of a release that had lists of threads, threads and further lists as three positions."""
        if self.list_number is None:
            return self
        subjects = self.subjects or []
        acts = {"whole": WHOLE, PART: " ".join([PART, *subjects])}
        planned = [
            entry | {"act": acts[entry["act"]] if entry["kind"] in {MAIL, THREAD} else entry["act"]}
            for entry in self.planned
        ]
        earlier = ("list_number", "threads", "n", "subjects", "is_named")
        return self._at_source().changed(planned=planned, **dict.fromkeys(earlier))

    def _at_source(self) -> Self:
        """Return a job of an earlier release at the present number of its source."""
        number = self.list_number or 0
        if self.step == "fence":
            return self.changed(source=number)
        if self.step == "parked":
            return self.changed(step="pages", source=THREAD_LISTS + (self.source or 0))
        if self.step != "threads":
            return self
        threads = self.threads or []
        place = Place(
            self.source or 0, self.n or 0, tuple(self.subjects or ()), bool(self.is_named)
        )
        # At the begin of a thread the subjects still belong to the thread before.
        is_begun = bool(place.source or place.n)
        position = Position(threads=threads, place=place if is_begun else Place(), after=self.start)
        # Once the last page of a list was read, the number named the next list.
        is_last_page = bool(threads) and self.start is None
        return self.changed(
            step="pages",
            source=number - 1 if is_last_page else number,
            start=position.attributes(),
        )

    @classmethod
    def key_of(cls, job_id: str) -> Attributes:
        """Return the whole key of the item of a job."""
        return cls.key(job_id)

    @classmethod
    def id_of(cls, kind: Kind, company_id: str, address: str) -> str:
        """Return the id of the job of an address."""
        return digest("privacy job", kind, company_id, address)[:ID_DIGITS]
