"""Jobs that erase or export a person, and the positions at which they read lists of threads."""

from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from email_threads.store.items.item import ThreadItem
from shared.aws.dynamodb import Attributes
from shared.aws.tables.items import stored
from shared.privacy.jobs import Job

# The share of a finding that is about the person. The rest of a `part` belongs to others: hashes of subjects that they
# use follow the word.
WHOLE, PART = "", "part"
MAIL, THREAD = "mail", "thread"


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

    context: ClassVar[str] = "email_threads"
    pattern: ClassVar[str] = "privacy#{job_id}"

    conversation_id: str  # the item's key
    company_id: str

    @classmethod
    def key_of(cls, job_id: str) -> Attributes:
        """Return the whole key of the item of a job."""
        return cls.key(job_id)
