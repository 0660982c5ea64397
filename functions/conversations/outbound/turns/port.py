"""What leaves: how a message of ours goes on the wire, whoever carries it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from conversations.conversation import Opened
    from conversations.store.items.log import Message
    from shared.action_ledger import Action
    from shared.providers.outcomes import Sent


class Wire(Protocol):
    """Whoever sends: the providers' clients, or what stands in for them."""

    def check(self, opened: Opened) -> None:
        """Raise Misconfigured where the secret that sends is not there, NotSent where it cannot be read just now."""

    def account(self, opened: Opened) -> str | None:
        """The provider's account that a message would be sent from now; None where it is the deployment's own."""

    def send(self, opened: Opened, message: Message, action_id: str) -> Sent:
        """One attempt. Raises Refused, NotSent or InDoubt of `shared.providers.outcomes`."""

    def evidence(self, opened: Opened, message: Message, action: Action) -> str | None:
        """What proves that an attempt in doubt arrived: the provider's id; None where nothing does."""

    def announce(self, opened: Opened, message: Message, action_id: str, provider_id: str) -> None:
        """Tell the other contexts that it was sent, where it shows there. Safe to repeat."""
