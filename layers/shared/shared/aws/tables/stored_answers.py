"""The fields and writes that item classes of requests share (`shared.api.idempotency.RequestItem`)."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from shared.aws.tables.items import Item
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes


class AnsweredOnce(Item):
    """A call that changes data, and its answer, for a day. A subclass has the key (`request_key`)."""

    fingerprint: str
    owner: str | None = None
    lease_until: int | None = None  # ms since 1970
    answer: dict[str, Any] | None = None
    ttl: int

    @classmethod
    @abstractmethod
    def request_key(cls, request: str) -> Attributes:
        """Return the whole key of a request's item."""

    @classmethod
    def claimed(cls, request: str, *, fingerprint: str, owner: str, lease_until: int) -> Attributes:
        """Return a new item as it is stored."""
        return cls(
            **cls.request_key(request),
            fingerprint=fingerprint,
            owner=owner,
            lease_until=lease_until,
            ttl=clock.expires_in(clock.DAY_SECONDS),
        ).attributes()
