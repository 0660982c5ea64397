"""Macros: several steps of people with a thread under one name."""

from typing import ClassVar

from pydantic import Field

from email_threads.store.items.item import ThreadItem
from email_threads.store.items.threads.thread import Status
from shared.aws.audited import audited


@audited("name", "canned_reply", "add_tags", "remove_tags")
class Macro(ThreadItem):
    """
    A macro of a company: an answer by a canned reply, tags, a status, a priority and an assignee. Absent steps change
    nothing. *sends*: the answer is approved, too.
    """

    pattern: ClassVar[str] = "macro#{company_id}#{name}"

    conversation_id: str  # the item's key
    company_id: str
    name: str
    canned_reply: str | None = None  # its name
    sends: bool = False
    add_tags: list[str] = Field(default_factory=list)
    remove_tags: list[str] = Field(default_factory=list)
    new_status: Status | None = None  # not `status`, which only heads have
    priority: str | None = None  # high | medium | low
    assigned_to: str | None = None  # `me`: who runs the macro
    updated_at: str
    updated_by: str


class MacroList(ThreadItem):
    """The names of a company's macros, of which a few may no longer exist."""

    pattern: ClassVar[str] = "macros#{company_id}"

    conversation_id: str  # the item's key
    names: set[str] = Field(default_factory=set)
