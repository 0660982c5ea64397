"""The accepted types and sizes, and the check of one file."""

from __future__ import annotations

import pytest

from shared.runtime import clock
from tests.integration.whatsapp.actions.conftest import GLOBEX, Actions
from tests.integration.whatsapp.actions.media.conftest import JPEG, store
from tests.integration.whatsapp.conftest import NOW

CONFIG = "CONFIG#MEDIA_TYPES"


def test_the_types_are_stored_on_the_way_and_only_when_they_change(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = actions.run("get_media_types")
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 60_000)
    again = actions.run("refresh_media_types")

    assert first.result == again.result
    item = actions.item(CONFIG)
    assert (item["itemType"], item["updatedAt"]) == ("CONFIG", clock.to_text(NOW))
    assert item["supportedTypes"]["image"]["mimeTypes"] == ["image/jpeg", "image/png"]
    assert item["supportedTypes"] == first.result["supportedTypes"]


def test_types_of_an_older_version_are_replaced(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions.harness.resources.table.put(
        {"pk": CONFIG, "itemType": "CONFIG", "supportedTypes": {"fax": {}}, "updatedAt": "2025"}
    )
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 60_000)
    answer = actions.run("get_media_types")

    assert answer.result["updatedAt"] == clock.to_text(NOW + 60_000)
    assert "fax" not in actions.item(CONFIG)["supportedTypes"]


@pytest.mark.parametrize("action", ["get_supported_formats", "eum_get_supported_formats"])
def test_formats_are_listed_for_all_categories_or_for_one(actions: Actions, action: str) -> None:
    everything = actions.run(action).result["formats"]
    stickers = actions.run(action, {"category": "sticker"}).result["formats"]

    assert [each["category"] for each in everything] == [
        "image", "video", "audio", "document", "sticker",
    ]  # fmt: skip
    assert stickers == [
        {
            "category": "sticker",
            "mimeTypes": ["image/webp"],
            "otherTypes": False,
            "largestBytes": 500_000,
            "largestStillBytes": 100_000,
        }
    ]


@pytest.mark.parametrize("action", ["eum_validate_media", "validate_media"])
def test_a_stored_file_is_checked_by_its_first_bytes(actions: Actions, action: str) -> None:
    good = actions.run(action, {"s3Key": store(actions, "uploads/acme/a")}).result
    bad = actions.run(action, {"s3Key": store(actions, "uploads/acme/b", b"MZ" * 9)}).result

    assert (good["valid"], good["category"], good["fileSizeBytes"]) == (True, "image", len(JPEG))
    problem = "the file's content differs from its type; accepted are image/jpeg, image/png"
    assert (bad["valid"], bad["problems"]) == (False, [problem])


@pytest.mark.parametrize(
    ("mime_type", "size", "valid", "category"),
    [
        ("image/jpeg", 5 << 20, True, "image"),
        ("image/jpeg", (5 << 20) + 1, False, "image"),
        ("image/gif", 1, False, "image"),
        ("audio/ogg; codecs=opus", 1_000, True, "audio"),
        ("audio/wav", 1_000, False, "audio"),
        ("application/zip", 100 << 20, True, "document"),
        ("application/pdf", (100 << 20) + 1, False, "document"),
        ("image/webp", 500_000, True, "sticker"),
    ],
)
def test_a_described_file_is_checked_against_the_table(
    actions: Actions, mime_type: str, size: int, valid: bool, category: str
) -> None:
    described = {"mimeType": mime_type, "fileSizeBytes": size}
    result = actions.run("eum_validate_media", described).result

    assert (result["valid"], result["category"]) == (valid, category)
    assert bool(result["problems"]) is not valid


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"mimeType": "image/png"},
        {"fileSizeBytes": 5},
        {"mimeType": "image/png", "fileSizeBytes": 0},
        {"s3Key": "uploads/acme/a", "mimeType": "image/png", "fileSizeBytes": 5},
        {"mimeType": "png", "fileSizeBytes": 5},
    ],
)
def test_a_check_needs_a_file_or_its_description(actions: Actions, body: dict[str, object]) -> None:
    answer = actions.run("eum_validate_media", body)

    assert (answer.status, answer.error) == (400, "invalid_input")


def test_another_companys_file_cannot_be_checked(actions: Actions) -> None:
    key = store(actions, "uploads/acme/a")

    assert actions.run("validate_media", {"s3Key": key}, caller=GLOBEX).status == 404
