"""Dependencies of the conversation workers, created once per handler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conversations.configuration.resources import Resources
    from conversations.outbound.compose.functions.calls import Effects
    from conversations.outbound.compose.writer import MessageWriter
    from conversations.outbound.policy.gate import PolicyGate
    from conversations.outbound.turns.plan import TurnDependencies
    from shared.ai.spending.budget import Spending


@dataclass(slots=True, kw_only=True, eq=False)
class DialogueDependencies:
    """Storage, turn engine, send policy, message writer, function calls, bounds on costs."""

    resources: Resources
    turns: TurnDependencies
    policy_gate: PolicyGate
    writer: MessageWriter
    effects: Effects
    spending: Spending
    processor_version: str
