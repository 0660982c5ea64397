"""GET /whatsapp/analytics: the counted days of an account."""

from typing import Any

import pytest

from shared.api.auth import Caller
from tests.integration.whatsapp.api.conftest import GLOBEX, READER, Api
from tests.integration.whatsapp.conftest import Harness
from whatsapp import store
from whatsapp.store.items.analytics.counts import Analytics

ANALYTICS = "/whatsapp/analytics"
WABA, GLOBEX_WABA = "102290129340398", "302290129340398"
JANUARY: dict[str, Any] = {"waba": WABA, "from": "2026-01-01", "to": "2026-01-31"}


def day(
    harness: Harness, date: str, *, waba: str = WABA, company: str = "acme", **counts: Any
) -> None:
    counted = Analytics(
        pk=Analytics.key(waba, date),
        company=company,
        waba_meta_id=waba,
        date=date,
        counted_at="2026-01-09T12:00:00.000Z",
        **counts,
    )
    assert store.counts.set_day(harness.resources.table, counted)


def dates(api: Api, **query: Any) -> list[str]:
    answer = api.get(ANALYTICS, **query)
    assert answer.status == 200
    return [shown["date"] for shown in answer.body["result"]["analytics"]]


def test_a_day_is_shown_with_all_its_counts(harness: Harness, api: Api) -> None:
    day(
        harness, "2026-01-02", messages_sent=7, messages_delivered=6, messages_read=4, messages_failed=1,
        messages_received=3, messages_replied=1, templates_used={"hello": 5, "__other": 2},
        billable={"marketing": 5}, replies={"hello": 1}, phones={"106": 7},
    )  # fmt: skip

    answer = api.get(ANALYTICS, **JANUARY)

    assert answer.body == {
        "request_id": "request-7",
        "result": {
            "analytics": [
                {
                    "date": "2026-01-02",
                    "messagesSent": 7,
                    "messagesDelivered": 6,
                    "messagesRead": 4,
                    "messagesFailed": 1,
                    "messagesReceived": 3,
                    "messagesReplied": 1,
                    "templatesUsed": {"hello": 5, "__other": 2},
                    "billable": {"marketing": 5},
                    "adSources": {},
                    "replies": {"hello": 1},
                    "phones": {"106": 7},
                    "countedAt": "2026-01-09T12:00:00.000Z",
                }
            ]
        },
    }


def test_days_come_in_order_and_those_without_messages_are_left_out(
    harness: Harness, api: Api
) -> None:
    for date in ("2026-01-31", "2026-01-01", "2026-01-09", "2025-12-31", "2026-02-01"):
        day(harness, date)

    assert dates(api, **JANUARY) == ["2026-01-01", "2026-01-09", "2026-01-31"]
    assert dates(api, **JANUARY | {"from": "2026-01-09", "to": "2026-01-09"}) == ["2026-01-09"]
    assert dates(api, **JANUARY | {"from": "2026-01-02", "to": "2026-01-02"}) == []


def test_ninety_days_are_read_at_once(harness: Harness, api: Api) -> None:
    day(harness, "2026-01-01")
    day(harness, "2026-03-31")

    assert dates(api, **JANUARY | {"to": "2026-03-31"}) == ["2026-01-01", "2026-03-31"]
    assert api.get(ANALYTICS, **JANUARY | {"to": "2026-04-01"}).fields == ["to"]


def test_an_account_of_another_company_is_not_found(harness: Harness, api: Api) -> None:
    day(harness, "2026-01-01", waba=GLOBEX_WABA, company="globex")
    theirs = JANUARY | {"waba": GLOBEX_WABA}

    answers = [api.get(ANALYTICS, **JANUARY | {"waba": waba}) for waba in (GLOBEX_WABA, "1")]

    assert [(answer.status, answer.error) for answer in answers] == [(404, "not_found")] * 2
    assert answers[0].body["error"] == answers[1].body["error"]
    assert api.get(ANALYTICS, caller=GLOBEX, **theirs).status == 200


def test_a_day_that_another_company_counted_for_the_account_is_not_shown(
    harness: Harness, api: Api
) -> None:
    day(harness, "2026-01-01", company="globex")

    assert dates(api, **JANUARY) == []


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"waba": ""}, "waba"),
        ({"waba": "102#2026-01-01"}, "waba"),
        ({"from": "2026-02-30"}, "from"),
        ({"from": "20260101"}, "from"),
        ({"from": "2026-W01-1"}, "from"),
        ({"from": "1767225600"}, "from"),
        ({"from": ""}, "from"),
        ({"to": "2025-12-31"}, "to"),
        ({"to": "tomorrow"}, "to"),
        ({"limit": "1"}, "limit"),
        ({"first": "2026-01-01"}, "first"),
    ],
)
def test_a_parameter_that_breaks_its_rule_is_named(
    api: Api, changed: dict[str, str], field: str
) -> None:
    answer = api.get(ANALYTICS, **JANUARY | changed)

    assert (answer.status, answer.error) == (400, "invalid_input")
    assert answer.fields == [field]


@pytest.mark.parametrize("missing", ["waba", "from", "to"])
def test_account_and_dates_must_be_given(api: Api, missing: str) -> None:
    given = {name: value for name, value in JANUARY.items() if name != missing}

    assert api.get(ANALYTICS, **given).fields == [missing]


def test_a_key_without_the_scope_is_refused(api: Api) -> None:
    sender = Caller(company=READER.company, scopes=frozenset({"whatsapp:send"}), principal="k")

    assert api.get(ANALYTICS, caller=sender, **JANUARY).status == 403
    assert api.get(ANALYTICS, caller=None, **JANUARY).status == 401
