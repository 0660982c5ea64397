"""Makes calls to the provider that have the same effect when they are repeated: receipts and reactions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shared.providers.action_ledger import OnDoubt
from shared.providers.outcomes import InDoubt
from shared.runtime.failures import Permanent
from whatsapp import transmission
from whatsapp.actions.calls import remote
from whatsapp.sending import recipients
from whatsapp.sending.failures import NotConfigured

if TYPE_CHECKING:
    from whatsapp.actions.calls.call import Call
    from whatsapp.store.items import Conversation, Phone

_FIND = "call again with the same Idempotency-Key, which repeats it"


def perform(
    call: Call[Any], phone: Phone, body: dict[str, Any], recipient: Conversation | None = None
) -> None:
    """
    Post message JSON from a number, once more if the answer is lost. A later call with the same idempotency key posts
    it again only if the outcome is open. *recipient*: the conversation whose customer *body* names.

    Raises PolicyRefused (`address_withdrawn`), NotConfigured, LeftInDoubt, ProviderRejected, ProviderUnavailable,
    TooFast, KeyReused and StillRunning.
    """
    try:
        post = transmission.post_of(call.resources, phone)
    except Permanent as fault:
        raise NotConfigured(f"phone: {fault.reason}") from None

    def once() -> str | None:
        if recipient is not None:
            recipients.require(call.resources.gate, phone, recipient)
        return post(body)

    def attempt() -> str | None:
        try:
            return once()
        except InDoubt:
            return once()

    remote.once(call, phone, _FIND, attempt, on_doubt=OnDoubt.RESEND)
