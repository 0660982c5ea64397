"""Drafts of a version on trial, which are never offered."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class ShadowDraft(BaseModel):
    """
    What a version on trial would have answered to a mail, kept with it: never offered, approved or sent.

    `begun`: the model is being asked, or the worker has died. `text` is None if a person must write the answer; `waits`
    is why a person must approve it where safe answers are sent without one. `live_reply` is the live version's draft,
    None if it left the answer to a person.
    """

    model_config = ConfigDict(extra="allow")

    trial_id: str
    version: int
    at: str
    status: Literal["begun", "made", "failed"] = "begun"
    reason: str | None = None  # of a failure, a code
    text: str | None = Field(default=None, repr=False)
    waits: str | None = None
    needs_human: bool = False
    live_reply: str | None = None
    live_handed_off: bool = False
    cost_micros: int = 0
    ms: int = 0

    @property
    def hands_off(self) -> bool:
        """Whether the version leaves the answer to a person."""
        return self.text is None or self.needs_human
