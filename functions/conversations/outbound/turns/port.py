"""The interface of the provider gateway, as the turn engine uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from conversations.conversation import OpenConversation
    from conversations.store.items.log import Message
    from shared.action_ledger import Action
    from shared.providers.outcomes import Sent


class Wire(Protocol):
    """Sends messages: the providers' clients or a substitute."""

    def check(self, opened: OpenConversation) -> None:
        """Raise Misconfigured if the sending secret is missing, NotSent if it cannot be read now."""

    def account(self, opened: OpenConversation) -> str | None:
        """Return the provider account that would send a message now; None if it is the deployment's own."""

    def send(self, opened: OpenConversation, message: Message, action_id: str) -> Sent:
        """Make one attempt. Raises Refused, NotSent or InDoubt of `shared.providers.outcomes`."""

    def evidence(self, opened: OpenConversation, message: Message, action: Action) -> str | None:
        """Return the provider id that proves that an attempt in doubt reached the provider; None without proof."""

    def announce(
        self, opened: OpenConversation, message: Message, action_id: str, provider_id: str
    ) -> None:
        """Inform the other contexts that show sent messages. Idempotent."""
