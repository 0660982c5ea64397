"""The pure functions of the console's reports: the range in the address, and the numbers of plots and tables."""

from __future__ import annotations

import csv
import io
from typing import Any

from tests.cases import each
from tests.unit.console.typescript import run

TODAY = "2026-03-31"
EVERY = {"context": None, "channel": None, "group": None}


def test_the_address_has_the_range_and_the_filters() -> None:
    queries = {
        "": {"from": "2026-03-02", "to": TODAY, **EVERY},
        "from=2026-01-05&to=2026-01-11&channel=sms&group=night": {
            "from": "2026-01-05",
            "to": "2026-01-11",
            **EVERY,
            "channel": "sms",
            "group": "night",
        },
        # What was typed wrong is left out, and a range has one day at least.
        "from=2026-02-30&to=tomorrow&context=all": {"from": "2026-03-02", "to": TODAY, **EVERY},
        "from=2026-05-01&to=2026-04-01": {"from": "2026-04-01", "to": "2026-04-01", **EVERY},
    }
    script = f"value.map((query) => m.askedOf(query, '{TODAY}'))"
    found = run("reports/query.ts", script, list(queries))
    assert found == list(queries.values())
    again = "value.map((asked) => m.askedOf(m.queryOf(asked), '2030-01-01'))"
    assert run("reports/query.ts", again, found) == found


@each(
    ("first", "last", "dates"),
    [
        ("2026-03-28", "2026-03-30", ["2026-03-28", "2026-03-29", "2026-03-30"]),
        ("2026-02-28", "2026-03-01", ["2026-02-28", "2026-03-01"]),
        ("2026-03-02", "2026-03-01", []),
    ],
)
def test_a_range_has_each_of_its_days(first: str, last: str, dates: list[str]) -> None:
    assert run("reports/query.ts", "m.datesOf(...value)", [first, last]) == dates


def _day(date: str, context: str, channel: str, opened: int, hour: int) -> dict[str, Any]:
    hours = [opened if one == hour else 0 for one in range(24)]
    return {
        "date": date,
        "context": context,
        "channel": channel,
        "opened": opened,
        "openedByHour": hours,
    }


DAYS = [
    _day("2026-03-29", "whatsapp", "whatsapp", 3, 9),
    _day("2026-03-29", "conversations", "sms", 2, 9),
    _day("2026-03-31", "conversations", "email", 1, 17),
    _day("2026-03-31", "whatsapp", "whatsapp", 4, 17),
]


def test_a_plot_has_a_bar_for_each_day_and_hour_and_a_part_for_each_context_and_channel() -> None:
    script = (
        "(({ days, dates }) => { const parts = m.partsOf(days); return { parts,"
        " byDay: m.byDay(days, dates, parts, (day) => day.opened),"
        " byHour: m.byHour(days, parts).filter(({ values }) => m.total(values)) } })(value)"
    )
    dates = ["2026-03-29", "2026-03-30", "2026-03-31"]
    assert run("reports/series.ts", script, {"days": DAYS, "dates": dates}) == {
        "parts": ["conversations email", "conversations sms", "whatsapp"],
        "byDay": [
            {"name": "2026-03-29", "values": [0, 2, 3]},
            {"name": "2026-03-30", "values": [0, 0, 0]},
            {"name": "2026-03-31", "values": [1, 0, 4]},
        ],
        "byHour": [
            {"name": "09:00", "values": [0, 2, 3]},
            {"name": "17:00", "values": [1, 0, 4]},
        ],
    }


def test_durations_are_added_up_and_nothing_has_no_mean() -> None:
    one = {
        "count": 2,
        "seconds": 90,
        "classes": [1, 1],
        "businessSeconds": 60,
        "businessClasses": [2, 0],
    }
    script = "[m.together([value, value]), m.mean(180, 4), m.mean(0, 0), m.together([])]"
    assert run("reports/series.ts", script, one) == [
        {
            "count": 4,
            "seconds": 180,
            "classes": [2, 2],
            "businessSeconds": 120,
            "businessClasses": [4, 0],
        },
        45,
        None,
        {"count": 0, "seconds": 0, "classes": [], "businessSeconds": 0, "businessClasses": []},
    ]


def test_a_table_as_a_file_has_no_formula_and_quotes_what_would_end_a_cell() -> None:
    rows = [["=1+1", 2], ['Say "hi", then\nleave', -3], ["+49 30", 0]]
    text = run("reports/csv.ts", "m.csvOf(['Day', 'Count'], value)", rows)
    read = list(csv.reader(io.StringIO(text, newline="")))
    assert read == [
        ["Day", "Count"], ["'=1+1", "2"], ['Say "hi", then\nleave', "-3"], ["'+49 30", "0"],
    ]  # fmt: skip
