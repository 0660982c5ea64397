"""METADATA: the configuration of a newsletter, and its entry in the list of its company."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from newsletters.store.items.item import TableItem, has_dated_form
from shared.aws.audited import audited

USER_PARTITION: Final = "USER#{user_id}"
LISTED: Final = "NEWSLETTER#"  # prefix of the sort keys of newsletters in GSI1
_CODE: Final = re.compile(r"NL-(\d{8})-[0-9A-Z]{4}", re.ASCII)


def is_code(text: str) -> bool:
    """Return whether *text* has the form of a newsletter code, `NL-YYYYMMDD-XXXX`, with a date that exists."""
    return has_dated_form(_CODE, text)


class NewsletterStatus(StrEnum):
    """The status of a newsletter, derived from its draft and written together with it."""

    DRAFT = "draft"
    COMPLETED = "completed"  # the draft has content
    EXPORTED = "exported"  # an export of the present content exists


class ReviewState(StrEnum):
    """
    The editorial review of a draft.

        requested --approve--> approved
            |  '--return--> returned --request--> requested
    """

    REQUESTED = "requested"
    APPROVED = "approved"
    RETURNED = "returned"


class Review(BaseModel):
    """
    The newest request and decision. *content_hash*: the hash of the content under review; an approval of other content
    than the present one is outdated. *requested_by* and *decided_by* are authenticated callers.
    """

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)

    state: ReviewState
    requested_by: str
    requested_at: str
    content_hash: str
    note: str = Field(default="", repr=False)  # of the author
    decided_by: str | None = None
    decided_at: str | None = None
    decision_notes: str = Field(default="", repr=False)  # of the reviewer


@audited()
class Metadata(TableItem):
    """
    The configuration. *user_id* is the authenticated caller who created it, and its owner within *company_id*.

    *version* grows with every change of the configuration or review by a person.
    """

    partition: ClassVar[str] = "NEWSLETTER#{newsletter_code}"
    sort: ClassVar[str] = "METADATA"

    GSI1PK: str
    GSI1SK: str
    id: str
    newsletterCode: str  # noqa: N815 - the contract's name
    title: str = Field(repr=False)
    description: str = Field(default="", repr=False)
    preview: str = Field(default="", repr=False)
    status: NewsletterStatus = NewsletterStatus.DRAFT
    user_id: str
    user_email: str = Field(default="", repr=False)
    user_name: str = Field(default="", repr=False)
    created_at: str
    updated_at: str
    target_audience: list[str] = Field(default_factory=list)
    tone_professional: int = 70
    tone_technical: int = 50
    format_type: str = "email"
    length_preference: str = "standard"
    frequency: str = "weekly"
    geographic_focus: str = ""
    current_step: int = 1
    # Beside the contract's:
    company_id: str
    language: str = "en"  # BCP 47
    tone_preset: str | None = None
    review: Review | None = None
    version: int = 1


class CompanyEntry(TableItem):
    """The place of a newsletter in the list of its company; all else is in METADATA."""

    partition: ClassVar[str] = "NLCOMPANY#{company_id}"
    sort: ClassVar[str] = "NEWSLETTER#{created_at}#{newsletter_code}"

    code: str


type StepName = Literal["topics", "outline", "draft"]
STEPS: Final[tuple[StepName, ...]] = ("topics", "outline", "draft")
STEP_NUMBERS: Final[dict[StepName, int]] = {"topics": 2, "outline": 3, "draft": 4}
