"""The seeds of control routes."""

from pydantic import BaseModel, ConfigDict


class Seed(BaseModel):
    """Input of a control route; unknown fields are refused, so that a misspelt field is not ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)
