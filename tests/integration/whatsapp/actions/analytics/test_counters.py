"""Counters, clicks and funnels, from what the schedule has counted."""

from __future__ import annotations

from typing import Any

import pytest

from shared.runtime import clock
from tests.integration.whatsapp.actions.conftest import GLOBEX, GLOBEX_PHONE, WABA, Actions
from tests.integration.whatsapp.conftest import NOW, PHONE
from whatsapp.jobs.rollup import count_due
from whatsapp.store.analytics import reported
from whatsapp.store.items import Message
from whatsapp.store.items.analytics.counts import Analytics
from whatsapp.store.items.sending.campaigns import Campaign

AT = "2026-01-01T11:30:00.000Z"
DAYS = {"startDate": "2026-01-01", "endDate": "2026-01-01"}
ACCOUNT = {"metaWabaId": WABA, **DAYS}
CAMPAIGN = "01K0QF5N8X2V7M3J9R6T4W1YZA"
AD = "120226305854810701"


def stored(actions: Actions, number: int, **facts: Any) -> None:
    message = Message(
        pk=Message.key(f"wamid.{number}"),
        **{
            "company": "acme",
            "phone": PHONE,
            "from_": "1",
            "from_pk": "1",
            "inbox_pk": f"arn:parley:whatsapp:::phone-number-id/{facts.get('phone', PHONE)}",
            "type": "text",
            "payload_hash": "h",
            "received_at": AT,
            **facts,
        },
    )
    actions.harness.resources.table.put(message.attributes())


def sent(actions: Actions, number: int, status: str, **facts: Any) -> None:
    stored(
        actions, number, direction="OUTBOUND", sent_at=AT, delivery_status=status, to="1", **facts
    )


@pytest.fixture
def counted(actions: Actions) -> Actions:
    """Four sent messages, one read, one failed; an answer, and a chat from an ad; counted by the schedule."""
    template = {"template": "offer", "campaign_id": CAMPAIGN, "price_category": "marketing"}
    sent(actions, 1, "read", **template)
    sent(actions, 2, "delivered", **template)
    sent(actions, 3, "sent")
    sent(actions, 4, "failed")
    stored(actions, 5, direction="INBOUND", reply_of="offer")
    stored(actions, 6, direction="INBOUND", ad_source=AD)
    count_due(actions.harness.resources.table, NOW, lambda: 60_000)
    return actions


def test_every_attribute_of_a_day_is_written_by_the_schedule(counted: Actions) -> None:
    day = counted.item(Analytics.key(WABA, "2026-01-01"))

    names = {"messages_sent", "messages_delivered", "messages_read", "messages_failed"}
    assert {Analytics.name_of(n) for n in (*names, "templates_used", "date")} <= day.keys()
    assert (day["messagesSent"], day["messagesDelivered"], day["messagesRead"]) == (4, 2, 1)
    assert (day["messagesFailed"], day["templatesUsed"]) == (1, {"offer": 2})


def test_stats_sum_the_days_of_the_company(counted: Actions) -> None:
    result = counted.run("get_stats", DAYS).result

    counts = {name: result[name] for name in ("sent", "delivered", "read", "failed")}
    assert counts == {"sent": 4, "delivered": 2, "read": 1, "failed": 1}
    # The third inbound message is the one that ADA has sent an hour ago.
    assert (result["received"], result["conversationsFromAds"]) == (3, 1)
    assert counted.run("get_stats", ACCOUNT).result == result
    assert counted.run("get_stats", DAYS, caller=GLOBEX).result["sent"] == 0


def test_stats_of_a_number_have_what_is_counted_by_number(counted: Actions) -> None:
    result = counted.run("get_stats", DAYS | {"phoneNumberId": PHONE}).result

    assert result == {"startDate": "2026-01-01", "endDate": "2026-01-01", "sent": 4}
    assert counted.run("get_stats", {"phoneNumberId": GLOBEX_PHONE}).error == "not_found"


def test_a_funnel_has_the_drop_at_each_step(counted: Actions) -> None:
    steps = counted.run("get_funnel_insights", ACCOUNT).result["steps"]

    assert [(step["name"], step["count"]) for step in steps] == [
        ("sent", 4),
        ("delivered", 2),
        ("read", 1),
        ("replied", 1),
        ("converted", 0),
    ]
    assert (steps[1]["drop"], steps[1]["rate"]) == (2, 0.5)


def test_a_funnel_of_a_template_has_only_the_steps_that_are_counted_by_template(
    counted: Actions,
) -> None:
    steps = counted.run("get_funnel_insights", ACCOUNT | {"templateName": "offer"}).result["steps"]

    assert [(s["name"], s["count"]) for s in steps] == [("sent", 2), ("replied", 1)]


