"""What a row of the audit log has of changed settings: masked values, and never a secret or a text of a person."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from shared.api.audit_log.differences import UNREAD, differences, masked, of_call
from shared.api.audit_log.items import Change
from shared.aws.observation import Observation, Written
from shared.contacts.items import Segment
from tests.cases import each

NOTHING: frozenset[str] = frozenset()
LONG = "Hello Ann, your order 1001 is late. " * 40


@each(
    ("name", "value", "shown"),
    [
        ("enabled", True, "true"),
        ("retention_days", Decimal(30), "30"),
        ("min_score", Decimal("0.25"), "0.25"),
        ("language", "de", "de"),
        ("ai.model", "gpt-made-up", "gpt-made-up"),
        ("business_hours.time_zone", "Europe/Berlin", "Europe/Berlin"),
        ("scopes", ["inbox:read", "email:admin"], "inbox:read, email:admin"),
        ("updated_on", "2026-11-30", "2026-11-30"),
        ("app_secret", "abc", "set"),
        ("verifyToken", "abc", "set"),
        ("ai.api_key", "sk-123", "set"),
        ("max_output_tokens", 4096, "4096"),
        ("signing", [{"secret": "abc"}], "set"),
        ("phone", "+447700900123", "…23"),
        ("number", 447700900123, "a long number"),
        ("email", "ann.doe@field.example", "a…@f….example"),
        ("prompt", LONG, f"{len(LONG)} characters"),
        ("language", "Hello Ann, how are you", "22 characters"),
        ("name", "Ann Doe", "7 characters"),
        ("facts", ["Open at nine."], "1 entries"),
        ("note", "write to ann@field.example", "26 characters"),
        (
            "html",
            "a" * 3_000_000,
            "3000000 characters",
        ),  # without a pattern that would take an hour
        ("title", "", None),
        ("title", None, None),
    ],
)
def test_a_value_is_shown_only_if_it_can_be_no_secret_and_no_text_of_a_person(
    name: str, value: Any, shown: str | None
) -> None:
    assert masked(name, value, NOTHING) == shown


def test_words_that_a_class_declares_are_shown_but_for_addresses_and_numbers() -> None:
    shows = frozenset({"name"})

    assert masked("name", "Night team", shows) == "Night team"
    assert masked("name", "ann@field.example", shows) == "a…@f….example"
    assert masked("name", "+44 7700 900123", shows) == "…23"
    assert masked("name", "x" * 61, shows) == "61 characters"


def test_only_fields_that_differ_are_changes() -> None:
    before = {"enabled": True, "ai": {"model": "a", "temperature": 1}, "updated_at": "2026-01-01"}
    after = {"enabled": True, "ai": {"model": "b", "temperature": 1}, "updated_at": "2026-01-02"}

    (change,) = differences(before, after, NOTHING)

    assert (change.field, change.before, change.after) == ("ai.model", "a", "b")


def test_a_changed_secret_is_a_change_without_its_value() -> None:
    (change,) = differences({"app_secret": "old-one"}, {"app_secret": "new-one"}, NOTHING)

    assert (change.before, change.after) == ("set", "set")


def test_no_part_of_a_postal_address_is_shown() -> None:
    given = {"language": "de", "home": {"city": "Cologne", "state": "NW", "country": "DE"}}

    found = {one.field: one.after for one in differences(None, given, NOTHING)}

    assert found == {
        "language": "de",
        "home.city": "7 characters",
        "home.state": "2 characters",
        "home.country": "2 characters",
    }


def test_keys_of_maps_that_are_addresses_or_numbers_are_left_out_of_names() -> None:
    found = differences(None, {"by": {"ann@field.example": "x", "+447700900123": "y"}}, NOTHING)

    assert {one.field for one in found} == {"by.…"}


def test_items_that_are_no_settings_are_left_out() -> None:
    seen = Observation(written=[Written(None, {"pk": "MSG#1", "text": "Hello"})])

    assert of_call(seen) == []


def test_an_update_without_a_read_shows_the_written_fields_and_an_unknown_state_before() -> None:
    seen = Observation()

    seen.updated(
        Segment.key("acme", "1"),
        {**Segment.key("acme", "1"), "name": "Friends", "conditions": "{}"},
        ["name"],
    )

    assert [(one.field, one.before, one.after) for one in of_call(seen)] == [
        ("name", UNREAD, "Friends")
    ]


def test_a_row_has_less_than_a_write_unit_however_much_a_change_changes() -> None:
    begun = Change.begun(
        company="c" * 64,
        principal="user:" + "p" * 60,
        context="newsletters",
        change="change_newsletter_configuration",
        kind="newsletters",
        object_id="o" * 128,
        request_id="r" * 36,
        keep_days=400,
    )
    changes = differences(
        None, {f"field_{n}_{'x' * 25}": f"word-{n}-{'y' * 40}" for n in range(100)}, NOTHING
    ) + differences(None, {f"language_{n}": "de" for n in range(30)}, NOTHING)

    row = begun.with_changes(changes, "stored").ended(200)

    size = sum(len(name) + len(str(value).encode()) for name, value in row.attributes().items())
    assert size < 1_024
    assert len(row.changes) + (row.more or 0) == len(changes)
    assert Change.read(row.attributes()) == row
