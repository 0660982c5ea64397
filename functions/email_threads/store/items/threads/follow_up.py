"""The time at which a person follows up on a thread."""

from pydantic import BaseModel, ConfigDict


class Reminder(BaseModel):
    """
    A reminder of a thread that has no answer of the customer until *remind_at*. *given_at*: when the thread was opened
    for it.

        waiting --time passes--> given --answer of ours, mail of the customer, closed--> removed
        waiting --mail of the customer, closed--> removed
    """

    model_config = ConfigDict(extra="allow")

    remind_at: str
    given_at: str | None = None
