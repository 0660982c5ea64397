"""The memory of a conversation."""

from typing import ClassVar, Self

from pydantic import Field

from conversations.store.items.log import OfConversation

LONGEST_SUMMARY, LONGEST_FACT, MOST_FACTS = 1_500, 200, 20


class Memory(OfConversation):
    """
    What a conversation has been about: a summary, and facts that the customer stated; deleted with the conversation.

    `up_to` is the sort key of the newest message in it, `by` the author of the newest change: `ai`, or the principal of
    a person or key. `carried_from` is the `ref` of the conversation that it began with, `contacts` are the ids of the
    contacts from whose conversations it may have something.
    """

    item_type: ClassVar[str] = "MEMORY"
    sk_pattern: ClassVar[str] = "MEMORY"

    summary: str = Field(default="", repr=False)
    facts: list[str] = Field(default_factory=list, repr=False)
    up_to: str | None = None
    revision: int = 1
    by: str
    at: str
    carried_from: str | None = None
    contacts: list[str] = Field(default_factory=list)
    revised_for: str | None = None  # hash of the call that made the newest change

    @classmethod
    def sk(cls) -> str:
        """Return the sort key."""
        return cls.sk_pattern

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing."""
        return not (self.summary or self.facts)

    def changed(self, **fields: object) -> Self:
        """Return the next revision with these fields."""
        return self.model_copy(update={**fields, "revision": self.revision + 1})

    def emptied(self) -> Self:
        """Return the same revision without content: all messages of the conversation are to be remembered again."""
        nothing: dict[str, object] = {
            "summary": "",
            "facts": [],
            "up_to": None,
            "carried_from": None,
            "contacts": [],
        }
        return self.model_copy(update=nothing)
