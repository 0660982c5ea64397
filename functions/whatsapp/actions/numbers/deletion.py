"""Deletions at Graph, which refuses to delete what no longer exists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shared.providers.outcomes import InDoubt, NotSent, Refused
from whatsapp.actions.remote import ATTEMPTS
from whatsapp.sending.failures import ProviderRejected, ProviderUnavailable, of_not_sent

if TYPE_CHECKING:
    from collections.abc import Callable

_UNKNOWN_OBJECT = "graph_100"


def delete(attempt: Callable[[], Any]) -> None:
    """
    Delete, with repeats while the answer is lost: an object that is unknown after a lost answer has been deleted.

    Raises ProviderRejected, ProviderUnavailable and TooFast.
    """
    is_lost = False
    for _ in range(ATTEMPTS):
        try:
            attempt()
        except Refused as refusal:
            if is_lost and refusal.code == _UNKNOWN_OBJECT:
                return
            raise ProviderRejected(refusal.code) from None
        except NotSent as failure:
            raise of_not_sent(failure) from None
        except InDoubt:
            is_lost = True
            continue
        return
    raise ProviderUnavailable("the provider did not answer; the call can be repeated")
