"""Batch reads: few calls, and no item is missed."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import pytest

from shared.aws.dynamodb import Table
from shared.runtime.failures import Transient

NAME = "log"


class Answering:
    """A table with every item; a response has at most this number of items, and the rest stays unprocessed."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.meta = Mock()  # for the hook that counts failed attempts
        self.asked: list[int] = []

    def batch_get_item(self, *, RequestItems: dict[str, Any]) -> dict[str, Any]:
        keys = RequestItems[NAME]["Keys"]
        self.asked.append(len(keys))
        left = keys[self.room :]
        return {
            "Responses": {NAME: keys[: self.room]},
            "UnprocessedKeys": {NAME: {"Keys": left}} if left else {},
        }


def read(client: Answering, count: int) -> set[str]:
    table = Table(client, NAME)  # type: ignore[arg-type] # the one call that is made
    found = table.get_many([{"pk": str(number)} for number in range(count)])
    assert len(found) == len({item["pk"] for item in found})
    return {item["pk"] for item in found}


@pytest.mark.parametrize(
    ("count", "calls"),
    [(0, []), (1, [1]), (100, [100]), (101, [100, 1]), (250, [100, 100, 50])],
)
def test_items_are_read_a_hundred_at_a_time(count: int, calls: list[int]) -> None:
    client = Answering(room=100)

    assert len(read(client, count)) == count
    assert client.asked == calls


def test_unprocessed_keys_are_requested_again() -> None:
    client = Answering(room=40)

    assert len(read(client, 120)) == 120
    assert client.asked == [100, 60, 20, 20]


def test_items_of_the_last_response_are_returned() -> None:
    assert len(read(Answering(room=25), 100)) == 100


def test_keys_that_stay_unprocessed_raise_transient() -> None:
    with pytest.raises(Transient, match="batch_get_throttled"):
        read(Answering(room=0), 2)
