"""Deletes at Graph, which refuses to delete a missing object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whatsapp.actions.calls.remote import answered
from whatsapp.sending.failures import ProviderRejected

if TYPE_CHECKING:
    from collections.abc import Callable

_UNKNOWN_OBJECT = "graph_100"


def delete(attempt: Callable[[], dict[str, Any]], is_gone: Callable[[], bool]) -> None:
    """
    Delete, with repeats while the answer is lost. After a refusal *is_gone* reads whether there is nothing to delete:
    an earlier call may have deleted it.

    Raises ProviderRejected, ProviderUnavailable and TooFast.
    """
    try:
        answered(attempt)
    except ProviderRejected:
        if not is_gone():
            raise


def is_unknown(read: Callable[[], object]) -> bool:
    """Whether Graph does not know the object that *read* reads. Raises the provider's other failures."""
    try:
        read()
    except ProviderRejected as refusal:
        if refusal.code == _UNKNOWN_OBJECT:
            return True
        raise
    return False
