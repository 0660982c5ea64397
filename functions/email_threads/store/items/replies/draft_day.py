"""Outcomes of the drafts of a mailbox's model on a day."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar, Final

from pydantic import Field

from email_threads.store.items.item import ThreadItem

KEPT_DAYS: Final = 400


class DraftDay(ThreadItem):
    """
    Counts of the model's drafts that were sent on a day (UTC), by version of the mailbox's settings (0: unknown).

    Attributes: `v7_sent`; `v7_corrected` of them by people, `v7_edits` and `v7_words`: words that people changed, and
    that the model had written.
    """

    pattern: ClassVar[str] = "draftday#{company_id}#{address}#{date}"
    COUNTS: ClassVar[tuple[str, ...]] = ("sent", "corrected", "edits", "words")

    conversation_id: str  # the item's key
    date: str
    ttl: int | None = Field(default=None, repr=False)

    @classmethod
    def name(cls, version: int, count: str) -> str:
        """Return the name of a count."""
        return f"v{version}_{count}"

    @property
    def by_version(self) -> dict[int, Counter[str]]:
        """The counts by version."""
        found: dict[int, Counter[str]] = {}
        for name, number in (self.model_extra or {}).items():
            version, _, count = name.removeprefix("v").partition("_")
            if count in self.COUNTS and version.isdigit():
                found.setdefault(int(version), Counter())[count] = int(number)
        return found
