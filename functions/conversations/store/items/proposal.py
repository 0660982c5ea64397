"""A function that the model asked for and that people decide about, as the log keeps it."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class Verdict(StrEnum):
    """What came of it. `unknown`: it was released, and nobody knows whether the company's system did it."""

    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"
    REFUSED = "refused"


class Proposal(BaseModel):
    """
    The call: *arguments* is JSON text in its canonical spelling, checked. Without a verdict it waits.

    `decided_by` is the agent who released or refused it, `decided_principal` the authenticated caller.
    """

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)

    call_id: str
    name: str
    arguments: str = Field(repr=False)
    verdict: Verdict | None = None
    decided_by: str | None = None
    decided_principal: str | None = None
