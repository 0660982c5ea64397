"""Addresses of the list: its filters, words and saved views."""

from __future__ import annotations

from typing import Any

import pytest

from console.api.inputs import LONGEST_QUERY
from tests.unit.console.typescript import run

NOTHING_ASKED = {
    "status": None,
    "unread": False,
    "unassigned": False,
    "waiting": False,
    "q": "",
    "channel": None,
    "address": None,
    "assignee": None,
    "label": None,
    "due": None,
}


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"q": "Ünïcode & more=1? #5"},
        {"q": "+44 7700 900101", "status": "archived"},
        {"status": "all", "unread": True, "unassigned": True, "waiting": True},
        {
            "channel": "sms",
            "address": "+1 555%2F",
            "assignee": "team:a/b",
            "label": "später?",
            "due": "at_risk",
        },
    ],
)
def test_an_address_has_all_filters_of_the_list(asked: dict[str, Any]) -> None:
    wanted = {**NOTHING_ASKED, **asked}

    assert run("inbox/address.ts", "m.askedOf(m.queryOf(value))", wanted) == wanted


@pytest.mark.parametrize(
    "query",
    [
        "status=lost&channel=fax&due=now&unread=yes&other=1&q=%20",
        "%%%",
        "q=&label=&status",
        "status=OPEN",
    ],
)
def test_unknown_filters_of_a_typed_address_are_left_out(query: str) -> None:
    assert run("inbox/address.ts", "m.askedOf(value)", query) == NOTHING_ASKED


def test_words_of_an_address_are_as_long_as_the_api_takes_them() -> None:
    found = run("inbox/address.ts", "m.askedOf('q=' + value).q", "x" * 500)

    assert len(found) == LONGEST_QUERY


def test_a_search_covers_all_statuses_unless_one_is_chosen() -> None:
    asked = [
        {"q": "", "status": None},
        {"q": "ada", "status": None},
        {"q": "ada", "status": "open"},
        {"q": "", "status": "archived"},
    ]

    assert run("inbox/address.ts", "value.map(m.statusOf)", asked) == [
        "open",
        "all",
        "open",
        "archived",
    ]


def test_a_saved_view_is_a_place_and_the_list_that_it_shows_is_the_view_again() -> None:
    asked = {**NOTHING_ASKED, "label": "vip", "unread": True, "q": "Ada"}
    filters = {"label": "vip", "unread": "true", "status": "open"}

    found = run(
        "inbox/savedViews.ts",
        "[m.filtersOf('all', value[0], 'open', 'user:me'), m.filtersOf('mine', value[0], 'open', 'user:me').assignee,"
        " m.filtersOf('whatsapp', value[0], 'open', null).context, m.placeOfView({context: 'whatsapp', ...value[1]}),"
        " m.isShown({...value[1], due: null}, m.filtersOf('all', value[0], 'open', null)),"
        " m.isShown({status: 'open'}, value[1]), m.countText(99, false)]",
        [asked, filters],
    )

    place = {"section": "whatsapp", "query": "label=vip&status=open&unread=true"}
    assert found == [filters, "user:me", "whatsapp", place, True, False, "99+"]
