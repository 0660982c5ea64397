"""Webhooks about templates, stored in the caches of both providers."""

from __future__ import annotations

from typing import Any

import pytest
from boto3.dynamodb.conditions import Key

from tests.integration.whatsapp.conftest import Harness, a_phone
from whatsapp import store
from whatsapp.inbound.event import Outcome
from whatsapp.store.items import pk

WABA = "102290129340398"
STATUS = "message_template_status_update"
NAME = f"TEMPLATE_META#{WABA}#reminder"
ENGLISH = f"{NAME}#en_GB"


def template(word: str = "APPROVED", language: str = "en_GB", **more: Any) -> dict[str, Any]:
    return {
        "event": word,
        "message_template_id": 17,
        "message_template_name": "reminder",
        "message_template_language": language,
        "reason": "NONE",
    } | more


def test_a_template_is_an_item_by_name_and_by_language(harness: Harness) -> None:
    handled = harness.receive_account_change(STATUS, template(message_template_category="UTILITY"))
    harness.receive_account_change(STATUS, template("PENDING", "fr", message_template_id=18), 1)

    assert handled.outcome is Outcome.PERSISTED
    item = harness.item(NAME)
    assert (item["status"], item["language"], item["category"]) == ("APPROVED", "en_GB", "UTILITY")
    assert item["templateId"] == "17"
    assert item["wabaMetaId"] == WABA
    assert item["company"] == "acme"
    assert item["statusAt"] == "2026-01-01T11:00:00.000Z"
    languages = {language: (e["id"], e["status"]) for language, e in item["languages"].items()}
    assert languages == {"en_GB": ("17", "APPROVED"), "fr": ("18", "PENDING")}
    assert harness.item(f"{NAME}#fr")["status"] == "PENDING"
    assert harness.events_kept() == 2


@pytest.mark.parametrize("order", [(0, 3_600), (3_600, 0)])
def test_a_template_known_by_webhooks_alone_has_the_time_of_the_newest(
    harness: Harness, order: tuple[int, ...]
) -> None:
    words = {0: "PENDING", 3_600: "APPROVED"}
    for later in order:
        harness.receive_account_change(STATUS, template(words[later]), later)

    for key in (NAME, ENGLISH):
        assert harness.item(key)["cachedAt"] == "2026-01-01T12:00:00.000Z"


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("IN_APPEAL", "PENDING"),
        ("PENDING_DELETION", "DISABLED"),
        ("DELETED", "DISABLED"),
        ("ARCHIVED", "DISABLED"),
        ("LIMIT_EXCEEDED", "DISABLED"),
        ("FLAGGED", "APPROVED"),
        ("REINSTATED", "APPROVED"),
        ("PAUSED", "PAUSED"),
    ],
)
def test_the_providers_own_status_is_stored_beside_the_mapped_one(
    harness: Harness, word: str, status: str
) -> None:
    harness.receive_account_change(STATUS, template(word))

    item = harness.item(ENGLISH)
    assert (item["status"], item["statusRaw"]) == (status, word)


def test_an_unknown_status_does_not_change_the_template_and_is_counted(
    harness: Harness, counted: list[str]
) -> None:
    harness.receive_account_change(STATUS, template())
    harness.receive_account_change(STATUS, template("HIBERNATING"), 1)

    item = harness.item(ENGLISH)
    assert (item["status"], item["statusRaw"]) == ("APPROVED", "HIBERNATING")
    assert counted.count("UnknownWord") == 1


def test_an_unknown_status_creates_no_template(harness: Harness) -> None:
    assert (
        harness.receive_account_change(STATUS, template("HIBERNATING")).outcome is Outcome.PERSISTED
    )

    assert harness.item(ENGLISH) == harness.item(NAME) == {}
    assert harness.events_kept() == 1


def test_a_late_status_changes_nothing(harness: Harness) -> None:
    harness.receive_account_change(STATUS, template("REJECTED", reason="SCAM"), 2)
    harness.receive_account_change(STATUS, template("PENDING"), 1)

    for key in (NAME, ENGLISH):
        assert (harness.item(key)["status"], harness.item(key)["reason"]) == ("REJECTED", "SCAM")
    assert harness.item(NAME)["languages"]["en_GB"]["status"] == "REJECTED"


def test_a_reason_is_removed_with_its_status(harness: Harness) -> None:
    harness.receive_account_change(STATUS, template("REJECTED", reason="SCAM"), 1)
    harness.receive_account_change(STATUS, template(), 2)

    assert "reason" not in harness.item(ENGLISH)


def test_of_two_statuses_of_one_second_the_same_one_wins_in_any_order(harness: Harness) -> None:
    harness.receive_account_change(STATUS, template("PAUSED"))
    harness.receive_account_change(STATUS, template("DISABLED"))
    first = harness.item(ENGLISH)["status"]
    for key in (NAME, ENGLISH):
        harness.resources.table.delete(pk(key))
    harness.receive_account_change(STATUS, template("DISABLED"))
    harness.receive_account_change(STATUS, template("PAUSED"))

    assert harness.item(ENGLISH)["status"] == first


def test_a_repeated_event_is_a_duplicate_and_restores_missing_items(harness: Harness) -> None:
    harness.receive_account_change(STATUS, template())
    before = harness.item(NAME)
    harness.resources.table.delete(pk(NAME))

    assert harness.receive_account_change(STATUS, template()).outcome is Outcome.DUPLICATE
    assert harness.item(NAME) == before


