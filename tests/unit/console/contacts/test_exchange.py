"""The import of contacts keeps what was entered, and asks for what the API takes."""

from __future__ import annotations

from typing import Any

import pytest

from console.contacts.imports import fields, rows
from tests.unit.console.typescript import run

SOURCE = "contacts/exchange/source.ts"


def calls(expression: str, value: Any = None) -> Any:
    return run(SOURCE, expression, value)


@pytest.mark.parametrize("text", ["", "{", "null", '{"file":"a.csv"}', "[]"])
def test_what_cannot_be_an_import_is_none(text: str) -> None:
    assert calls("m.kept(value)", text) is None


def test_what_was_entered_is_kept_and_new_fields_have_their_defaults() -> None:
    kept = calls("m.kept(value)", '{"importId":"a","file":"b.csv","region":"GB"}')

    assert (kept["importId"], kept["region"], kept["fills"], kept["columns"]) == (
        "a",
        "GB",
        False,
        None,
    )


def test_consent_is_attested_only_for_chosen_channels() -> None:
    asked = calls(
        "[[], ['sms']].map((channels) => m.startOf({ ...m.entered('a', 'b.csv'), channels,"
        " source: ' till slip ', day: '2026-01-31', listId: '' }, ['phone', null]))"
    )

    assert asked[0] == {
        "columns": ["phone", None],
        "region": None,
        "fills": False,
        "list_id": None,
        "consent": None,
    }
    assert asked[1]["consent"] == {
        "state": "opted_in",
        "channels": ["sms"],
        "source": "till slip",
        "given_at": "2026-01-31T00:00:00Z",
    }


@pytest.mark.parametrize(("text", "fits"), [("", True), ("DE", True), ("D", False), ("de", False)])
def test_a_country_has_two_capital_letters(text: str, *, fits: bool) -> None:
    assert calls("m.isRegion(value)", text) is fits


def test_a_field_that_columns_may_have_has_its_rule() -> None:
    assert rows._RULES.keys() == set(fields.DETAILS)
    assert rows._IDENTIFIER_RULES.keys() == fields.IDENTIFIERS.keys()
