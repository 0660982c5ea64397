"""
Data that remains after an erasure, as its receipt states it: kept data, and copies that the erasure does not reach.

A context declares its remainders once. A receipt stores only their kinds and ends, as of its run. An event is at most
28 days in a queue and its dead letters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from shared.privacy.views import ReceiptView, RemainderView
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Remainder(NamedTuple):
    """
    A kind of data that an erasure leaves, with the reason.

    It is gone *days* after the end of the run; None if it stays. *is_outside*: a copy outside the tables and buckets of
    the context.
    """

    kind: str
    reason: str
    days: int | None = None
    is_outside: bool = False


BACKUPS: Final = Remainder(
    "backups",
    "point-in-time recovery of the tables, in prod; an erasure is requested again after a restore",
    35,
    is_outside=True,
)
EXPIRED_ITEMS: Final = Remainder(
    "expired_items",
    "items whose lifetime is over: no call returns them, and DynamoDB deletes them within days",
    3,
)


def stated(*, kept: str, outside: str = "") -> tuple[Remainder, ...]:
    """
    Return the remainders of a context, as texts state them, one a line: `kind: reason`, or `kind, 35 days: reason`.

    Expired items and backups remain in each.
    """
    own, copies = _parsed(kept, is_outside=False), _parsed(outside, is_outside=True)
    return (*own, EXPIRED_ITEMS, *copies, BACKUPS)


def _parsed(text: str, *, is_outside: bool) -> list[Remainder]:
    found = []
    for line in text.strip().splitlines():
        head, _, reason = " ".join(line.split()).partition(": ")
        kind, _, lifetime = head.partition(", ")
        days = int(lifetime.split()[0]) if lifetime else None
        found.append(Remainder(kind, reason, days, is_outside))
    return found


def ends(remainders: Iterable[Remainder], finished_ms: int) -> dict[str, str]:
    """Return when each remainder of a run that ends now is gone; empty if it stays."""
    return {
        one.kind: ""
        if one.days is None
        else clock.to_text(finished_ms + one.days * clock.DAY_SECONDS * clock.SECOND_MS)
        for one in remainders
    }


def receipt(remainders: Iterable[Remainder], stored: Mapping[str, Any]) -> ReceiptView:
    """Return the view of a stored receipt; a receipt of an export, or of an older release, has no lists."""
    left: Mapping[str, str] | None = stored.get("left")
    if left is None:
        return ReceiptView.model_validate(stored)
    stated = [one for one in remainders if one.kind in left]

    def listed(*, is_outside: bool) -> list[RemainderView]:
        return [
            RemainderView(kind=one.kind, reason=one.reason, until=left[one.kind] or None)
            for one in stated
            if one.is_outside == is_outside
        ]

    lists = {"kept": listed(is_outside=False), "outside": listed(is_outside=True)}
    return ReceiptView.model_validate({**stored, **lists})
