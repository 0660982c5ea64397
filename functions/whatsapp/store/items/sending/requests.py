"""Stored API responses, for idempotent retries."""

from typing import Annotated, Any, ClassVar

from pydantic import Field

from shared.aws.dynamodb import Attributes
from shared.runtime import clock
from whatsapp.store.items.item import AtMost, WhatsAppItem, pk


class Idempotency(WhatsAppItem):
    """
    An API call that changes data, and its answer (`shared.api.idempotency`). Contract item 25: ids, states and codes;
    no text, no address. The whole answer of an action is sealed (`whatsapp.actions.dispatch.kept_answers`).

    `request_id` is a hash of the caller and the idempotency key. Below the gap: `fingerprint` is a hash of the content;
    `owner` and `lease_until` (ms since 1970) are set while the change is being made.
    """

    item_type: ClassVar[str] = "IDEMPOTENCY"
    pk_pattern: ClassVar[str] = "IDEMPOTENCY#{requestId}"
    ttl_days: ClassVar[int | None] = 1

    request_id: str
    processed_at: str | None = None
    # A bulk replay returns the ids of up to 100 events.
    answer: Annotated[dict[str, Any], AtMost(40_000, "bytes")] | None = Field(
        default=None, alias="result", repr=False
    )

    fingerprint: str
    owner: str | None = None
    lease_until: int | None = None

    @classmethod
    def request_key(cls, request: str) -> Attributes:
        """Return the whole key of a request's item."""
        return pk(cls.key(request))

    @classmethod
    def claimed(cls, request: str, *, fingerprint: str, owner: str, lease_until: int) -> Attributes:
        """Return a new item as it is stored."""
        item = cls(
            pk=cls.key(request),
            request_id=request,
            processed_at=clock.to_text(clock.now_ms()),
            fingerprint=fingerprint,
            owner=owner,
            lease_until=lease_until,
            ttl=clock.expires_in((cls.ttl_days or 0) * clock.DAY_SECONDS),
        )
        return item.attributes()
