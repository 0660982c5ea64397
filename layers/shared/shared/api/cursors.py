"""Pagination cursors: encrypted, bound to one query of one company, valid for a day."""

import json
from dataclasses import dataclass

from shared.api.opaque_ids import NotOurs, Seal
from shared.aws.dynamodb import Attributes
from shared.aws.sqs_fifo import digest, to_json
from shared.runtime import clock

VERSION = 1
LIFE_SECONDS = clock.DAY_SECONDS


@dataclass(frozen=True, slots=True)
class Page[R]:
    """
    A page of a listing. With a cursor there may be more entries, even if the page is short or empty.

    The cursor is None on the last page.
    """

    result: R
    cursor: str | None = None


class InvalidCursor(Exception):
    """The cursor was altered, has expired, or belongs to another query or company; the caller must start over."""


@dataclass(frozen=True, slots=True)
class Listing:
    """
    A query over an index, to which its cursors are bound.

    *query* holds every parameter that determines the entries and their order; the page size is not one.
    """

    company: str
    index: str
    query: tuple[str, ...]

    def cursor(self, seal: Seal, position: Attributes) -> str:
        """Return a cursor that continues after *position*, a key of the index (strings only)."""
        content = {"v": VERSION, "at": position, "until": clock.expires_in(LIFE_SECONDS)}
        return seal.seal(to_json(content), bound_to=self._use)

    def position(self, seal: Seal, cursor: str) -> Attributes:
        """Return the position stored in a cursor. Raises InvalidCursor."""
        try:
            content = json.loads(seal.open(cursor, bound_to=self._use))
        except NotOurs:
            content = {}
        if content.get("v") != VERSION or clock.is_over(content["until"]):
            raise InvalidCursor("cursor: must belong to this query and be at most a day old")
        position: Attributes = content["at"]
        return position

    @property
    def _use(self) -> str:
        return digest("cursor", self.company, self.index, *self.query)
