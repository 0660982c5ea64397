"""Changes of a merge, so that a person can undo it."""

from pydantic import BaseModel, ConfigDict, Field

from email_threads.store.items.threads.service_level import ServiceLevel
from email_threads.store.items.threads.thread_status import Status


class MergeEffects(BaseModel):
    """
    The status of a thread before it became part of another one, and what the other one got of it: *tags*, priority and
    assignee if it had none, a refused consent. *consent*, *service_level* and *created_at* are those that the other one
    had.

    *winner_seq* is the number of the other one after the merge: if it is the same, nothing has changed since.
    """

    model_config = ConfigDict(extra="allow")

    status: Status
    tags: set[str] = Field(default_factory=set)
    has_priority: bool = False
    has_assignee: bool = False
    has_reminder: bool = False
    has_consent: bool = False
    consent: bool | None = None
    service_level: ServiceLevel | None = None
    created_at: str
    winner_seq: int | None = None
