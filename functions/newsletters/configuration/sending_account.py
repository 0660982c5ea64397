"""The account at the mail provider, as a process has read it within the last minute."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.providers.email.identities import Account, Identities

KNOWN_MS: Final = 60 * clock.SECOND_MS


@dataclass(slots=True, eq=False)
class SendingAccount:
    """The account, which is read again after KNOWN_MS."""

    identities: Callable[[], Identities]
    _read: tuple[int, Account] | None = field(default=None, init=False)

    def now(self) -> Account:
        """Return the account. Raises Transient."""
        if self._read is None or clock.now_ms() - self._read[0] >= KNOWN_MS:
            self._read = clock.now_ms(), self.identities().account()
        return self._read[1]

    def forget(self) -> None:
        """Read the account again at the next question."""
        self._read = None
