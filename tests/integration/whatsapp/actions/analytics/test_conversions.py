"""Conversions of customers who came from an ad."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.integration.whatsapp.actions.conftest import (
    ADA,
    AWS_WABA,
    EUM_PHONE,
    EUM_WABA,
    GLOBEX,
    WABA,
    Actions,
)
from tests.integration.whatsapp.conftest import NOW, PHONE, text

ACCOUNT = {"metaWabaId": WABA}
AD = "120226305854810701"
REFERRAL = {"source_id": AD, "source_type": "ad", "ctwa_clid": "click-of-ada"}
EVENT = {
    **ACCOUNT,
    "contact": f"+{ADA}",
    "eventName": "Purchase",
    "eventId": "order-1",
    "value": 3_950,
    "currency": "USD",
}


def from_ad(actions: Actions, referral: dict[str, Any] = REFERRAL) -> None:
    """ADA writes from an ad, and then again without one."""
    at = NOW // 1_000
    actions.harness.take(
        {"messages": [text("wamid.ada.ad", at=at - 600, referral=referral)]},
        {"messages": [text("wamid.ada.later", at=at - 300)]},
    )


@pytest.fixture
def ready(actions: Actions) -> Actions:
    """The account has a dataset, and ADA came from an ad."""
    actions.run("create_conversion_dataset", ACCOUNT)
    from_ad(actions)
    return actions


def requests(actions: Actions, operation: str = "send_conversion_event") -> list[Any]:
    return [sent for sent in actions.wire if sent.operation == operation]


def test_a_dataset_is_created_once_and_kept_at_the_number(actions: Actions) -> None:
    first = actions.run("create_conversion_dataset", ACCOUNT).result
    again = actions.run("create_conversion_dataset", ACCOUNT).result

    assert first == again
    (request,) = actions.wire
    # Meta's document has neither datasets nor their events.
    assert (request.path, request.body) == (f"/v23.0/{WABA}/dataset", {})
    assert actions.item(f"PHONE#{PHONE}")["conversionDataset"] == first["datasetId"]
    assert actions.run("create_conversion_dataset", ACCOUNT, caller=GLOBEX).error == "not_found"


def test_a_conversion_is_sent_with_the_click_of_the_customers_ad(ready: Actions) -> None:
    result = ready.run("send_conversion_event", EVENT).result

    (request,) = requests(ready)
    assert request.path == f"/v23.0/{result['datasetId']}/events"
    assert result["providerId"] == request.answer["fbtrace_id"]
    (event,) = request.body["data"]
    assert event["user_data"] == {
        "whatsapp_business_account_id": WABA,
        "ctwa_clid": "click-of-ada",
    }
    assert event["custom_data"] == {"value": 39.5, "currency": "USD"}
    assert (event["event_name"], event["event_id"]) == ("Purchase", "order-1")


def test_a_conversion_is_counted_without_the_customer(ready: Actions) -> None:
    ready.run("send_conversion_event", EVENT)

    (key,) = [key for key in ready.harness.keys() if key.startswith("WEBHOOK#conversion-")]
    event = ready.item(key)
    assert event["payload"] == {
        "eventName": "Purchase",
        "value": 3_950,
        "currency": "USD",
        "adSource": AD,
    }
    assert "click-of-ada" not in repr(event)
    days = {"startDate": "2025-12-31"}
    metrics = ready.run("get_ctwa_metrics", ACCOUNT | days).result
    assert metrics["conversions"] == 1
    funnel = ready.run("get_funnel_insights", ACCOUNT | days).result
    assert funnel["steps"][-1]["count"] == 1


def test_an_event_id_is_sent_once_also_with_another_idempotency_key(ready: Actions) -> None:
    first = ready.run("send_conversion_event", EVENT, key="key-conversion-1")
    second = ready.run("send_conversion_event", EVENT, key="key-conversion-2")

    assert second.result == first.result
    assert len(requests(ready)) == 1
    assert len([key for key in ready.harness.keys() if key.startswith("WEBHOOK#conversion-")]) == 1
    other = ready.run("send_conversion_event", EVENT | {"value": 1})
    assert (other.status, other.error) == (409, "state_conflict")


def test_a_lost_answer_is_in_doubt_and_not_repeated(ready: Actions) -> None:
    ready.sandbox.faults.add(provider="meta", operation="send_conversion_event", kind="lost_answer")

    answer = ready.run("send_conversion_event", EVENT, key="key-conversion-1")
    assert (answer.status, answer.result["state"]) == (202, "in_doubt")
    for key in ("key-conversion-1", "key-conversion-2"):
        # The attempt is not given up yet.
        again = ready.run("send_conversion_event", EVENT, key=key)
        assert again.error == "request_in_progress"
    assert len(requests(ready)) == 1


@pytest.mark.parametrize("referral", [None, {"source_id": AD, "source_type": "post"}])
def test_a_customer_without_a_click_id_is_a_conflict(
    actions: Actions, referral: dict[str, Any] | None
) -> None:
    actions.run("create_conversion_dataset", ACCOUNT)
    if referral:
        from_ad(actions, referral)

    answer = actions.run("send_conversion_event", EVENT)
    assert (answer.status, answer.error) == (409, "state_conflict")
    assert requests(actions) == []


def test_a_conversion_needs_a_dataset(actions: Actions) -> None:
    from_ad(actions)

    answer = actions.run("send_conversion_event", EVENT)
    assert (answer.status, answer.error) == (409, "not_configured")


@pytest.mark.parametrize(
    "changes",
    [
        {"currency": None},
        {"value": None, "currency": None},
        {"eventName": "Refund"},
        {"eventTime": "2025-12-01T00:00:00Z"},
        {"eventTime": "2030-01-01T00:00:00Z"},
        {"contact": "+1"},
    ],
)
def test_a_conversion_that_cannot_be_is_refused(ready: Actions, changes: dict[str, Any]) -> None:
    body = {name: value for name, value in (EVENT | changes).items() if value is not None}

    assert ready.run("send_conversion_event", body).status == 400
    assert requests(ready) == []


def test_an_account_on_aws_uses_its_operations(actions: Actions) -> None:
    actions.register_eum()
    account = {"metaWabaId": EUM_WABA}
    dataset = actions.run("create_conversion_dataset", account).result["datasetId"]
    message = text("wamid.ada.eum", at=NOW // 1_000 - 600, referral=REFERRAL)
    metadata = {"display_phone_number": "15550783999", "phone_number_id": EUM_PHONE}
    actions.harness.take({"messages": [message], "metadata": metadata}, waba=EUM_WABA)

    result = actions.run("send_conversion_event", EVENT | account).result
    created, sent = actions.wire
    assert (created.operation, created.body) == ("CreateWhatsAppDataset", {"id": AWS_WABA})
    assert sent.operation == "SendWhatsAppConversionEvent"
    body: Any = sent.body
    assert (body["id"], body["datasetId"]) == (AWS_WABA, dataset)
    (event,) = json.loads(base64.b64decode(body["eventData"]))["data"]
    assert event["user_data"]["whatsapp_business_account_id"] == EUM_WABA
    answer: Any = sent.answer
    assert result["providerId"] == answer["requestId"]
