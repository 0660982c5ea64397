"""Waits of a reply for further messages of the customer: settings of a project for each channel."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from conversations.store.items.conversation import ChannelMethod

# The delay of the queue of replies, which every reply waits for, and the longest wait of a project.
SHORTEST_SECONDS, LONGEST_SECONDS = 1, 10

type _Seconds = Annotated[int, Field(ge=SHORTEST_SECONDS, le=LONGEST_SECONDS)]


class BurstWait(BaseModel):
    """
    Seconds from a customer's message to its reply, if no newer message arrives.

    `complete` after a message that looks complete, `fragment` after one that does not or that follows an unanswered
    one, `file` after a message whose files are still being stored.
    """

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True, defer_build=True)

    complete: _Seconds = SHORTEST_SECONDS
    fragment: _Seconds = 6
    file: _Seconds = LONGEST_SECONDS


def _of_mail() -> BurstWait:
    """Return the waits of e-mail, where a second mail within seconds is rare and the answer is not urgent."""
    return BurstWait(complete=LONGEST_SECONDS, fragment=LONGEST_SECONDS)


class BurstWaits(BaseModel):
    """The waits of a project by channel."""

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True, defer_build=True)

    whatsapp: BurstWait = Field(default_factory=BurstWait)
    sms: BurstWait = Field(default_factory=BurstWait)
    email: BurstWait = Field(default_factory=_of_mail)

    def of(self, method: ChannelMethod) -> BurstWait:
        """Return the waits on a channel."""
        waits: BurstWait = getattr(self, method.value)
        return waits
