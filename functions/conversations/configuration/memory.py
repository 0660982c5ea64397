"""Memory of the model about a conversation, beyond the messages that it reads."""

from pydantic import BaseModel, ConfigDict


class MemorySettings(BaseModel):
    """
    *summary*: a rolling summary of messages that the model no longer reads, with the facts that the customer stated.

    *carry_over*: a new conversation begins with the newest memory of the same person in the project.
    """

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True, defer_build=True)

    summary: bool = False
    carry_over: bool = False
