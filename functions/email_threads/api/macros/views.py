"""Response models of macros."""

from enum import StrEnum
from typing import Literal

from email_threads.store.items import Status
from shared.api.models.views import View


class MacroView(View):
    """A macro: its steps."""

    name: str
    canned_reply: str | None = None
    sends: bool
    add_tags: list[str]
    remove_tags: list[str]
    status: Status | None = None
    priority: str | None = None
    assigned_to: str | None = None
    updated_at: str
    updated_by: str


class Macros(View):
    """All macros of the company, by name."""

    macros: list[MacroView]


class WrittenMacro(View):
    """Whether the macro exists now."""

    name: str
    exists: bool


class Step(StrEnum):
    """A step of a macro."""

    ANSWER = "answer"
    TAGS = "tags"
    STATUS = "status"
    PRIORITY = "priority"
    ASSIGNEE = "assignee"
    SEND = "send"


class StepView(View):
    """The outcome of a step. `reason` of a failed one: `not_permitted`, `stale_draft`, or `draft_changed`."""

    step: Step
    state: Literal["done", "failed"]
    reason: str | None = None


class MacroRun(View):
    """
    The outcome of a macro's run by step. All steps but `send` are made together or refused together; an answer whose
    `send` failed waits as a draft.
    """

    conversation_id: str
    last_seq: int
    status: Status
    reply_id: str | None = None
    steps: list[StepView]