def test_a_rating_before_any_status_creates_a_template_without_a_status(harness: Harness) -> None:
    harness.receive_account_change(
        "message_template_quality_update", template(new_quality_score="RED"), 2
    )
    assert harness.item(ENGLISH)["qualityScore"] == "RED"
    assert "status" not in harness.item(ENGLISH)

    harness.receive_account_change(STATUS, template(), 1)
    assert (harness.item(ENGLISH)["status"], harness.item(ENGLISH)["qualityScore"]) == (
        "APPROVED",
        "RED",
    )


@pytest.mark.parametrize(("word", "times"), [("ULTRAVIOLET", 1), ("UNKNOWN", 0)])
def test_an_unknown_rating_is_not_stored(
    harness: Harness, counted: list[str], word: str, times: int
) -> None:
    harness.receive_account_change(
        "message_template_quality_update", template(new_quality_score="GREEN")
    )
    harness.receive_account_change(
        "message_template_quality_update", template(new_quality_score=word), 1
    )

    assert "qualityScore" not in harness.item(ENGLISH)
    assert harness.item(ENGLISH)["qualityAt"] == "2026-01-01T11:00:01.000Z"
    assert counted.count("UnknownWord") == times


def test_an_announced_category_does_not_take_effect_yet(harness: Harness) -> None:
    announced = {"correct_category": "MARKETING", "new_category": "UTILITY"}
    harness.receive_account_change("template_category_update", template(**announced))
    assert harness.item(ENGLISH)["category"] == "UTILITY"

    done = {"previous_category": "UTILITY", "new_category": "MARKETING"}
    harness.receive_account_change("template_category_update", template(**done), 1)
    assert harness.item(ENGLISH)["category"] == "MARKETING"


def test_new_components_keep_the_header_file_that_events_do_not_contain(harness: Harness) -> None:
    harness.receive_account_change(STATUS, template())
    photo = {"type": "HEADER", "format": "IMAGE"}
    harness.resources.table.update(
        pk(ENGLISH), put={"components": [photo, {"type": "BODY", "text": "old"}]}
    )

    harness.receive_account_change(
        "message_template_components_update", template(message_template_element="new"), 1
    )

    assert harness.item(ENGLISH)["components"] == [photo, {"type": "BODY", "text": "new"}]


def test_buttons_are_stored_in_the_providers_input_format(harness: Harness) -> None:
    button = {
        "message_template_button_type": "URL",
        "message_template_button_text": "Book",
        "message_template_button_url": "https://acme.example",
    }
    harness.receive_account_change(
        "message_template_components_update",
        template(message_template_title="Hi", message_template_buttons=[button]),
    )

    assert harness.item(ENGLISH)["components"] == [
        {"type": "HEADER", "format": "TEXT", "text": "Hi"},
        {
            "type": "BUTTONS",
            "buttons": [{"type": "URL", "text": "Book", "url": "https://acme.example"}],
        },
    ]


def test_templates_of_an_account_on_aws_are_stored_for_both_providers(harness: Harness) -> None:
    store.phones.register(
        harness.resources.table, a_phone(aws_phone="phone-number-id-1", aws_waba="waba-1")
    )
    store.phones.forget()

    harness.receive_account_change(
        STATUS, template("PAUSED", message_template_category="MARKETING"), source="eum"
    )

    item = harness.item("TEMPLATE_EUM#waba-1#reminder#en_GB")
    assert (item["templateStatus"], item["templateCategory"]) == ("PAUSED", "MARKETING")
    assert (item["wabaId"], item["metaTemplateId"]) == ("waba-1", "17")
    assert (item["templateName"], item["templateLanguage"]) == ("reminder", "en_GB")
    entries, _ = harness.resources.table.query("gsi_template_waba", Key("wabaId").eq("waba-1"))
    assert [entry["templateStatus"] for entry in entries] == ["PAUSED"]


@pytest.mark.parametrize(
    "changed",
    [
        {"message_template_name": "re#minder"},
        {"message_template_name": None},
        {"message_template_language": "en#GB"},
        {"message_template_language": ["en"]},
        {"event": {"word": "APPROVED"}},
    ],
)
def test_an_odd_template_event_is_only_stored_as_an_event(
    harness: Harness, changed: dict[str, Any]
) -> None:
    assert harness.receive_account_change(STATUS, template(**changed)).outcome is Outcome.PERSISTED

    assert [key for key in harness.keys() if key.startswith("TEMPLATE")] == []


def test_the_languages_of_a_template_name_are_bounded(harness: Harness) -> None:
    harness.receive_account_change(STATUS, template())
    full = {f"x{n}": {"id": "1"} for n in range(100)}
    harness.resources.table.update(pk(NAME), put={"languages": full})

    harness.receive_account_change(STATUS, template("APPROVED", "fr"), 1)

    assert harness.item(NAME)["languages"] == full
    assert harness.item(f"{NAME}#fr")["status"] == "APPROVED"


def test_an_unknown_status_with_a_category_creates_no_template_either(harness: Harness) -> None:
    harness.receive_account_change(
        STATUS, template("HIBERNATING", message_template_category="UTILITY")
    )

    assert harness.item(ENGLISH) == harness.item(NAME) == {}


def test_a_deleted_template_expires_unless_it_is_reported_again(harness: Harness) -> None:
    harness.receive_account_change(STATUS, template("DELETED"))
    expires_at = harness.item(ENGLISH)["ttl"]
    assert harness.item(NAME)["ttl"] == expires_at

    harness.receive_account_change(STATUS, template("APPROVED"), 1)

    assert "ttl" not in harness.item(ENGLISH)
    assert "ttl" not in harness.item(NAME)
