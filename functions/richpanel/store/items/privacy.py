"""Rows of jobs that erase or export a customer, in `rp_mw_conversation_state`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from richpanel.store.items.row import AtMost, Row
from shared.aws.tables.items import filled
from shared.privacy.jobs import MOST_RECEIPTS, Job

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes


class PrivacyJob(Job, Row):
    """
    The erasure or export of one customer of the company of the help desk.

    `requested_for` is the keyed hash of an address, as in the keys of customers. Receipts never expire: `expires_at` is
    absent.
    """

    context: ClassVar[str] = "richpanel"
    partition_key: ClassVar[str] = "conversation_id"
    patterns: ClassVar[tuple[str, ...]] = ("sys:privacy:{job_id}",)
    ttl_days: ClassVar[int] = 0  # none

    conversation_id: str
    company_id: str
    start: Annotated[dict[str, Any], AtMost(2)] | None = Field(default=None, repr=False)
    planned: Annotated[list[Any], AtMost(1)] = Field(default_factory=list, repr=False)
    joining: Annotated[dict[str, Any], AtMost(3)] | None = None
    counts: Annotated[dict[str, int], AtMost(1)] = Field(default_factory=dict)
    receipts: Annotated[list[dict[str, Any]], AtMost(MOST_RECEIPTS)] = Field(default_factory=list)
    expires_at: int | None = None  # type: ignore[assignment] # as of the versions of settings

    @classmethod
    def key_of(cls, job_id: str) -> Attributes:
        """Return the whole key of the row of a job."""
        return {cls.partition_key: filled(cls.patterns[0], job_id)}
