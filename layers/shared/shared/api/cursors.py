"""Cursors of listings: where to go on, readable by nobody, for the same query of the same company, for a day."""

import json
from dataclasses import dataclass

from shared import clock
from shared.api.opaque_ids import NotOurs, Seal
from shared.aws.dynamodb import Attributes
from shared.aws.sqs_fifo import digest, to_json

VERSION = 1
LIFE_SECONDS = clock.DAY_SECONDS


class InvalidCursor(Exception):
    """Changed, expired, or given for another query or by another company; the caller begins anew."""


@dataclass(frozen=True, slots=True)
class Listing:
    """
    One query over an index: what a cursor is bound to.

    *query* holds whatever decides which entries come in which order; the number of entries per page does not.
    """

    company: str
    index: str
    query: tuple[str, ...]

    def cursor(self, seal: Seal, position: Attributes) -> str:
        """A text for the caller that leads on behind *position*, a key of the index (strings only)."""
        content = {"v": VERSION, "at": position, "until": clock.expires_in(LIFE_SECONDS)}
        return seal.seal(to_json(content), bound_to=self._use)

    def position(self, seal: Seal, cursor: str) -> Attributes:
        """The position that a cursor was made from. Raises InvalidCursor."""
        try:
            content = json.loads(seal.open(cursor, bound_to=self._use))
        except NotOurs:
            content = {}
        if content.get("v") != VERSION or clock.is_over(content["until"]):
            raise InvalidCursor("cursor: not of this query, or older than a day")
        position: Attributes = content["at"]
        return position

    @property
    def _use(self) -> str:
        return digest("cursor", self.company, self.index, *self.query)
