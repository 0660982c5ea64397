"""
Numbers that had several owners, as addresses of one of them:

    +447700900101~                  the first owner, who has it no more
    +447700900101~20260302120010    who has it since that second

A number with one owner is written as it is. Conversations with a number are the person's whose number it was when they
began; what else is stored under the number is its present owner's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conversations.store import erasures
from shared.identity.identifiers import of_later_owner
from shared.policy.consent import withdrawals
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conversations.privacy.dependencies import ErasureDependencies
    from conversations.store.items.conversation import Conversation
    from shared.policy.consent.withdrawals import Change

OWNED = "~"


@dataclass(frozen=True, slots=True)
class Owners:
    """The owners of the numbers of a company, each number read once."""

    deps: ErasureDependencies
    company_id: str
    known: dict[str, list[Change]] = field(default_factory=dict)

    def of_user(self, address: str, user_ids: Iterable[str]) -> str:
        """Return an address with its owner who has one of these user ids; without any, with the present owner."""
        changes = self._changes(address)
        if not changes:
            return address
        now = clock.to_text(clock.now_ms())
        found = [withdrawals.change_before(changes, now, one) for one in user_ids]
        change = found[0] if found else withdrawals.change_before(changes, now, None)
        return _owned(address, change)

    def of_conversation(self, conversation: Conversation, ref: str) -> str | None:
        """Return the number of a conversation with its customer as owner; None without a number."""
        number = conversation.recipient_tel
        changes = self._changes(number) if number else []
        if number is None or not changes:
            return number
        state = erasures.read_state(self.deps.log, ref)
        at = (state.began_at if state else None) or conversation.created_at
        user_id = state.customer_user_id if state else None
        return _owned(number, withdrawals.change_before(changes, at, user_id))

    def has(self, address: str, conversation: Conversation, ref: str) -> bool:
        """Whether a conversation with the number of an address is with the owner that the address names."""
        if OWNED not in address:
            return True
        own = self.of_conversation(conversation, ref) or ""
        # Without a change that is known here, a number is its first owner's.
        return address == (own if OWNED in own else f"{own}{OWNED}")

    def is_present(self, address: str) -> bool:
        """Whether an address is its present owner's: what names no conversation is then theirs."""
        return OWNED not in address or self.of_user(number_of(address), ()) == address

    def _changes(self, address: str) -> list[Change]:
        if not address.startswith("+") or OWNED in address:
            return []
        if address not in self.known:
            log = self.deps.log
            self.known[address] = withdrawals.changes_of(log, self.company_id, address)
        return self.known[address]


def number_of(address: str) -> str:
    """Return an address without its owner."""
    return address.partition(OWNED)[0]


def _owned(number: str, change: Change | None) -> str:
    return of_later_owner(number, change.at) if change else f"{number}{OWNED}"
