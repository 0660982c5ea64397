"""The item of the audit log."""

import re
import secrets
from collections.abc import Sequence
from enum import StrEnum
from http import HTTPStatus
from typing import ClassVar, Final, Literal, Self

from pydantic import BaseModel, Field

from shared.api.audit_log.differences import MOST_FIELDS, FieldChange
from shared.aws.dynamodb import Attributes
from shared.aws.tables.items import Item, filled
from shared.runtime import clock

# Callers write ids: one that could be a phone number or an address is not stored. Ids of Meta have 15 digits and more.
_ID: Final = re.compile(r"(?![0-9]{1,14}$)[A-Za-z0-9._:=-]{1,128}")
_RANDOM_BYTES: Final = 8
_MOST_BYTES: Final = (
    640  # of the changes: with them an item has less than 1 KB, the size of a write unit
)
UNUSUAL: Final = "unusual"  # a request id that is not shown
PARTITION_KEY: Final = "pk"
SORT_KEY: Final = "sk"


class Outcome(StrEnum):
    """
    The outcome of a change.

    `open`: the change may have been made. It is under way (status 202), or the function ended before it stored the
    outcome (no status). `refused` (status 4xx): nothing was changed. `failed` (status 5xx): a part may have been made.
    """

    OPEN = "open"
    MADE = "made"
    REFUSED = "refused"
    FAILED = "failed"


class Change(Item):
    """
    A change of one request, in the partition of the caller's company.

    Clients can choose the request id at API Gateway, so it is not a part of the key: no change can hide another one.
    `change` is the name of the operation, `kind` that of the objects it is about, `object` the id of what the request
    names, if that is no personal data.

    `changes` are the fields that it has changed, masked, and `more` the number of those that did not fit. `basis`: they
    are the difference of what is stored before and after (`stored`), or what the call asked for (`asked`).
    """

    pk_pattern: ClassVar[str] = "COMPANY#{company}"
    sk_pattern: ClassVar[str] = "{at}#{random}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str
    sk: str
    at: str
    company: str
    principal: str
    context: str
    change: str
    kind: str | None = None
    object: str | None = None
    request_id: str
    changes: list[FieldChange] = Field(default_factory=list)
    more: int | None = None
    basis: Literal["stored", "asked"] | None = None
    outcome: Outcome = Outcome.OPEN
    status: int | None = None
    ttl: int  # epoch seconds

    @classmethod
    def partition(cls, company: str) -> str:
        """Return the partition of a company's changes."""
        return filled(cls.pk_pattern, company)

    @classmethod
    def begun(
        cls,
        *,
        company: str,
        principal: str,
        context: str,
        change: str,
        kind: str | None = None,
        object_id: str | None,
        request_id: str,
        keep_days: int,
    ) -> Self:
        """Return the item of a change that begins now."""
        at = clock.to_text(clock.now_ms())
        return cls(
            pk=cls.partition(company),
            sk=filled(cls.sk_pattern, at, secrets.token_hex(_RANDOM_BYTES)),
            at=at,
            company=company,
            principal=principal,
            context=context,
            change=change,
            kind=kind,
            object=_shown(object_id),
            request_id=_shown(request_id) or UNUSUAL,
            ttl=clock.expires_in(keep_days * clock.DAY_SECONDS),
        )

    def ended(self, status: int) -> Self:
        """Return the item of a change that was answered with this HTTP status."""
        outcome = Outcome.MADE
        if status == HTTPStatus.ACCEPTED:
            outcome = Outcome.OPEN
        elif status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            outcome = Outcome.FAILED
        elif status >= HTTPStatus.BAD_REQUEST:
            outcome = Outcome.REFUSED
        return self.model_copy(update={"outcome": outcome, "status": status})

    def with_changes(
        self, changes: Sequence[FieldChange], basis: Literal["stored", "asked"]
    ) -> Self:
        """Return the item with as many of *changes* as an item of one write unit can have."""
        kept: list[FieldChange] = []
        size = _size(self)
        for one in changes[:MOST_FIELDS]:
            size += _size(one)
            if size > _MOST_BYTES:
                break
            kept.append(one)
        left = len(changes) - len(kept)
        return self.model_copy(update={"changes": kept, "more": left or None, "basis": basis})

    @classmethod
    def key(cls, company: str, sort: str) -> Attributes:
        """Return the key of a change."""
        return {PARTITION_KEY: cls.partition(company), SORT_KEY: sort}


def _size(model: BaseModel) -> int:
    """Return at least the bytes that a model has in DynamoDB: its signs are more than those of attributes."""
    return len(model.model_dump_json(by_alias=True, exclude_none=True).encode())


def _shown(object_id: str | None) -> str | None:
    return object_id if object_id is not None and _ID.fullmatch(object_id) else None
