"""Whose words a message counts as: of a proven author, or of one whom a person has admitted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def is_proven_author(channel: str, extra: Mapping[str, Any]) -> bool:
    """
    Whether the sender of a message is who it names. A phone number is proven by its network; the author of an e-mail by
    the checks of SES (`extra["trust"]`), without which anyone may have written it.
    """
    return channel != "email" or extra.get("trust") == "verified"


def counts_as_customers(channel: str, extra: Mapping[str, Any]) -> bool:
    """Whether a model may read a message as the customer's: its author is proven, or a person has admitted it."""
    return is_proven_author(channel, extra) or extra.get("admitted") is True
