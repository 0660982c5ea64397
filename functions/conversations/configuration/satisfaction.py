"""The question how satisfied customers are, in the settings of a project."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from conversations.configuration.texts import Text

LONGEST_DELAY_MINUTES = 30 * 24 * 60


class SatisfactionSettings(BaseModel):
    """
    The customers of *percent* of the conversations are asked *after_minutes* from the end, at most once in 30 days.

    *text* is the question; without it, it is Parley's own, which has nine languages.
    """

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True, defer_build=True)

    after_minutes: Annotated[int, Field(ge=0, le=LONGEST_DELAY_MINUTES)]
    percent: Annotated[int, Field(ge=1, le=100)] = 100
    text: Text | None = None
