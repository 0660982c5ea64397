"""Input models of the API and their limits."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, Strict, model_validator
from pydantic_core import PydanticCustomError

from email_threads.api import views
from email_threads.configuration.model_limits import FEWEST_TOKENS
from email_threads.configuration.requirements_schema import (
    RequirementsSchema,  # noqa: TC001 - pydantic reads this annotation at run time
)
from email_threads.replies.approval.signatures import has_unknown
from email_threads.store.configuration.mailboxes import MOST_BLOCKED
from email_threads.store.items import Automation, ReplyMode, Status
from email_threads.threading.links.separation import MOST_MAILS as MOST_SPLIT
from shared.ai.settings import MOST_TOKENS, ModelSettings
from shared.api.models.agent_inputs import Assignee, AssigneeFilter, SnoozeEnd  # noqa: TC001 - pydantic reads these annotations at run time
from shared.api.models.inputs import Change, Input
from shared.identity.addresses import AddressInvalid, email_address
from shared.policy.business_hours import LONGEST_WEEKS, MOST_PERIODS, BusinessHours, Period
from shared.runtime.validation import patterns

LONGEST_NOTE = 10_000
LONGEST_TAG = 50
MOST_TAGS = 20
_MOST_MINUTES = 60 * 24 * 60  # of a target: 60 days
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")  # all but tab and line breaks


def _as_address(text: object) -> str:
    if not isinstance(text, str):
        raise PydanticCustomError("address", "must be an e-mail address")
    try:
        return email_address(text)
    except AddressInvalid:
        raise PydanticCustomError("address", "must be an e-mail address") from None


def is_one_line(text: str) -> str:
    """Return a printable text without blanks at its ends. Raises PydanticCustomError."""
    if text != text.strip() or not text.isprintable():
        raise PydanticCustomError("line", "must be printable, without blanks at the ends")
    return text


def is_text(text: str) -> str:
    """Return a text that is neither blank nor has control characters, which SES drops. Raises PydanticCustomError."""
    if not text.strip():
        raise PydanticCustomError("blank", "must not be blank")
    if _CONTROL.search(text):
        raise PydanticCustomError("control", "must not have control characters")
    return text


type Address = Annotated[str, Field(max_length=320), BeforeValidator(_as_address)]


def _as_sender(text: object) -> str:
    """Return an address, or a domain with its @."""
    is_domain = isinstance(text, str) and text.startswith("@")
    address = _as_address(f"x{text}" if is_domain else text)
    return address.removeprefix("x") if is_domain else address


type Sender = Annotated[str, Field(max_length=320), BeforeValidator(_as_sender)]


def _is_signature(text: str) -> str:
    """Return a text with known variables. Raises PydanticCustomError."""
    if has_unknown(text):
        raise PydanticCustomError(
            "variables", "may have the variables name, mailbox and mailbox_name only"
        )
    return is_text(text)


type SignatureText = Annotated[
    str, Field(min_length=1, max_length=1_000), AfterValidator(_is_signature)
]
type Tag = Annotated[str, Field(min_length=1, max_length=LONGEST_TAG), AfterValidator(is_one_line)]
type Priority = Literal["high", "medium", "low"]
type Flag = Annotated[bool, Strict()]
type Fact = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(is_one_line)]
type Host = Annotated[
    str,
    Field(
        pattern=patterns.worded(
            r"^(?:\*\.)?(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}$",
            "must be a host such as *.example.com",
        )
    ),
]
type SettingName = Annotated[
    str, Field(min_length=1, max_length=2_048), AfterValidator(is_one_line)
]
type ThreadId = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]


class Model(ModelSettings):
    """A language model. Unknown fields are errors here, and an answer needs some room."""

    model_config = ConfigDict(extra="forbid", strict=False, hide_input_in_errors=True)

    model: SettingName | None = None
    max_output_tokens: Annotated[int, Field(ge=FEWEST_TOKENS, le=MOST_TOKENS)] = FEWEST_TOKENS
    guardrail_id: SettingName | None = None
    api_key_reference: SettingName | None = None


class ThreadsQuery(Input):
    """
    Filter for threads: with one `participant`, or of one `status`, by default active ones.

    `q` is searched in subject, addresses and the beginning of the newest mail; `has_draft=1` finds open drafts,
    `analysis_reason` threads that the model has not read for this reason, such as `spending_limit`.
    """

    status: Status | None = None
    participant: Address | None = None
    mailbox: Address | None = None
    assigned_to: AssigneeFilter | None = None
    tag: Tag | None = None
    priority: Priority | None = None
    has_draft: Literal["0", "1"] | None = None
    analysis_reason: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:-]{1,100}$")] | None = None
    q: Annotated[str, Field(min_length=2, max_length=100)] | None = None
    limit: int = Field(default=25, ge=1, le=100)
    cursor: str | None = None

    @model_validator(mode="after")
    def _has_one_list(self) -> ThreadsQuery:
        if self.status is not None and self.participant is not None:
            raise PydanticCustomError("lists", "must have status or participant, not both")
        return self


class ThreadQuery(Input):
    """The parts of a thread to return: as many of its newest mails and notes, and with `drafts=1` its open drafts."""

    mails: int | None = Field(default=None, ge=1, le=100)
    notes: int | None = Field(default=None, ge=1, le=100)
    drafts: Literal["0", "1"] = "0"


class NumberedQuery(Input):
    """Position in the mails, notes or changes of a thread: the page before the number `before`, newest first."""

    before: int | None = Field(default=None, ge=1)
    limit: int = Field(default=25, ge=1, le=100)


class MailQuery(Input):
    """`html=1` adds the sanitised HTML of the mail."""

    html: Literal["0", "1"] = "0"


class ThreadChange(Input):
    """
    New values; absent ones stay. `assigned_to`, `priority`, `gdpr_consent` and `reply_mode` may be null; without a
    `reply_mode` the mailbox's applies. `snoozed_until`: at most a year ahead, and before the thread is deleted; null
    ends a snooze, and so does a new status. `remind_at`, with the same limits: a reminder of an open thread, which a
    mail of the customer or the end of the thread cancels; null removes it. With `expected_seq` the change is refused if
    the thread has another `last_seq` by now.
    """

    status: Status | None = None
    automation: Automation | None = None
    reply_mode: ReplyMode | None = None
    assigned_to: Assignee | None = None
    priority: Priority | None = None
    add_tags: list[Tag] = Field(default_factory=list, max_length=MOST_TAGS)
    remove_tags: list[Tag] = Field(default_factory=list, max_length=MOST_TAGS)
    gdpr_consent: Flag | None = None
    snoozed_until: SnoozeEnd | None = None
    remind_at: SnoozeEnd | None = None
    expected_seq: Annotated[int, Strict()] | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _changes_something(self) -> ThreadChange:
        if not self.model_fields_set - {"expected_seq"}:
            raise PydanticCustomError("empty", "must contain a change")
        for name in ("status", "automation"):
            if name in self.model_fields_set and getattr(self, name) is None:
                raise PydanticCustomError("null", f"{name} must not be null")
        return self


class NoteInput(Input):
    """An internal note."""

    text: Annotated[str, Field(min_length=1, max_length=LONGEST_NOTE), AfterValidator(is_text)]


class MergeInput(Input):
    """The thread that this one becomes part of."""

    into: ThreadId


type MailNumber = Annotated[int, Strict(), Field(ge=1)]


class SplitInput(Input):
    """The numbers of the mails that begin a new thread, and its subject; by default this thread's."""

    mails: Annotated[list[MailNumber], Field(min_length=1, max_length=MOST_SPLIT)]
    subject: (
        Annotated[str, Field(min_length=1, max_length=300), AfterValidator(is_one_line)] | None
    ) = None


