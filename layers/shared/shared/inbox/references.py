"""The keys of conversations in APIs: the API of a context, the inbox and its hints give the same ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.aws.sqs_fifo import digest
from shared.inbox.items import Context

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.api.opaque_ids import Seal


def whatsapp_address(company: str) -> str:
    """Return the address that binds the keys of a company's WhatsApp conversations (`shared.api.opaque_ids`)."""
    return digest("conversation", company)


def key_of(context: Context, company: str, reference: str, seal: Callable[[], Seal]) -> str:
    """Return the key that the API of a context takes. *seal* is called for contexts whose references hold numbers."""
    if context is Context.WHATSAPP:
        return seal().seal(reference, bound_to=whatsapp_address(company))
    return reference
