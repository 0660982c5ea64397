"""Webhooks about accounts, their numbers, flows and payments."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.whatsapp.conftest import PHONE, Harness, a_phone
from whatsapp import store
from whatsapp.inbound.event import Outcome
from whatsapp.store.items import Phone, pk

NUMBER = f"PHONE#{PHONE}"


def banned(state: str) -> dict[str, Any]:
    return {"event": "DISABLED_UPDATE", "ban_info": {"waba_ban_state": state}}


def restricted(kind: str, expiration: object) -> dict[str, Any]:
    one = {"restriction_type": kind, "expiration": expiration}
    return {"event": "ACCOUNT_RESTRICTION", "restriction_info": [one]}


# Numbers and accounts


def test_an_approved_name_is_stored_at_the_number_and_a_late_event_is_ignored(
    harness: Harness,
) -> None:
    def named(name: str, second: int, decision: str = "APPROVED") -> None:
        value = {"display_phone_number": "+1 555 078 3881", "requested_verified_name": name}
        harness.receive_account_change(
            "phone_number_name_update", value | {"decision": decision}, second
        )

    named("Acme", 2)
    named("Older", 1)
    named("Refused", 3, "REJECTED")

    assert harness.item(NUMBER)["verifiedName"] == "Acme"


@pytest.mark.parametrize(
    ("value", "limit"),
    [
        ({"max_daily_conversations_per_business": 2_000}, "TIER_2K"),
        ({"max_daily_conversation_per_phone": -1}, "TIER_UNLIMITED"),
        ({"max_daily_conversations_per_business": "TIER_10K"}, "TIER_10K"),
        ({"max_daily_conversations_per_business": 777}, "777"),
    ],
)
def test_a_messaging_limit_is_stored_as_the_provider_names_it(
    harness: Harness, value: dict[str, Any], limit: str
) -> None:
    harness.receive_account_change("business_capability_update", value)

    assert harness.item(NUMBER)["messagingLimit"] == limit


def test_limits_of_a_number_are_kept_in_the_order_of_their_times(harness: Harness) -> None:
    def limited(tier: str, second: int) -> None:
        value = {"max_daily_conversations_per_business": tier}
        harness.receive_account_change("business_capability_update", value, second)

    for tier, second in (("TIER_1K", 3), ("TIER_250", 1), ("TIER_1K", 4), ("TIER_1K", 3)):
        limited(tier, second)
    limited("TIER_10K", 5)
    limited("TIER_10K", 5)

    kept = harness.item(f"QUALITY#{PHONE}")["limitHistory"]
    assert [(one["limit"], one["at"][17:19]) for one in kept] == [
        ("TIER_250", "01"),
        ("TIER_1K", "03"),
        ("TIER_10K", "05"),
    ]
    assert harness.item(NUMBER)["messagingLimit"] == "TIER_10K"


def test_a_ban_blocks_sending_until_it_is_lifted(harness: Harness, counted: list[str]) -> None:
    harness.receive_account_change("account_update", banned("DISABLE"))
    item = harness.item(NUMBER)
    assert (item["sendingBlocked"], item["sendingBlockedReason"]) == (True, "DISABLE")
    assert item["sendingBlockedAt"] == "2026-01-01T11:00:00.000Z"

    harness.receive_account_change("account_update", banned("REINSTATE"), 1)
    item = harness.item(NUMBER)
    assert item["sendingBlocked"] is False
    assert "sendingBlockedReason" not in item
    assert counted.count("AccountAlert") == 1


def test_a_ban_that_arrives_after_its_end_does_not_block_sending(harness: Harness) -> None:
    harness.receive_account_change("account_update", banned("REINSTATE"), 1)
    harness.receive_account_change("account_update", banned("DISABLE"))

    assert harness.item(NUMBER)["sendingBlocked"] is False


def test_a_restriction_does_not_replace_a_ban_and_outlives_it(harness: Harness) -> None:
    kind = "RESTRICTED_CUSTOMER_INITIATED_MESSAGING"
    harness.receive_account_change("account_update", banned("DISABLE"))
    harness.receive_account_change("account_update", restricted(kind, 1_767_300_000), 1)
    assert harness.item(NUMBER)["sendingBlockedReason"] == "DISABLE"
    assert "sendingBlockedUntil" not in harness.item(NUMBER)

    harness.receive_account_change("account_update", banned("REINSTATE"), 2)
    item = harness.item(NUMBER)
    assert (item["sendingBlocked"], item["sendingBlockedReason"]) == (True, kind)
    assert item["sendingBlockedUntil"] == "2026-01-01T20:40:00.000Z"


def test_reconnecting_an_account_does_not_lift_its_ban(harness: Harness) -> None:
    harness.receive_account_change("account_update", {"event": "ACCOUNT_OFFBOARDED"})
    assert harness.item(NUMBER)["sendingBlockedReason"] == "ACCOUNT_OFFBOARDED"

    harness.receive_account_change("account_update", banned("DISABLE"), 1)
    harness.receive_account_change("account_update", {"event": "ACCOUNT_RECONNECTED"}, 2)
    assert harness.item(NUMBER)["sendingBlockedReason"] == "DISABLE"


@pytest.mark.parametrize(
    "value",
    [
        restricted("RESTRICTED_ADD_PHONE_NUMBER_ACTION", 1_767_300_000),
        {"event": "ACCOUNT_VIOLATION", "violation_info": {"violation_type": "SPAM"}},
        {"event": "DISABLED_UPDATE", "ban_info": {"waba_ban_state": "SCHEDULE_FOR_DISABLE"}},
        {"event": "PARTNER_REMOVED"},
    ],
)
def test_other_violations_raise_an_alarm_and_do_not_block_sending(
    harness: Harness, counted: list[str], value: dict[str, Any]
) -> None:
    harness.receive_account_change("account_update", value)

    assert "sendingBlocked" not in harness.item(NUMBER)
    assert counted == ["AccountAlert"]


@pytest.mark.parametrize(
    ("field", "value", "alarms"),
    [
        ("account_alerts", {"alert_info": {"alert_severity": "CRITICAL"}}, 1),
        ("account_alerts", {"alert_severity": "WARNING"}, 1),
        ("account_alerts", {"alert_info": {"alert_severity": "INFORMATIONAL"}}, 0),
        ("account_review_update", {"decision": "REJECTED"}, 1),
        ("account_review_update", {"decision": "APPROVED"}, 0),
        ("account_update", {"event": "VERIFIED_ACCOUNT"}, 0),
        ("account_update", {"event": ["ACCOUNT_DELETED"], "ban_info": "DISABLE"}, 0),
        ("security", {"event": "PIN_CHANGED"}, 0),
    ],
)
def test_alerts_are_stored_and_critical_ones_raise_an_alarm(
    harness: Harness, counted: list[str], field: str, value: dict[str, Any], alarms: int
) -> None:
    assert harness.receive_account_change(field, value).outcome is Outcome.PERSISTED

    assert counted.count("AccountAlert") == alarms
    assert harness.events_kept() == 1


def test_reported_values_change_no_setting_and_survive_a_registration(harness: Harness) -> None:
    before = harness.item(NUMBER)
    harness.receive_account_change("account_update", banned("DISABLE"))
    store.phones.register(harness.resources.table, a_phone())

    after = harness.item(NUMBER)
    reported = {Phone.name_of(field) for field in Phone.reported}
    assert {name: value for name, value in after.items() if name not in reported} == before
    assert after["sendingBlocked"] is True


# Flows and payments


@pytest.mark.parametrize(
    ("status", "alarms"), [("THROTTLED", 1), ("BLOCKED", 1), ("PUBLISHED", 0), (["BLOCKED"], 0)]
)
def test_a_blocked_or_throttled_flow_raises_an_alarm(
    harness: Harness, counted: list[str], status: object, alarms: int
) -> None:
    harness.receive_account_change(
        "flows", {"event": "FLOW_STATUS_CHANGE", "flow_id": "6", "new_status": status}
    )

    assert counted.count("FlowBlocked") == alarms
    assert harness.events_kept() == 1


def payment(status: str, **more: str) -> dict[str, Any]:
    return {
        "configuration_name": "gateway",
        "provider_name": "razorpay",
        "provider_mid": "acc_1",
        "status": status,
    } | more


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("Active", "active"),
        ("Needs_Connecting", "pending"),
        ("Needs Testing", "pending"),
        ("removed", "inactive"),
    ],
)
def test_a_payment_configuration_belongs_to_the_company_if_no_number_has_a_tenant(
    harness: Harness, word: str, status: str
) -> None:
    harness.receive_account_change("payment_configuration_update", payment(word))

    item = harness.item("TENANT#acme:acme#PAYCFG#gateway")
    assert (item["status"], item["statusRaw"], item["type"]) == (status, word, "PG")
    assert (item["tenantId"], item["configName"]) == ("acme", "gateway")
    assert item["paymentGatewayMid"] == "acc_1"


def test_a_payment_configuration_advances_and_keeps_parleys_own_attributes(
    harness: Harness,
) -> None:
    harness.receive_account_change("payment_configuration_update", payment("Active"), 2)
    key = "TENANT#acme:acme#PAYCFG#gateway"
    harness.resources.table.update(pk(key), put={"mcc": "5940"})

    harness.receive_account_change("payment_configuration_update", payment("Needs Testing"), 1)
    assert harness.item(key)["status"] == "active"

    harness.receive_account_change("payment_configuration_update", payment("Needs Connecting"), 3)
    assert (harness.item(key)["status"], harness.item(key)["mcc"]) == ("pending", "5940")


def test_an_unknown_state_of_a_payment_configuration_changes_nothing(
    harness: Harness, counted: list[str]
) -> None:
    harness.receive_account_change("payment_configuration_update", payment("Dreaming"))

    assert harness.item("TENANT#acme:acme#PAYCFG#gateway") == {}
    assert counted == ["UnknownWord"]


def test_a_tenant_of_another_company_with_the_same_id_is_not_written(harness: Harness) -> None:
    key = "TENANT#acme#PAYCFG#gateway"  # as an earlier release has written it
    harness.resources.table.put({"pk": key, "itemType": "PAYMENT_CONFIG", "company": "other",
                         "tenantId": "acme", "configName": "gateway"})  # fmt: skip
    harness.receive_account_change("payment_configuration_update", payment("Active"))

    assert "status" not in harness.item(key)
    assert harness.item("TENANT#acme:acme#PAYCFG#gateway")["status"] == "active"


def test_a_configuration_of_an_earlier_release_keeps_its_key(harness: Harness) -> None:
    key = "TENANT#acme#PAYCFG#gateway"
    harness.resources.table.put({"pk": key, "itemType": "PAYMENT_CONFIG", "company": "acme",
                         "tenantId": "acme", "configName": "gateway"})  # fmt: skip
    harness.receive_account_change("payment_configuration_update", payment("Active"))

    assert harness.item(key)["status"] == "active"
    assert harness.item("TENANT#acme:acme#PAYCFG#gateway") == {}
