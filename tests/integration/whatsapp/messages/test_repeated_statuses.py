"""Statuses with the same word for the same message: the content of each is kept."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.integration.whatsapp.conftest import NOW, PHONE, Harness
from tests.integration.whatsapp.messages.test_statuses import echo, status

AT = NOW // 1000
PRICED: dict[str, Any] = {"pricing": {"billable": True, "category": "utility"}}
REPRICED = {"pricing": {"billable": False, "category": "service", "type": "free"}}
FAILED = {"errors": [{"code": 131026, "title": "Undeliverable"}]}
FAILED_AGAIN = {"errors": [{"code": 131049, "title": "Not delivered", "message": "m" * 9_000}]}


def objects(harness: Harness) -> list[dict[str, Any]]:
    bucket = harness.resources.bucket
    return [json.loads(bucket.get(key)) for key in bucket.all_keys_under("content/")]


@pytest.mark.parametrize("is_first", [False, True], ids=["message first", "status first"])
@pytest.mark.parametrize(
    ("word", "first", "second", "at"),
    [
        ("delivered", PRICED, REPRICED, AT),
        ("delivered", PRICED, PRICED, AT - 1),
        ("failed", FAILED, FAILED_AGAIN, AT),
    ],
)
def test_a_second_status_of_the_same_word_keeps_its_content_in_an_object(
    harness: Harness,
    word: str,
    first: dict[str, Any],
    second: dict[str, Any],
    *,
    at: int,
    is_first: bool,
) -> None:
    if not is_first:
        echo(harness)
    harness.take(status(word, **first))
    harness.take(status(word, at=at, **second))
    harness.take(status(word, at=at, **second))

    item = harness.item(f"STATUS#{PHONE}#wamid.e#{word}")
    assert {name: item[name] for name in first} == first
    [kept] = objects(harness)
    assert set(harness.resources.bucket.all_keys_under("content/")) == item["furtherS3Keys"]
    assert {name: kept[name] for name in second} == second
    assert kept["statusAt"] != item["statusAt"] or at == AT


def test_a_repeated_status_stores_nothing_more(harness: Harness) -> None:
    echo(harness)
    for _ in range(2):
        harness.take(status("delivered", **PRICED))

    assert objects(harness) == []
