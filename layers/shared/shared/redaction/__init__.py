"""
Personal data and secrets taken out of texts and payloads, by one set of rules for all sinks.

The notation is the help desk's contract's: an e-mail address is `***@***`, a phone number `***-***-1234`, an order
number `***1234`; all the rest is `***`. It is the second net: what customers write is not meant to get here at all. So
it rather takes too much of what looks like a person, but nothing of what logs live on: ids, hashes, times, counts.
"""

# Patterns are plain texts in these modules: `re` compiles and keeps them at their first use. Compiled at import, they
# would cost every cold start 20 ms, and most lines of a log need none of them.
import re
from collections.abc import Mapping
from typing import Any

from shared.redaction.links_and_emails import redact_emails, redact_links
from shared.redaction.names import is_name_field, redact_names
from shared.redaction.order_numbers import redact_orders
from shared.redaction.payment_cards import redact_cards, redact_ibans
from shared.redaction.phone_numbers import redact_phones
from shared.redaction.postal_addresses import redact_addresses
from shared.redaction.secrets import redact_tokens
from shared.redaction.tracking_numbers import redact_tracking

__all__ = ["outline", "redact", "redacted"]

# What has no digit can only hold these.
_WITHOUT_DIGITS = (redact_tokens, redact_links, redact_emails, redact_names)
# The order matters: a link holds addresses and numbers, a card looks like a parcel, a parcel like a phone.
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

# Fields of provider payloads whose values are words of the provider, never of a person.
_PROVIDER_WORDS = frozenset(
    {"type", "status", "event", "field", "kind", "code", "object", "mime_type"}
)
_WORD = r"[A-Za-z0-9_/+.-]{1,64}"
_MAX_ENTRIES = 20


def redact(text: str) -> str:
    """*text* without what belongs to a person or opens something, each of it replaced by the mark of its kind."""
    for rule in _ALL if re.search(r"\d", text) else _WITHOUT_DIGITS:
        text = rule(text)
    return text


def redacted(value: Any, key: str = "", keep: frozenset[str] = frozenset()) -> Any:  # noqa: ANN401 - any JSON value
    """
    A value with every text in it redacted, and what stands under the *key* of somebody's name gone whole.

    What stands under a key of *keep* stays as it is: ids, which are digits in part and would look like numbers.
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
    The shape of a provider's payload without its content: keys, types and lengths.

    Only the words of the provider itself (`type`, `status`, error codes ...) keep their values. For parked events:
    enough to see what came, nothing of what was said or who said it.
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
