"""Input models of trials."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, Strict

from shared.ai.versions.inputs import Number
from shared.api.models.inputs import Input

MOST_CONVERSATIONS = 1_000_000
MOST_ANSWERS = 10_000
MOST_DOLLARS = 1_000
MOST_DAYS, DEFAULT_DAYS = 90, 30
DEFAULT_AT_LEAST = 50

type _Whole = Annotated[int, Strict()]


class TrialInput(Input):
    """
    A trial of *version* beside the live one. In `shadow` it answers without sending, at most *most_answers* times for
    at most *most_dollars*; in `share` it gets *share* percent of the people who begin a conversation, at most
    *most_conversations* times. It ends *until* a time, by default after 30 days; and if its hand-offs in percent exceed
    the live version's by more than *handed_off_points*, once both have *at_least* conversations or answers.
    """

    mode: Literal["shadow", "share"]
    version: Number
    share: Annotated[_Whole, Field(ge=1, le=100)] | None = None
    most_conversations: Annotated[_Whole, Field(ge=1, le=MOST_CONVERSATIONS)] | None = None
    most_answers: Annotated[_Whole, Field(ge=1, le=MOST_ANSWERS)] | None = None
    most_dollars: Annotated[float, Field(gt=0, le=MOST_DOLLARS)] | None = None
    until: AwareDatetime | None = None
    handed_off_points: Annotated[_Whole, Field(ge=1, le=100)] | None = None
    at_least: Annotated[_Whole, Field(ge=1, le=MOST_CONVERSATIONS)] = DEFAULT_AT_LEAST


class StopInput(Input):
    """With *withdraw* the conversations of the version on trial go back to the live one; else they keep it."""

    withdraw: Annotated[bool, Strict()] = False


class TrialsQuery(Input):
    """Position in the list of trials, or of their answers."""

    limit: int = Field(default=20, ge=1, le=50)
    cursor: str | None = None
