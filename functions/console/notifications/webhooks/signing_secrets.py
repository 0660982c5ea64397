"""
Secrets that sign deliveries. A secret is an HMAC with an identifier key of the deployment over the webhook's id and the
number of the secret. So it is stored nowhere, and shown in the answer to the change that made it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.identity import keyed_hashes
from shared.inbox.notifications.webhooks.items import SigningKey
from shared.providers import standard_webhooks
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.inbox.notifications.webhooks.items import Webhook


def first(cause: str) -> SigningKey:
    """Return the key of the first secret of a webhook. Raises KeysUnreadable."""
    return SigningKey(number=1, fingerprint=keyed_hashes.all_keys()[0].fingerprint, cause=cause)


def rotated(webhook: Webhook, cause: str, keep_seconds: int) -> list[SigningKey]:
    """
    Return the keys of a webhook with a new one; the present one signs beside it for *keep_seconds* more.

    Of a repeat of the change with this *cause* the keys as they are. Raises KeysUnreadable.
    """
    newest, *older = webhook.signing
    if newest.cause == cause:
        return webhook.signing
    made = first(cause).model_copy(update={"number": newest.number + 1})
    ends = newest.model_copy(update={"until": clock.expires_in(keep_seconds)})
    return [made, ends, *(one for one in older if not clock.is_over(one.until))]


def newest_secret(webhook: Webhook) -> str:
    """Return the present secret of a webhook, as its receiver stores it. Raises KeyUnknown and KeysUnreadable."""
    return _secret(webhook, webhook.signing[0])


def secrets(webhook: Webhook) -> list[str]:
    """Return the secrets that sign a delivery now. Raises KeyUnknown and KeysUnreadable."""
    return [_secret(webhook, one) for one in webhook.signing if not clock.is_over(one.until)]


def _secret(webhook: Webhook, key: SigningKey) -> str:
    hashed = keyed_hashes.key_named(key.fingerprint).hex(
        "webhook", webhook.company, webhook.sk, str(key.number)
    )
    return standard_webhooks.secret_text(bytes.fromhex(hashed))
