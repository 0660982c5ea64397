"""Follow-ups of a project: what Parley writes if a customer does not answer."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from conversations.configuration.texts import Text

MOST_STEPS = 3
LONGEST_HOURS = 30 * 24


class FollowUp(BaseModel):
    """
    One step: *text* is sent if the customer has not answered within *after_hours* of our last message.

    *template* names a template of WhatsApp, which is sent once its messaging window is closed.
    """

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True, defer_build=True)

    after_hours: Annotated[int, Field(ge=1, le=LONGEST_HOURS)]
    text: Text | None = None
    template: Annotated[str, Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _says_something(self) -> "FollowUp":
        if self.text is None and self.template is None:
            raise ValueError("needs a text or a template")
        return self
