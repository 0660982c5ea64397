"""Webhooks about the quality of numbers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.whatsapp.conftest import PHONE, Desk, a_phone
from whatsapp import store
from whatsapp.store.items.accounts import QualityEntry
from whatsapp.worker.updates import quality

WABA = "102290129340398"
NUMBER = f"PHONE#{PHONE}"
QUALITY = f"QUALITY#{PHONE}"


def rated(word: str, number: str = "15550783881") -> dict[str, Any]:
    return {"display_phone_number": number, "event": word}


def ratings(desk: Desk) -> list[tuple[str, str]]:
    return [(e["rating"], e["at"][17:19]) for e in desk.item(QUALITY)["qualityHistory"]]


def entry(desk: Desk, number: int) -> dict[str, Any]:
    return desk.item(QualityEntry.of(PHONE, number))


def test_a_flagged_number_is_rated_red_with_an_entry_and_an_alarm(
    desk: Desk, counted: list[str]
) -> None:
    desk.told("phone_number_quality_update", rated("FLAGGED"))

    item = desk.item(QUALITY)
    assert (item["qualityRating"], item["historyCount"]) == ("RED", 1)
    assert item["wabaMetaId"] == WABA
    assert entry(desk, 1)["rating"] == "RED"
    assert entry(desk, 1)["event"] == "FLAGGED"
    assert counted == ["QualityRed"]


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 2, 1), (2, 3, 1), (3, 1, 2)])
def test_ratings_in_any_order_leave_the_same_history(desk: Desk, order: tuple[int, ...]) -> None:
    words = {1: "FLAGGED", 2: "UNFLAGGED", 3: "FLAGGED"}
    for second in (*order, *order):
        desk.told("phone_number_quality_update", rated(words[second]), second)

    item = desk.item(QUALITY)
    assert ratings(desk) == [("RED", "01"), ("YELLOW", "02"), ("RED", "03")]
    assert (item["qualityRating"], item["ratingAt"][17:19], item["historyCount"]) == (
        "RED",
        "03",
        3,
    )
    assert sorted(entry(desk, n)["at"][17:19] for n in (1, 2, 3)) == ["01", "02", "03"]


def test_the_same_rating_later_is_no_change(desk: Desk) -> None:
    desk.told("phone_number_quality_update", rated("FLAGGED"), 1)
    desk.told("phone_number_quality_update", rated("FLAGGED"), 5)
    assert ratings(desk) == [("RED", "01")]

    desk.told("phone_number_quality_update", rated("UNFLAGGED"), 3)
    assert desk.item(QUALITY)["qualityRating"] == "RED"
    assert ratings(desk) == [("RED", "01"), ("YELLOW", "03")]


def test_an_entry_of_a_crashed_worker_is_counted_by_the_next(desk: Desk) -> None:
    left = QualityEntry(
        pk=QualityEntry.of(PHONE, 1), company="acme",
        rating="RED", at="2026-01-01T11:00:01.000Z", event="FLAGGED",
    )  # fmt: skip
    store.accounts.add_quality_entry(desk.resources.table, left)

    desk.told("phone_number_quality_update", rated("UNFLAGGED"), 2)

    assert ratings(desk) == [("RED", "01"), ("YELLOW", "02")]
    assert desk.item(QUALITY)["qualityRating"] == "YELLOW"
    assert (entry(desk, 1)["rating"], entry(desk, 2)["rating"]) == ("RED", "YELLOW")


def test_the_history_keeps_twenty_ratings_and_does_not_add_older_ones_again(desk: Desk) -> None:
    for second in range(1, 23):
        word = "FLAGGED" if second % 2 else "UNFLAGGED"
        desk.told("phone_number_quality_update", rated(word), second)
    desk.told("phone_number_quality_update", rated("FLAGGED"), 1)

    item = desk.item(QUALITY)
    assert (len(item["qualityHistory"]), item["historyCount"]) == (20, 22)
    assert entry(desk, 1)["at"] == "2026-01-01T11:00:01.000Z"
    assert entry(desk, 23) == {}


@pytest.mark.parametrize(
    ("word", "unknown"), [("THROUGHPUT_UPGRADE", 0), ("DOWNGRADE", 0), ("APPLAUDED", 1)]
)
def test_an_event_about_another_subject_is_no_rating(
    desk: Desk, counted: list[str], word: str, unknown: int
) -> None:
    desk.told("phone_number_quality_update", rated(word) | {"current_limit": "TIER_10K"})

    assert desk.item(QUALITY) == {}
    assert desk.item(NUMBER)["messagingLimit"] == "TIER_10K"
    assert counted.count("UnknownWord") == unknown


def test_a_rating_of_an_unknown_number_is_only_stored_as_an_event(desk: Desk) -> None:
    desk.told("phone_number_quality_update", rated("FLAGGED", "15550000000"))

    assert [key for key in desk.keys() if key.startswith("QUALITY#")] == []
    assert desk.events_kept() == 1


def test_of_two_ratings_of_the_same_time_the_worse_counts(desk: Desk) -> None:
    for rating in ("RED", "YELLOW"):
        quality.record(desk.resources, a_phone(), rating, "2026-01-01T11:00:00.000Z", "-")

    assert desk.item(QUALITY)["qualityRating"] == "RED"
    assert [rating for rating, _ in ratings(desk)] == ["YELLOW", "RED"]
