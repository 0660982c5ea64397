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
NAMESAKES = "[...m.namesakesOf(value)].map(([{ key }, shown]) => [key, shown])"


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


def test_a_list_that_is_read_again_keeps_further_rows_and_those_pushed_off_its_first_page() -> None:
    def row(number: int) -> dict[str, Any]:
        return {"context": "whatsapp", "key": str(number), "lastActivityAt": f"{1000 - number}"}

    def page(*numbers: int, cursor: str | None) -> dict[str, Any]:
        rows = [row(one) for one in numbers]
        return {"rows": rows, "cursor": cursor, "first": len(rows), "isExtended": False}

    first, second = page(*range(50), cursor="a"), page(*range(49, 100), cursor="b")
    # -1 is new, 30 was resolved, and 49 does not fit the page any more.
    again = page(-1, *(one for one in range(49) if one != 30), cursor="c")
    script = """(() => {
        const known = m.extended(value[0], value[1]);
        const keys = (one) => [one.rows.map(({ key }) => Number(key)), one.cursor];
        return [keys(known), keys(m.refreshed(known, value[2], true)), keys(m.refreshed(value[0], value[2], true))];
    })()"""
    known, refreshed, alone = run("inbox/source.ts", script, [first, second, again])
    few = [page(1, cursor="a"), page(2, cursor="b"), page(1, cursor="c")]  # of a list with filters

    assert known == [[*range(100)], "b"]
    assert refreshed == [[-1, *(one for one in range(100) if one != 30)], "b"]
    assert alone == [[-1, *(one for one in range(49) if one != 30)], "c"]
    assert run("inbox/source.ts", script, few)[1] == [[1, 2], "b"]


def test_rows_of_one_name_are_namesakes_so_that_they_show_their_channel_and_address() -> None:
    rows = [
        {"key": "1", "contact": "Ann Doe", "handleText": "+44 7700 900101"},
        {"key": "2", "contact": None, "handleText": "+44 7700 900102"},
        {"key": "3", "contact": "Ann Doe", "handleText": "ann@example.com"},
        {"key": "4", "contact": "Ann", "handleText": "+44 7700 900101"},
    ]

    found = run("inbox/source.ts", NAMESAKES, rows)

    assert found == [["1", "handle"], ["3", "handle"]]


def test_rows_of_one_name_and_handle_also_show_to_which_address_of_the_company_they_belong() -> (
    None
):
    same = {"contact": "Ann Doe", "handleText": "+44 7700 900101"}
    whatsapp = {"context": "whatsapp", "channel": "whatsapp"} | same
    sms = {"context": "conversations", "channel": "sms"} | same
    rows = [
        {"key": "1", "address": "100", **whatsapp},
        {"key": "2", "address": "200", **whatsapp},
        {"key": "3", "address": "+1555", **sms},
        {"key": "4", "address": "+1555", **sms},
    ]

    found = run("inbox/source.ts", NAMESAKES, rows)

    assert found == [["1", "address"], ["2", "address"], ["3", "handle"], ["4", "handle"]]
    assert run("inbox/source.ts", "m.showsNumbers(value)", rows)
    assert not run("inbox/source.ts", "m.showsNumbers(value)", rows[1:])