class SignatureInput(Input):
    """
    The name of the caller, and their signatures: in general, and by mailbox. All values are replaced.

    Variables are `{name}`, `{mailbox}` and `{mailbox_name}`; a line whose variable has no value is left out.
    """

    name: (
        Annotated[str, Field(min_length=1, max_length=100), AfterValidator(is_one_line)] | None
    ) = None
    text: SignatureText | None = None
    by_mailbox: Annotated[dict[Address, SignatureText], Field(max_length=20)] = Field(
        default_factory=dict
    )


class PeriodInput(Period):
    """Hours of the `days` named, from `start` to `end`, as `09:00`; an end that is not later is on the next day."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


class BusinessHoursInput(BusinessHours):
    """Weekly periods in a time zone; none begins on a holiday."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    periods: Annotated[list[PeriodInput], Field(min_length=1, max_length=MOST_PERIODS)]  # type: ignore[assignment] # list is invariant; these are only read


type Minutes = Annotated[int, Strict(), Field(ge=1, le=_MOST_MINUTES)]


class ServiceLevelFields(Change):
    """
    Business hours and targets of a mailbox.

    The targets are minutes of business hours; without `business_hours` every hour is one.
    """

    business_hours: BusinessHoursInput | None = None
    first_response_minutes: Minutes | None = None
    resolution_minutes: Minutes | None = None

    @model_validator(mode="after")
    def _is_due_soon(self) -> ServiceLevelFields:
        if self.business_hours is None:
            return self
        most = LONGEST_WEEKS * self.business_hours.seconds_of_a_week() // 60
        for name in ("first_response_minutes", "resolution_minutes"):
            if (getattr(self, name) or 0) > most:
                raise PydanticCustomError(
                    "unreachable",
                    "{name} must be within {weeks} weeks of business hours",
                    {"name": name, "weeks": LONGEST_WEEKS},
                )
        return self


class MailboxInput(ServiceLevelFields):
    """
    The settings of a mailbox: absent ones of a registered mailbox stay, null removes a value.

    `blocked_senders`: addresses and domains (`@spam.example`). Drafts by a model (`automation` email_threads) need
    `ai`, the model. Targets are minutes of `business_hours`.

    `auto_close_days`: a thread is completed so many days after our answer if the customer does not write, by default
    never. `reopen_days`: a customer's mail reopens a closed thread for so many days, later mail begins a new one; by
    default it always reopens. `satisfaction_delay_hours`: so long after the end of a thread its customer is asked once
    how satisfied they are, by default never.
    """

    view = views.MailboxView

    display_name: Annotated[str, Field(max_length=100), AfterValidator(is_one_line)] | None = None
    automation: Automation = Automation.NONE
    retention_days: Annotated[int, Strict()] = Field(default=30, ge=1, le=3_650)
    enabled: Flag = True
    reply_mode: ReplyMode = ReplyMode.MANUAL
    ai: Model | None = None
    requirements_schema: RequirementsSchema | None = None
    auto_complete: Flag = False
    facts: Annotated[list[Fact], Field(max_length=20)] = Field(default_factory=list)
    link_hosts: Annotated[list[Host], Field(max_length=20)] = Field(default_factory=list)
    blocked_senders: Annotated[list[Sender], Field(max_length=MOST_BLOCKED)] | None = None
    undo_seconds: Annotated[int, Strict()] | None = Field(default=None, ge=0, le=60)
    auto_close_days: Annotated[int, Strict()] | None = Field(default=None, ge=1, le=365)
    satisfaction_delay_hours: Annotated[int, Strict()] | None = Field(default=None, ge=0, le=720)
    reopen_days: Annotated[int, Strict()] | None = Field(default=None, ge=0, le=3_650)
    signature: SignatureText | None = None