def test_a_funnel_of_a_campaign_sums_its_hours(counted: Actions) -> None:
    campaign = Campaign(
        pk=Campaign.key(CAMPAIGN),
        company="acme",
        campaign_id=CAMPAIGN,
        waba_meta_id=WABA,
        name="Offer",
        template_name="offer",
        status="running",
        created_at=AT,
        phone="106540352242922",
        created_by="api-key:acme",
        kind="template",
    )
    counted.harness.resources.table.put(campaign.attributes())
    asked = ACCOUNT | {"campaignId": CAMPAIGN}

    steps = counted.run("get_funnel_insights", asked).result["steps"]
    assert [s["count"] for s in steps] == [2, 2, 1, 0]
    foreign = campaign.model_copy(update={"company": "globex"})
    counted.harness.resources.table.put(foreign.attributes())
    assert counted.run("get_funnel_insights", asked).error == "not_found"


def test_a_funnel_has_one_subject(actions: Actions) -> None:
    body = ACCOUNT | {"campaignId": CAMPAIGN, "templateName": "offer"}

    assert actions.run("get_funnel_insights", body).status == 400


def test_a_click_counts_once_for_its_id(counted: Actions) -> None:
    click = {"metaWabaId": WABA, "clickId": "click-1", "adId": AD, "userId": "user-77"}

    assert counted.run("track_ctwa_click", click).result == {"clickId": "click-1", "isNew": True}
    assert counted.run("track_ctwa_click", click).result == {"clickId": "click-1", "isNew": False}
    metrics = counted.run("get_ctwa_metrics", ACCOUNT).result
    assert (metrics["clicks"], metrics["conversations"], metrics["conversions"]) == (1, 1, 0)
    assert metrics["isComplete"] is True
    (day,) = metrics["days"]
    assert (day["clicks"], day["conversations"]) == ({AD: 1}, {AD: 1})


def test_the_user_of_a_click_is_stored_as_a_hash(actions: Actions) -> None:
    click = {"metaWabaId": WABA, "clickId": "click-1", "userId": "user-77"}
    actions.run("track_ctwa_click", click)

    (key,) = [key for key in actions.harness.keys() if key.startswith("WEBHOOK#ctwa_click-")]
    event = actions.item(key)
    assert (event["itemType"], event["webhookEventType"]) == ("WEBHOOK_EVENT", "ctwa_click#acme")
    assert "user-77" not in repr(event)
    assert event["wabaMetaId"] == WABA


def test_the_same_click_id_of_another_company_is_another_click(actions: Actions) -> None:
    actions.run("track_ctwa_click", {"metaWabaId": WABA, "clickId": "click-1"})
    other = {"metaWabaId": "302290129340398", "clickId": "click-1"}

    assert actions.run("track_ctwa_click", other, caller=GLOBEX).result["isNew"] is True
    assert actions.run("get_ctwa_metrics", ACCOUNT).result["clicks"] == 1


def test_only_the_newest_clicks_are_counted_if_there_are_too_many(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reported, "_PAGES", 1)
    monkeypatch.setattr(reported, "_PER_PAGE", 2)
    for number in range(3):
        actions.run("track_ctwa_click", {"metaWabaId": WABA, "clickId": f"click-{number}"})

    metrics = actions.run("get_ctwa_metrics", ACCOUNT).result
    assert (metrics["clicks"], metrics["isComplete"]) == (2, False)


def test_ad_metrics_are_filtered_by_the_ad_source(counted: Actions) -> None:
    counted.run("track_ctwa_click", {"metaWabaId": WABA, "clickId": "click-1", "adId": "another"})

    metrics = counted.run("get_ctwa_metrics", ACCOUNT | {"campaignId": AD}).result
    assert (metrics["clicks"], metrics["conversations"]) == (0, 1)


@pytest.mark.parametrize("action", ["get_stats", "get_analytics", "get_ctwa_metrics"])
@pytest.mark.parametrize(
    ("first", "last"), [("2026-01-02", "2026-01-01"), ("2025-09-30", "2026-01-01")]
)
def test_a_period_has_1_to_93_days(actions: Actions, action: str, first: str, last: str) -> None:
    answer = actions.run(action, {"metaWabaId": WABA, "startDate": first, "endDate": last})

    assert (answer.status, answer.fields) == (400, ["endDate"])


def test_without_dates_the_last_30_days_are_shown(actions: Actions) -> None:
    result = actions.run("get_stats").result

    today = clock.to_text(clock.now_ms())[:10]
    assert result["endDate"] == today
    span = clock.from_text(f"{today}T00:00:00Z") - clock.from_text(
        f"{result['startDate']}T00:00:00Z"
    )
    assert span == 29 * clock.DAY_SECONDS * clock.SECOND_MS
