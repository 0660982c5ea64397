"""
Redaction of personal data and secrets in texts and payloads, with one set of rules for all sinks.

The notation follows the help desk's contract: an e-mail address is `***@***`, a phone number `***-***-1234`, an order
number `***1234`; everything else is `***`. It is a second line of defence: customer text should not reach logs at all.
So it prefers to redact too much of possible personal data, but keeps what logs need: ids, hashes, times, counts.
"""

# Patterns are strings in these modules: `re` compiles and caches them at first use. Compiling at import would add 20 ms
# to every cold start, and most log lines need none of them.
import re
from collections.abc import Mapping
from typing import Any

from shared.runtime.redaction.links_and_emails import redact_emails, redact_links
from shared.runtime.redaction.names import is_name_field, redact_names
from shared.runtime.redaction.order_numbers import redact_orders
from shared.runtime.redaction.payment_cards import redact_cards, redact_ibans
from shared.runtime.redaction.phone_numbers import redact_phones
from shared.runtime.redaction.postal_addresses import redact_addresses
from shared.runtime.redaction.secrets import redact_tokens
from shared.runtime.redaction.tracking_numbers import redact_tracking

__all__ = ["outline", "redact", "redacted"]

# The rules that can match a text without digits.
_WITHOUT_DIGITS = (redact_tokens, redact_links, redact_emails, redact_names)
# The order matters: a link contains addresses and numbers, a card number matches a tracking number, which matches a
# phone number.
_ALL = (
    redact_tokens,
    redact_links,
    redact_emails,
    redact_cards,
    redact_ibans,
    redact_tracking,
    redact_phones,
    redact_orders,
    redact_addresses,
    redact_names,
)

# Fields of provider payloads whose values are keywords of the provider, never personal data.
_PROVIDER_WORDS = frozenset(
    {"type", "status", "event", "field", "kind", "code", "object", "mime_type"}
)
_WORD = r"[A-Za-z0-9_/+.-]{1,64}"
_MAX_ENTRIES = 20


def redact(text: str) -> str:
    """Return *text* with personal data and secrets replaced by the mark of their kind."""
    for rule in _ALL if re.search(r"\d", text) else _WITHOUT_DIGITS:
        text = rule(text)
    return text


def redacted(value: Any, key: str = "", keep: frozenset[str] = frozenset()) -> Any:  # noqa: ANN401 - any JSON value
    """
    Return a value with every text in it redacted, and texts under the *key* of a person's name replaced entirely.

    Values under a key in *keep* are unchanged: ids contain digits and would look like numbers.
    """
    if key in keep:
        return value
    if isinstance(value, str):
        return "***" if value and is_name_field(key) else redact(value)
    if isinstance(value, dict):
        return {name: redacted(entry, str(name), keep) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(redacted(entry, key, keep) for entry in value)
    return value


def outline(value: Any, key: str = "") -> Any:  # noqa: ANN401 - any JSON value
    """
    Return the shape of a provider's payload without its content: keys, types and lengths.

    Only the provider's own keywords (`type`, `status`, error codes ...) keep their values. For parked events: enough to
    identify the event, without its text or its sender.
    """
    if isinstance(value, Mapping):
        entries = list(value.items())[:_MAX_ENTRIES]
        return {redact(str(name))[:64]: outline(entry, str(name)) for name, entry in entries}
    if isinstance(value, list):
        return [outline(entry, key) for entry in value[:_MAX_ENTRIES]]
    if isinstance(value, str):
        if key in _PROVIDER_WORDS and re.fullmatch(_WORD, value) and redact(value) == value:
            return value
        return f"<text of {len(value)}>"
    if key == "code" and isinstance(value, int):
        return value
    return value if isinstance(value, bool) or value is None else "<number>"
