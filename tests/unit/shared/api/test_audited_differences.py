"""What a row of the audit log has of changed settings: masked values, and never a secret or a text of a person."""

from __future__ import annotations

from decimal import Decimal
from importlib import import_module
from typing import Any

from shared.api.audit_log.differences import SET, UNREAD, asked, differences, masked, of_call
from shared.api.audit_log.items import Change
from shared.aws import audited
from shared.aws.audited import Shown, snake
from shared.aws.observation import Observation, Written
from shared.contacts.items import Segment
from shared.identity.contacts.items import Profile
from tests.cases import each
from tests.template import ROOT

NOTHING, ALL_MAPS = Shown(), Shown(maps=None)
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
    shows = Shown(frozenset({"name"}))

    assert masked("name", "Night team", shows) == "Night team"
    assert masked("name", "ann@field.example", shows) == "a…@f….example"
    assert masked("name", "+44 7700 900123", shows) == "…23"
    assert masked("name", "x" * 61, shows) == "61 characters"


def test_only_fields_that_differ_are_changes() -> None:
    before = {"enabled": True, "ai": {"model": "a", "temperature": 1}, "updated_at": "2026-01-01"}
    after = {"enabled": True, "ai": {"model": "b", "temperature": 1}, "updated_at": "2026-01-02"}

    (change,) = differences(before, after, ALL_MAPS)

    assert (change.field, change.before, change.after) == ("ai.model", "a", "b")


def test_a_changed_secret_is_a_change_without_its_value() -> None:
    (change,) = differences({"app_secret": "old-one"}, {"app_secret": "new-one"}, NOTHING)

    assert (change.before, change.after) == ("set", "set")


def test_no_part_of_a_postal_address_is_shown() -> None:
    given = {"language": "de", "home": {"city": "Cologne", "state": "NW", "country": "DE"}}

    found = {one.field: one.after for one in differences(None, given, ALL_MAPS)}

    assert found == {
        "language": "de",
        "home.city": "7 characters",
        "home.state": "2 characters",
        "home.country": "2 characters",
    }


def test_keys_of_maps_that_are_addresses_or_numbers_are_left_out_of_names() -> None:
    found = differences(None, {"by": {"ann@field.example": "x", "+447700900123": "y"}}, ALL_MAPS)

    assert {one.field for one in found} == {"by.…"}


# Values of a person under names that a company chose, as the attributes of contacts or the answers of forms.
PERSONAL = {
    "health_status": "HIV-positive",
    "insurance_number": "A123456780",
    "iban_type": "DE89370400440532013000",
    "income": Decimal(54_000),
    "pregnant": True,
    "birthday": "2004-05-06",
    "language": "de",
}
# Maps of settings whose names the code has: models, limits and prices.
FIXED_NAMES = frozenset(
    {
        *("Definitions.definitions", "Retention.days", "Retention.proposed", "Mailbox.ai"),
        *("Mailbox.business_hours", "CompanySettings.ai", "CompanySettings.retrieval"),
        "CompanySettings.mailbox_providers",
        *("CompanySettings.percents", "Series.rule", "MailTemplate.colours", "Phone.call_settings"),
        *("Phone.transcription", "Phone.sending_blocks", "MediaTypesConfig.supported_types"),
        *("MessagePrices.prices", "ReportSettings.business_hours", "Issue.subject_test"),
    }
)


def test_of_the_details_of_a_contact_only_the_names_of_changed_fields_are_shown() -> None:
    key = Profile.key("acme", "1")
    before = {**key, "details": {"name": "Ann", "language": "de", "attributes": {"income": 1}}}
    details = {"name": "Zoe", "language": "en", "labels": {"vip"}, "attributes": PERSONAL}
    after = {**key, "value": "+447700900123", "details": details}

    found = of_call(Observation(written=[Written(before, after)]))

    assert "details.attributes.pregnant" in {one.field for one in found}
    assert {value for one in found for value in (one.before, one.after)} == {SET, None}


def test_a_map_with_names_that_people_choose_is_a_number_of_entries_in_all_classes() -> None:
    for path in [*ROOT.glob("functions/**/*.py"), *ROOT.glob("layers/shared/shared/**/*.py")]:
        if "\n@audited(" in path.read_text():
            import_module(
                str(path.relative_to(ROOT).with_suffix(""))
                .replace("/", ".")
                .removeprefix("layers.shared.")
                .removeprefix("functions.")
            )

    shown = set()
    for one in audited.classes():
        key = {audited._PARTITIONS[0]: one.partition, audited._SORTS[0]: one.sort}
        item = {name: value for name, value in key.items() if value is not None}
        for name, field in one.model.model_fields.items():
            given = item | {field.alias or name: PERSONAL}
            values = {
                change.after for change in of_call(Observation(written=[Written(None, given)]))
            }
            if not values <= {SET, f"{len(PERSONAL)} entries", f"{len(str(item))} characters"}:
                shown.add(f"{one.model.__name__}.{snake(name)}")

    assert len(audited.classes()) > 30
    assert shown == FIXED_NAMES


def test_of_a_call_whose_changes_are_not_known_no_value_of_a_person_is_shown() -> None:
    comparison = {"field": "birthday", "operator": "is", "value": "2004-05-06"}
    given = {
        "conditions": comparison,
        "attributes": PERSONAL,
        "location": {"latitude": 51.5, "longitude": 7},
        "latitude": Decimal("51.5"),
        "longitude": "7.4653",
        "birthday": "1980-02-03",
        "language": "de",
        "country": "DE",
        "income": 54_000,
        "amounts": [54_000],
        "text": "Hello",
        "to": "+447700900123",
        "dry_run": False,
        "draft": True,
        "mode": "manual",
        "undo_seconds": 30,
        "app_secret": "abc",
    }

    found = {one.field: one.after for one in asked(given)}

    assert found == {
        "conditions": "3 entries",
        "attributes": "7 entries",
        "location": "2 entries",
        "latitude": "a number",
        "longitude": "6 characters",
        "birthday": "10 characters",
        "language": "2 characters",
        "country": "2 characters",
        "income": "a number",
        "amounts": "1 entries",
        "text": "5 characters",
        "to": "…23",
        "draft": "true",
        "mode": "manual",
        "undo_seconds": "30",
        "app_secret": SET,
    }


def test_a_text_around_an_address_is_not_shown_as_one() -> None:
    conditions = '{"field":"name","value":"ann@field.example","status":"HIV"}'

    assert masked("conditions", conditions, NOTHING) == f"{len(conditions)} characters"


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
