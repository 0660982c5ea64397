"""The stream of a table, as Lambda reads it."""

from __future__ import annotations

from typing import Any

from tests.tables.storage import settings_of


class Stream:
    """The records of a table from now on. Streams contain keys only, as in the template."""

    def __init__(self, table: str) -> None:
        self._table = table
        stored = settings_of(table)  # two calls of a client take as long as a small test
        if not stored.stream_shard:
            stored.set_stream_specification({"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
        self._read = len(self._all())

    def records(self) -> list[dict[str, Any]]:
        """Return the records since the last call, in order, as an event has them."""
        found = self._all()
        new, self._read = found[self._read :], len(found)
        return new

    def _all(self) -> list[dict[str, Any]]:
        shard = settings_of(self._table).stream_shard
        return list(shard.items) if shard else []


def record_of(key: dict[str, str], number: int = 1) -> dict[str, Any]:
    """A record about the item with this key, as an event has it."""
    return {
        "eventID": str(number),
        "eventName": "MODIFY",
        "eventSource": "aws:dynamodb",
        "dynamodb": {
            "Keys": {name: {"S": value} for name, value in key.items()},
            "SequenceNumber": f"{number:024d}",
            "StreamViewType": "KEYS_ONLY",
        },
    }
