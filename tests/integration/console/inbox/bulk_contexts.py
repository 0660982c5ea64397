"""One conversation that is changed and put back over the real API of its context, as runs of changes do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from console.api.bulk import changes
from console.api.bulk.calls import Refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from console.api.bulk.calls import Call
    from console.store.bulk.items import Action, Kept
    from shared.inbox.items import Context


@dataclass
class OverApi:
    """*call* returns status and body of a call."""

    context: Context
    key: str
    call: Callable[[Call], tuple[int, dict[str, Any]]]
    kept: Kept | None = None
    count: int = 0

    def keep(self, kept: Kept, *, is_new: bool) -> Kept:
        if self.kept is None or not is_new:
            self.kept = kept
        return self.kept

    def forget(self) -> None:
        self.kept = None

    def make(self, action: Action, value: str | None) -> str:
        """Change the conversation."""
        self.count, self.kept = self.count + 1, None
        return changes.make(self._ask, self._wanted(action, value), self.context, self.key, self)

    def undo(self, action: Action, value: str | None) -> str:
        """Put it back."""
        wanted = self._wanted(action, value, "undo")
        return changes.undo(self._ask, wanted, self.context, self.key, self.kept)

    def _wanted(self, action: Action, value: str | None, of: str = "make") -> changes.Wanted:
        return changes.Wanted(action=action, value=value, key=f"bulk-{of}-{self.count}")

    def _ask(self, call: Call) -> dict[str, Any]:
        status, body = self.call(call)
        if status >= 400:
            raise Refused(body["error"]["code"], status)
        result: dict[str, Any] = body["result"]
        return result
