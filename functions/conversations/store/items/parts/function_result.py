"""The answer of a company's webhook."""

from typing import ClassVar

from pydantic import Field

from conversations.store.items.base import sort_key
from conversations.store.items.log import MARKER_DAYS, OfConversation


class FunctionResult(OfConversation):
    """The answer of a company's webhook to a function call of the model, for a retry of its turn."""

    item_type: ClassVar[str] = "FUNCTION_RESULT"
    sk_pattern: ClassVar[str] = "FN#{action_id}"
    ttl_days: ClassVar[int | None] = MARKER_DAYS

    name: str
    text: str = Field(repr=False)
    is_error: bool

    @classmethod
    def sk(cls, action_id: str) -> str:
        """Return the sort key of a function's result."""
        return sort_key(cls.sk_pattern, action_id)
