"""The pure functions of the console's reports: the range in the address, and the numbers of plots and tables."""

from __future__ import annotations

import csv
import io
from typing import Any

from tests.cases import each
from tests.unit.console.typescript import run

TODAY = "2026-03-31"
OF_OUTCOMES = dict.fromkeys(("project", "version", "language", "by"))
EVERY = {"context": None, "channel": None, "group": None, **OF_OUTCOMES}


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
        "project=hiring&version=12&language=de&by=language": {
            "from": "2026-03-02",
            "to": TODAY,
            **EVERY,
            "project": "hiring",
            "version": "12",
            "language": "de",
            "by": "language",
        },
        "version=live&language=German&by=project": {"from": "2026-03-02", "to": TODAY, **EVERY},
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


def _outcome(version: int, language: str, **counts: Any) -> dict[str, Any]:
    ended = dict.fromkeys(("endedAlone", "endedWithPeople", "optedOut", "failed"), 0)
    nothing = ended | {"handedOff": {}, "reopenedSoon": 0, "ratedUp": 0, "ratedDown": {}}
    nothing |= {"asked": 0, "scores": {}}
    place = {"date": "2026-03-30", "channel": "sms", "version": version, "language": language}
    return nothing | place | counts


OUTCOMES = [
    _outcome(10, "de", endedAlone=3, handedOff={"ai": 1, "no_progress": 2}, ratedUp=2),
    _outcome(9, "de", endedAlone=1, endedWithPeople=3, failed=1, ratedDown={"tone": 1}),
    _outcome(9, "en", optedOut=1, handedOff={"ai": 4}, reopenedSoon=2, ratedDown={"tone": 2}),
]


@each(
    ("compared", "lines"),
    [
        ("version", [["9", [1, 3, 1, 1]], ["10", [3, 0, 0, 0]]]),
        ("language", [["de", [4, 3, 0, 1]], ["en", [0, 0, 1, 0]]]),
        ("channel", [["sms", [4, 3, 1, 1]]]),
        ("date", [["2026-03-30", [4, 3, 1, 1]]]),
    ],
)
def test_outcomes_are_compared_by_each_of_their_dimensions(
    compared: str, lines: list[list[Any]]
) -> None:
    script = f"""m.linesOf(value, "{compared}", (one) => one, ({{ ends }}) => ends)
        .map(({{ key, values }}) => [key, values])"""

    assert run("reports/outcomes/outcomes.ts", script, OUTCOMES) == lines


def test_causes_are_summed_over_all_outcomes_the_most_frequent_one_first() -> None:
    script = '["handedOff", "ratedDown"].map((kind) => m.causesOf(value, kind))'

    assert run("reports/outcomes/outcomes.ts", script, OUTCOMES) == [
        [["ai", 5], ["no_progress", 2]],
        [["tone", 3]],
    ]


def test_the_mean_of_the_scores_is_of_those_who_answered() -> None:
    found = [_outcome(1, "de", asked=9, scores={"5": 1, "2": 2}), _outcome(2, "en", asked=1)]
    script = "value.map((one) => [m.sumsOf([one]).asked, m.meanScore(m.sumsOf([one]))])"

    assert run("reports/outcomes/outcomes.ts", script, found) == [[9, 3], [1, None]]


def test_the_share_without_people_is_of_all_that_ended_and_none_of_nothing() -> None:
    """A first message that could not be sent is no answer."""
    script = "[value, []].map((found) => m.shareAlone(m.sumsOf(found)))"

    assert run("reports/outcomes/outcomes.ts", script, OUTCOMES) == [4 / 8, None]
