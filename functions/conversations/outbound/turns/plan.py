"""The definition of a turn, its outcome, and the dependencies of all turns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conversations.configuration.resources import Resources
    from conversations.outbound.compose.openai_mirror import Mirror
    from conversations.outbound.policy.gate import PolicyGate
    from conversations.outbound.providers.gateway import Providers
    from conversations.outbound.results import Ended
    from conversations.store.items.log import Message
    from conversations.store.items.turn import TurnKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """
    The definition of a turn: its id and kind, the customer's newest message it covers, and its author.

    *at_ms* is the message's timestamp if it is known in advance and equal in every retry; *read_until* is explained in
    `newer_messages`.
    """

    turn_id: str
    kind: TurnKind
    up_to: str | None = None
    author: str = "ai"
    at_ms: int | None = None
    read_until: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a turn; *reason* is a code if it did not succeed."""

    ended: Ended
    message: Message | None = field(default=None, repr=False)
    reason: str | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class TurnDependencies:
    """Storage, the provider gateway, the send policy and the copies at OpenAI."""

    resources: Resources
    gateway: Providers
    policy_gate: PolicyGate
    mirror: Mirror
