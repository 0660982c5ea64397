"""Webhooks about the quality of numbers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.whatsapp.conftest import PHONE, Harness, a_phone
from whatsapp import store
from whatsapp.store.items.accounts.accounts import QualityEntry
from whatsapp.worker.updates import quality

WABA = "102290129340398"
NUMBER = f"PHONE#{PHONE}"
QUALITY = f"QUALITY#{PHONE}"


def rated(word: str, number: str = "15550783881") -> dict[str, Any]:
    return {"display_phone_number": number, "event": word}


def ratings(harness: Harness) -> list[tuple[str, str]]:
    return [(e["rating"], e["at"][17:19]) for e in harness.item(QUALITY)["qualityHistory"]]


def entry(harness: Harness, number: int) -> dict[str, Any]:
    return harness.item(QualityEntry.of(PHONE, number))


def test_a_flagged_number_is_rated_red_with_an_entry_and_an_alarm(
    harness: Harness, counted: list[str]
) -> None:
    harness.receive_account_change("phone_number_quality_update", rated("FLAGGED"))

    item = harness.item(QUALITY)
    assert (item["qualityRating"], item["historyCount"]) == ("RED", 1)
    assert item["wabaMetaId"] == WABA
    assert entry(harness, 1)["rating"] == "RED"
    assert entry(harness, 1)["event"] == "FLAGGED"
    assert counted == ["QualityRed"]


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 2, 1), (2, 3, 1), (3, 1, 2)])
def test_ratings_in_any_order_leave_the_same_history(
    harness: Harness, order: tuple[int, ...]
) -> None:
    words = {1: "FLAGGED", 2: "UNFLAGGED", 3: "FLAGGED"}
    for second in (*order, *order):
        harness.receive_account_change("phone_number_quality_update", rated(words[second]), second)

    item = harness.item(QUALITY)
    assert ratings(harness) == [("RED", "01"), ("YELLOW", "02"), ("RED", "03")]
    assert (item["qualityRating"], item["ratingAt"][17:19], item["historyCount"]) == (
        "RED",
        "03",
        3,
    )
    assert sorted(entry(harness, n)["at"][17:19] for n in (1, 2, 3)) == ["01", "02", "03"]


def test_the_same_rating_later_is_no_change(harness: Harness) -> None:
    harness.receive_account_change("phone_number_quality_update", rated("FLAGGED"), 1)
    harness.receive_account_change("phone_number_quality_update", rated("FLAGGED"), 5)
    assert ratings(harness) == [("RED", "01")]

    harness.receive_account_change("phone_number_quality_update", rated("UNFLAGGED"), 3)
    assert harness.item(QUALITY)["qualityRating"] == "RED"
    assert ratings(harness) == [("RED", "01"), ("YELLOW", "03")]


def test_an_entry_of_a_crashed_worker_is_counted_by_the_next(harness: Harness) -> None:
    left = QualityEntry(
        pk=QualityEntry.of(PHONE, 1), company="acme",
        rating="RED", at="2026-01-01T11:00:01.000Z", event="FLAGGED",
    )  # fmt: skip
    store.account_reports.add_quality_entry(harness.resources.table, left)

    harness.receive_account_change("phone_number_quality_update", rated("UNFLAGGED"), 2)

    assert ratings(harness) == [("RED", "01"), ("YELLOW", "02")]
    assert harness.item(QUALITY)["qualityRating"] == "YELLOW"
    assert (entry(harness, 1)["rating"], entry(harness, 2)["rating"]) == ("RED", "YELLOW")


def test_the_history_keeps_twenty_ratings_and_does_not_add_older_ones_again(
    harness: Harness,
) -> None:
    for second in range(1, 23):
        word = "FLAGGED" if second % 2 else "UNFLAGGED"
        harness.receive_account_change("phone_number_quality_update", rated(word), second)
    harness.receive_account_change("phone_number_quality_update", rated("FLAGGED"), 1)

    item = harness.item(QUALITY)
    assert (len(item["qualityHistory"]), item["historyCount"]) == (20, 22)
    assert entry(harness, 1)["at"] == "2026-01-01T11:00:01.000Z"
    assert entry(harness, 23) == {}


@pytest.mark.parametrize(
    ("word", "unknown"), [("THROUGHPUT_UPGRADE", 0), ("DOWNGRADE", 0), ("APPLAUDED", 1)]
)
def test_an_event_about_another_subject_is_no_rating(
    harness: Harness, counted: list[str], word: str, unknown: int
) -> None:
    harness.receive_account_change(
        "phone_number_quality_update", rated(word) | {"current_limit": "TIER_10K"}
    )

    assert "qualityHistory" not in harness.item(QUALITY)
    assert harness.item(NUMBER)["messagingLimit"] == "TIER_10K"
    assert counted.count("UnknownWord") == unknown


def test_a_rating_of_an_unknown_number_is_only_stored_as_an_event(harness: Harness) -> None:
    harness.receive_account_change("phone_number_quality_update", rated("FLAGGED", "15550000000"))

    assert [key for key in harness.keys() if key.startswith("QUALITY#")] == []
    assert harness.events_kept() == 1


def test_of_two_ratings_of_the_same_time_the_worse_counts(harness: Harness) -> None:
    for rating in ("RED", "YELLOW"):
        quality.record(harness.resources, a_phone(), rating, "2026-01-01T11:00:00.000Z", "-")

    assert harness.item(QUALITY)["qualityRating"] == "RED"
    assert [rating for rating, _ in ratings(harness)] == ["YELLOW", "RED"]


def test_a_rating_keeps_the_limits_that_were_reported_before_it(harness: Harness) -> None:
    limited = rated("UPGRADE") | {"current_limit": "TIER_1K"}
    harness.receive_account_change("phone_number_quality_update", limited, 1)
    harness.receive_account_change("phone_number_quality_update", rated("FLAGGED"), 2)

    kept = harness.item(QUALITY)
    assert (kept["qualityRating"], kept["historyCount"]) == ("RED", 1)
    assert [one["limit"] for one in kept["limitHistory"]] == ["TIER_1K"]
