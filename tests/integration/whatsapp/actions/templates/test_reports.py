"""Reports about templates are the provider's, with webhooks and our own counts beside them."""

from __future__ import annotations

from typing import Any

import pytest

from shared.api.auth import Caller
from tests.integration.whatsapp.actions.conftest import (
    AWS_WABA,
    EUM_WABA,
    GLOBEX,
    WABA,
    Actions,
)
from tests.integration.whatsapp.actions.templates.catalogue import BODY, at_aws, listed
from tests.integration.whatsapp.conftest import NOW
from whatsapp.store.items.analytics.counts import Analytics

NAMED = {"metaWabaId": WABA, "templateName": "spring_sale"}
DAY = 86_400
TODAY = NOW // 1000 // DAY * DAY  # 2026-01-01


def report(actions: Actions, field: str, second: int = 0, **values: Any) -> None:
    template = {
        "message_template_id": 77,
        "message_template_name": "spring_sale",
        "message_template_language": "en_US",
    }
    actions.harness.receive_account_change(field, template | values, second)


def counted(actions: Actions, date: str, company: str = "acme", **templates: int) -> None:
    item = Analytics(
        pk=Analytics.key(WABA, date),
        company=company,
        waba_meta_id=WABA,
        date=date,
        templates_used=templates,
    )
    actions.harness.resources.table.put(item.attributes())


def test_the_providers_numbers_are_beside_our_own(actions: Actions) -> None:
    listed(actions.sandbox, BODY, id="77")
    listed(actions.sandbox, BODY, id="78", language="de")
    actions.run("sync_templates_meta", {"metaWabaId": WABA})
    actions.sandbox.objects["template_analytics"]["77"] = {"sent": 9, "delivered": 8, "read": 7}
    counted(actions, "2025-12-31", spring_sale=9, other=3)

    answer = actions.run(
        "get_template_analytics", {**NAMED, "startDate": "2025-12-31", "endDate": "2026-01-01"}
    )

    sent = actions.wire[-1]
    assert sent.path == f"/v23.0/{WABA}/template_analytics"
    assert sent.query == {
        "start": str(TODAY - DAY),
        "end": str(TODAY),
        "granularity": "daily",
        "metric_types": "sent,delivered,read,clicked",
        "template_ids": '["77","78"]',
    }
    points = answer.result["dataPoints"]
    first = {name: points[0][name] for name in ("template_id", "sent", "delivered", "read")}
    assert first == {"template_id": "77", "sent": 9, "delivered": 8, "read": 7}
    assert len(points) == 4
    assert answer.result["own"] == [{"date": "2025-12-31", "sent": {"spring_sale": 9}}]


def test_numbers_by_id_cover_the_last_30_days_by_default(actions: Actions) -> None:
    listed(actions.sandbox, BODY, id="77")
    actions.run("sync_templates_meta", {"metaWabaId": WABA})
    counted(actions, "2025-12-30", "globex", spring_sale=9)

    answer = actions.run("get_template_analytics", {"metaWabaId": WABA, "templateIds": ["77"]})

    assert (answer.result["startDate"], answer.result["endDate"]) == ("2025-12-02", "2026-01-01")
    assert answer.result["own"] == []


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"startDate": "2025-09-01"}, 400),
        ({"endDate": "2026-01-02"}, 400),
        ({"startDate": "2025-12-31", "endDate": "2025-12-30"}, 400),
        ({"startDate": "31.12.2025"}, 400),
        ({"templateIds": ["77"]}, 400),
        ({"templateName": None}, 400),
        ({"granularity": "HOURLY"}, 400),
        ({"templateName": "never"}, 404),
    ],
)
def test_numbers_of_other_days_or_unknown_templates_are_refused(
    actions: Actions, change: dict[str, Any], status: int
) -> None:
    answer = actions.run("get_template_analytics", {**NAMED, **change})

    assert answer.status == status
    assert actions.wire == []


def test_an_account_without_insights_gets_the_providers_refusal(actions: Actions) -> None:
    answer = actions.run("get_template_analytics", {"metaWabaId": WABA, "templateIds": ["99"]})

    assert (answer.status, answer.error) == (422, "provider_rejected")
    assert answer.body["error"]["provider"]["code"] == "graph_100"


def test_pacing_shows_the_state_now_and_the_webhooks_of_30_days(actions: Actions) -> None:
    listed(actions.sandbox, BODY, id="77", status="PAUSED", rejected_reason="NONE")
    report(actions, "message_template_status_update", event="PAUSED", reason="NONE")
    report(actions, "message_template_quality_update", 1, new_quality_score="RED")
    report(actions, "template_category_update", 2, new_category="UTILITY")
    report(
        actions,
        "message_template_status_update",
        3,
        event="APPROVED",
        message_template_language="de",
    )

    answer = actions.run("get_template_pacing", NAMED)

    assert (answer.result["template"]["status"], answer.result["template"]["id"]) == (
        "PAUSED",
        "77",
    )
    assert {one["field"] for one in answer.result["events"]} == {
        "message_template_status_update",
        "message_template_quality_update",
        "template_category_update",
    }
    assert {"event": "PAUSED", "reason": "NONE"} in [
        one["values"] for one in answer.result["events"]
    ]
    assert [one.operation for one in actions.wire] == ["list_templates"]
    assert "rejected_reason" in actions.wire[0].query["fields"]
    assert actions.item(f"TEMPLATE_META#{WABA}#spring_sale")["status"] == "PAUSED"


def test_pacing_of_a_template_at_aws_asks_aws(actions: Actions) -> None:
    actions.register_eum()
    at_aws(actions.sandbox, BODY, id="77", status="REJECTED", rejected_reason="SCAM")

    answer = actions.run("get_template_pacing", {**NAMED, "metaWabaId": EUM_WABA})

    assert answer.result["template"]["reason"] == "SCAM"
    assert [one.operation for one in actions.wire] == ["GetWhatsAppMessageTemplate"]
    assert actions.item(f"TEMPLATE_EUM#{AWS_WABA}#spring_sale#en_US")["reason"] == "SCAM"


def test_quality_is_the_providers_score_with_its_date(actions: Actions) -> None:
    score = {"score": "GREEN", "date": 1_767_000_000}
    listed(actions.sandbox, BODY, id="77", quality_score=score)
    report(actions, "message_template_quality_update", new_quality_score="GREEN")
    report(actions, "message_template_status_update", event="APPROVED")

    answer = actions.run("get_template_quality", {"metaWabaId": WABA, "name": "spring_sale"})

    assert answer.result["template"]["qualityScore"] == "GREEN"
    assert answer.result["qualityAt"] == 1_767_000_000
    (event,) = answer.result["events"]
    assert event["values"] == {"new_quality_score": "GREEN"}
    assert actions.item(f"TEMPLATE_META#{WABA}#spring_sale")["qualityScore"] == "GREEN"


def test_reports_need_a_template_an_own_account_and_the_scope(actions: Actions) -> None:
    unknown = actions.run("get_template_pacing", NAMED)
    others = actions.run("get_template_pacing", NAMED, caller=GLOBEX)
    sender = Caller(company="acme", scopes=frozenset({"whatsapp:send"}), principal="api-key:s")

    assert (unknown.status, others.status) == (404, 404)
    for action in ("get_template_pacing", "get_template_analytics"):
        assert actions.run(action, NAMED, caller=sender).status == 403
