"""A function call requested by the model that needs approval, as stored in the log."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

FUNCTION = "function"  # the kind of a message that only holds a function call


class Verdict(StrEnum):
    """Outcome of the call. `unknown`: released, but whether the company's system executed it is not known."""

    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"
    REFUSED = "refused"


class Proposal(BaseModel):
    """
    The call: *arguments* is validated JSON text in canonical form. It is pending while *verdict* is None.

    `decided_by` is the agent who released or refused it, `decided_principal` the authenticated caller.
    """

    model_config = ConfigDict(extra="allow", defer_build=True, hide_input_in_errors=True)

    call_id: str
    name: str
    arguments: str = Field(repr=False)
    verdict: Verdict | None = None
    decided_by: str | None = None
    decided_principal: str | None = None
