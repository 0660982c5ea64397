"""The question how satisfied the customer of a thread is, and the answer."""

from pydantic import BaseModel, ConfigDict, Field


class Satisfaction(BaseModel):
    """
    The question of a thread, asked once: *delay_hours* after it is completed, at *ask_at*.

        none --completed--> waits --time passes--> asked --customer--> answered, at most five times
                              '--opened again--> none

    *score* is 1 to 5. The newest of the *answers* counts.
    """

    model_config = ConfigDict(extra="allow")

    delay_hours: int
    ask_at: str | None = None
    asked_at: str | None = None
    score: int | None = None
    comment: str | None = Field(default=None, repr=False)
    answered_at: str | None = None
    answers: int = 0
