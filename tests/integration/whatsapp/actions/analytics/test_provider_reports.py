"""The provider's analytics."""

from __future__ import annotations

import pytest

from tests.integration.whatsapp.actions.conftest import GLOBEX, WABA, Actions

DECEMBER = {"metaWabaId": WABA, "startDate": "2025-12-30", "endDate": "2025-12-31"}
START, END = 1_767_052_800, 1_767_225_600
REPORTS = {
    "get_conversation_analytics": "conversation_analytics",
    "get_pricing_analytics": "pricing_analytics",
    "get_call_analytics": "call_analytics",
}


@pytest.mark.parametrize(("action", "field"), REPORTS.items())
def test_a_report_asks_for_whole_days_of_the_account(
    actions: Actions, action: str, field: str
) -> None:
    more = {"phoneNumbers": ["+15550783881"], "dimensions": ["PHONE"], "granularity": "MONTHLY"}
    result = actions.run(action, DECEMBER | more).result

    (request,) = actions.wire
    # Meta's document does not have the account's analytics.
    assert (request.operation, request.path) == ("get_analytics", f"/v23.0/{WABA}")
    assert dict(request.query) == {
        "fields": f"{field}.start({START}).end({END}).granularity(MONTHLY)"
        '.phone_numbers(["15550783881"]).dimensions(["PHONE"])'
    }
    assert len(result["meta"]["data"][0]["data_points"]) == 2


@pytest.mark.parametrize("action", REPORTS)
def test_numbers_of_other_accounts_and_dates_before_a_year_ago_are_refused(
    actions: Actions, action: str
) -> None:
    foreign = actions.run(action, DECEMBER | {"phoneNumbers": ["+15550783777"]})
    assert foreign.error == "not_found"
    old = actions.run(action, DECEMBER | {"startDate": "2024-01-01", "endDate": "2024-01-02"})
    assert old.fields == ["startDate"]
    injected = actions.run(action, DECEMBER | {"dimensions": ["PHONE]).x("]})
    assert injected.status == 400
    assert actions.run(action, DECEMBER, caller=GLOBEX).error == "not_found"
    assert actions.wire == []


def test_prices_are_shown_beside_our_counts(actions: Actions) -> None:
    assert actions.run("get_pricing_analytics", DECEMBER).result["billable"] == {}


def test_analytics_join_our_days_and_the_providers(actions: Actions) -> None:
    both = actions.run("get_analytics", DECEMBER | {"granularity": "DAY"}).result

    assert (
        actions.wire[0].query["fields"] == f"analytics.start({START}).end({END}).granularity(DAY)"
    )
    assert both["meta"]["phone_numbers"] == ["15550783881"]
    assert (both["totals"]["sent"], both["days"]) == (0, [])
    local = actions.run("get_analytics", DECEMBER | {"source": "local"}).result
    assert "meta" not in local
    assert len(actions.wire) == 1


def test_without_a_token_only_our_days_are_shown(actions: Actions) -> None:
    actions.register(token_ref=None)

    both = actions.run("get_analytics", DECEMBER).result
    assert "meta" not in both
    assert "no access to Graph" in both["note"]
    assert actions.run("get_analytics", DECEMBER | {"source": "meta"}).error == "not_configured"


def test_a_lost_answer_is_asked_for_again(actions: Actions) -> None:
    actions.sandbox.faults.add(provider="meta", operation="get_analytics", kind="lost_answer")

    assert actions.run("get_call_analytics", DECEMBER).status == 200
    assert len(actions.wire) == 2
