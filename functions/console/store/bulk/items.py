"""Items of changes of many conversations, in the inbox table: the newest one of each person, and what it changes."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from shared.aws.tables.items import Item, filled
from shared.aws.tables.leases import LeaseAttributes
from shared.inbox.items import LIST_INDEX

type Action = Literal["assign", "label", "snooze", "resolve", "archive", "read"]
type Stage = Literal["listing", "changing", "ended"]
type Outcome = Literal["done", "stopped", "revoked", "expired"]

KEPT_DAYS: Final = 7
NEW: Final = "new"  # stands for the owner until a run has taken the change over
OPEN_LIST: Final = "open bulk changes"  # partition of gsi_list; no company has a blank in its id


class BulkChange(Item):
    """
    The newest change of many conversations that a person asked for: who may make it, and how far it is.

        listing -> changing -> ended

    While it is `listing`, the conversations that match `filters` are collected, up to `position` in their list. While
    it is open it is in the partition `OPEN_LIST` of gsi_list. A run holds it by a lease (`owner`, `lease_until`).
    `at` counts the handled conversations, `tries` the failed runs at the next one.
    """

    pk_pattern: ClassVar[str] = "BULK#{company}#{principal}"
    indexes: ClassVar[tuple[str, ...]] = (LIST_INDEX,)
    ttl_days: ClassVar[int | None] = KEPT_DAYS

    pk: str
    company_id: str
    principal: str
    scopes: set[str]
    projects: set[str]
    issued_at: int = 0  # of the person's token, epoch seconds
    change_id: str
    list_pk: str | None = None
    activity: str  # when it was asked for
    action: Action
    value: str | None = Field(default=None, repr=False)  # assignee, label, or the end of a snooze
    filters: dict[str, str] = Field(default_factory=dict, repr=False)
    position: str | None = None
    stage: Stage
    outcome: Outcome | None = None
    is_stopping: bool = False
    is_cut: bool = False  # more conversations matched
    undoes: str | None = None  # id of the ended change that this one undoes, over its pages
    looks: int = 0  # at the list
    total: int = 0
    at: int = 0
    done: int = 0
    skipped: int = 0
    stale: int = 0  # of an undo: changed since, and left as they are
    refused: int = 0
    refusals: list[dict[str, str]] = Field(default_factory=list)  # the first ones: entry, code
    tries: int = 0
    owner: str | None = NEW
    lease_until: int | None = 0  # ms since 1970
    ttl: int

    @classmethod
    def key(cls, company: str, principal: str) -> str:
        """Return the key of a person's change."""
        return filled(cls.pk_pattern, company, principal)

    @property
    def pages_id(self) -> str:
        """The id of the change that has its conversations in pages."""
        return self.undoes or self.change_id

    @property
    def may_be_undone(self) -> bool:
        """Whether it has ended and changed something that can be put back: a read mark never goes back."""
        is_undo = self.undoes is not None
        return self.stage == "ended" and self.done > 0 and self.action != "read" and not is_undo

    @classmethod
    def lease(cls) -> LeaseAttributes:
        """Return the attributes of the lease."""
        return LeaseAttributes(cls.name_of("owner"), cls.name_of("lease_until"))


class BulkPage(Item):
    """A part of the conversations of a change, by the keys of their entries."""

    pk_pattern: ClassVar[str] = "BULK_PAGE#{change_id}#{page}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = KEPT_DAYS

    pk: str
    company_id: str
    entries: list[str] = Field(default_factory=list)
    ttl: int

    @classmethod
    def key(cls, change_id: str, page: int) -> str:
        """Return the key of a page."""
        return filled(cls.pk_pattern, change_id, str(page))


class Kept(BaseModel):
    """
    The version that a conversation had before a change, and the bodies of the calls that put it back; none for a label,
    which is removed. They have states and assignees, no text.
    """

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    version: int
    back: list[dict[str, Any]] = Field(repr=False)


class BulkUndo(Item):
    """The earlier state of a conversation of a change, by its place in it. Stored before it changes."""

    pk_pattern: ClassVar[str] = "BULK_PAGE#{change_id}#UNDO#{at}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = KEPT_DAYS

    pk: str
    company_id: str
    kept: str = Field(repr=False)  # JSON of `Kept`
    ttl: int

    @classmethod
    def key(cls, change_id: str, at: int) -> str:
        """Return the key of the undo of a conversation."""
        return filled(cls.pk_pattern, change_id, str(at))
