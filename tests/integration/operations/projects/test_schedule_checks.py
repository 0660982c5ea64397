"""Follow-ups and opening hours are refused with field and rule when they are written."""

from pathlib import Path
from typing import Any

import pytest

from shared.aws.dynamodb import Table
from tests.integration.operations.projects.conftest import put, stored
from tests.integration.operations.projects.test_setting_checks import changed, errors

STEP = {"after_hours": 2, "text": "Still there?", "template": "still_there"}
PERIOD = {"days": ["monday"], "start": "09:00", "end": "17:00"}
HOURS = {"time_zone": "Europe/London", "periods": [PERIOD]}


@pytest.mark.parametrize(
    "broken",
    [
        ("follow_ups", [STEP | {"after_hours": 0}], "follow_ups.0.after_hours: "),
        ("follow_ups", [STEP | {"after_hours": 721}], "follow_ups.0.after_hours: "),
        ("follow_ups", [STEP] * 4, "follow_ups: "),
        ("follow_ups", [{"after_hours": 2}], "follow_ups.0: needs a text or a template"),
        (
            "follow_ups",
            [STEP | {"text": None}],
            "follow_ups.0.text: is missing, but allowed_channels names sms",
        ),
        (
            "follow_ups",
            [STEP | {"template": None}],
            "follow_ups.0.template: is missing: WhatsApp needs one outside its messaging window",
        ),
        ("follow_ups", [STEP | {"template": "x"}], "follow_ups.0.template: template not found"),
        ("follow_ups", [STEP | {"afterhours": 1}], "follow_ups.0.afterhours: is not a setting"),
        ("satisfaction", {}, "satisfaction.after_minutes: "),
        ("satisfaction", {"after_minutes": -1}, "satisfaction.after_minutes: "),
        ("satisfaction", {"after_minutes": 43_201}, "satisfaction.after_minutes: "),
        ("satisfaction", {"after_minutes": 5, "percent": 0}, "satisfaction.percent: "),
        ("satisfaction", {"after_minutes": 5, "percent": 101}, "satisfaction.percent: "),
        ("satisfaction", {"after_minutes": 5, "text": {}}, "satisfaction.text"),
        (
            "satisfaction",
            {"after_minutes": 5, "percents": 3},
            "satisfaction.percents: is not a setting",
        ),
        ("opening_hours", {**HOURS, "outside": "sleep"}, "opening_hours.outside: "),
        ("opening_hours", {**HOURS, "time_zone": "Mars"}, "opening_hours.time_zone: "),
        ("opening_hours", {**HOURS, "holidays": ["25 May"]}, "opening_hours.holidays.0: "),
        (
            "opening_hours",
            {**HOURS, "notice": {"en": "Back {opens_at}", "de": "Bald"}},
            "opening_hours.notice: needs the placeholder {opens_at}",
        ),
    ],
)
def test_a_broken_rule_is_named(
    tables: dict[str, Table],
    file: Path,
    capsys: pytest.CaptureFixture[str],
    broken: tuple[str, Any, str],
) -> None:
    path, value, fault = broken

    assert put(file, changed(path, value)) == 1

    assert [line for line in errors(capsys) if line.startswith(fault)]
    assert stored(tables) is None


def test_follow_ups_need_permission_for_messages_that_the_business_begins(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    item = changed("follow_ups", [STEP]) | {"policy": {"initiated_per_day": 0}}

    assert put(file, item) == 1
    assert errors(capsys) == ["follow_ups: need initiated_per_day and initiated_per_week above 0"]
    assert stored(tables) is None


def test_valid_ones_are_stored(tables: dict[str, Table], file: Path) -> None:
    item = changed("follow_ups", [STEP] * 3) | {"opening_hours": HOURS | {"outside": "hand_off"}}

    assert put(file, item) == 0

    assert stored(tables) is not None
