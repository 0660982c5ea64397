"""The outcomes that a run of a change of many conversations has counted and not stored yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from console.api.bulk.changes import Made
    from console.store.bulk.items import BulkChange

MOST_REFUSALS: Final = 20  # that are kept with their conversations


@dataclass(slots=True)
class Counts:
    """The outcomes since the change was stored."""

    done: int = 0
    skipped: int = 0
    stale: int = 0
    refused: list[dict[str, str]] = field(default_factory=list)

    @property
    def handled(self) -> int:
        """The number of conversations."""
        return self.done + self.skipped + self.stale + len(self.refused)

    def count(self, made: Made) -> None:
        """Count a conversation that was not refused."""
        match made:
            case "done":
                self.done += 1
            case "skipped":
                self.skipped += 1
            case "stale":
                self.stale += 1

    def refuse(self, entry: str, code: str) -> None:
        """Count a conversation that was refused."""
        self.refused.append({"entry": entry, "code": code})

    def added_to(self, change: BulkChange) -> dict[str, Any]:
        """Return the changed fields of a change, as they are with these counts."""
        if not self.handled:
            return {}
        return {
            "at": change.at + self.handled,
            "done": change.done + self.done,
            "skipped": change.skipped + self.skipped,
            "stale": change.stale + self.stale,
            "refused": change.refused + len(self.refused),
            "refusals": [*change.refusals, *self.refused][:MOST_REFUSALS],
        }
