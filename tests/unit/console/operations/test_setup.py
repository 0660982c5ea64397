"""The pure functions of the set-up: what was entered, which step is next, what Meta has verified."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.console.typescript import run

MODULE = "setup/steps/entered.ts"
ZONE = "Europe/Berlin"
WEBHOOK = "https://api.example/prod/webhooks/whatsapp"
NOTHING: dict[str, Any] = dict.fromkeys(
    ("isNamed", "colleagues", "numbers", "mailboxes", "conversations")
)


def kept(text: str) -> dict[str, Any]:
    found: dict[str, Any] = run(MODULE, "m.kept(value[0], value[1])", [text, ZONE])
    return found


def step(chosen: str | None, **known: Any) -> str:
    found: str = run(MODULE, "m.stepOf(value[0], m.doneOf(value[1]))", [chosen, NOTHING | known])
    return found


@pytest.mark.parametrize("text", ["", "null", "{", "[]", '"text"', '{"name": 1, "other": "x"}'])
def test_what_cannot_be_read_is_an_empty_form_in_the_zone_of_the_browser(text: str) -> None:
    found = kept(text)

    assert found["zone"] == ZONE
    assert found["name"] == ""
    assert "other" not in found


def test_what_was_entered_is_kept_and_it_has_no_secret() -> None:
    found = kept(json.dumps({"appId": "12345", "zone": "UTC", "role": "admin"}))

    assert (found["appId"], found["zone"], found["role"]) == ("12345", "UTC", "admin")
    assert not [name for name in found if "secret" in name.lower() or "token" in name.lower()]


def test_the_first_step_that_is_not_done_is_shown_unless_the_address_names_one() -> None:
    assert step(None) == "company"
    assert step(None, isNamed=True, colleagues=1) == "team"
    assert step(None, isNamed=True, colleagues=2, numbers=1) == "channels"
    assert step("whatsapp", isNamed=True) == "whatsapp"
    assert step("no-such-step", isNamed=True) == "team"
    assert step(None, isNamed=True, colleagues=2, numbers=1, mailboxes=1) == "test"


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("+1 555 078 3881", "15550783881"),
        ("49 (30) 123-456", "4930123456"),
        ("12345", None),
        ("+1 555 CALL", None),
        ("", None),
    ],
)
def test_a_number_is_digits_with_the_signs_of_any_spelling(text: str, digits: str | None) -> None:
    assert run(MODULE, "m.digitsOf(value)", text) == digits


@pytest.mark.parametrize(
    ("apps", "verified"),
    [
        ([{"override_callback_uri": WEBHOOK}], True),
        ([{"override_callback_uri": "https://other.example/hook"}], False),
        ([{}], False),
        ([], False),
        (None, False),
    ],
)
def test_meta_has_verified_the_address_that_it_names_and_no_other(
    apps: list[dict[str, str]] | None, verified: bool
) -> None:
    assert run(MODULE, "m.isVerified(value[0], value[1])", [apps, WEBHOOK]) is verified
