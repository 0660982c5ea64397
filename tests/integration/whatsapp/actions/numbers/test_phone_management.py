"""Registered numbers, and their registration at the provider."""

import json
from typing import Any

import boto3
import pytest

from shared.access.ownership import claims, ids
from shared.access.ownership.claims import Proof
from shared.runtime.failures import Transient
from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import (
    AWS_PHONE,
    AWS_WABA,
    EUM_PHONE,
    EUM_WABA,
    GLOBEX_PHONE,
    WABA,
    Actions,
)
from tests.integration.whatsapp.conftest import PHONE, a_phone
from whatsapp import store
from whatsapp.actions.accounts.numbers import reports

SENDER = {"phoneNumberId": PHONE}
NODE = "/{Version}/{Phone-Number-ID}"
PIN_NAME = f"/parley/local/whatsapp-pins/acme/{PHONE}"
ARN = f"arn:aws:social-messaging:us-east-1:123456789012:phone-number-id/{'0123456789abcdef' * 2}"
AT_AWS: dict[str, Any] = {
    "phoneNumberId": EUM_PHONE,
    "metaWabaId": EUM_WABA,
    "tenantId": "acme-shop",
    "provider": "eum",
    "phoneArn": ARN,
    "awsWabaId": AWS_WABA,
    "displayPhoneNumber": "+1 555 078 3999",
}


def grant_account_on_aws(actions: Actions) -> None:
    """Give the account on AWS to acme, as an operator does: AWS lists the accounts of all companies."""
    account = ids.aws_id(ids.ACCOUNT, AWS_WABA)
    assert claims.claim(actions.log, account, claims.new("acme", Proof.GRANTED))


def stored_pins() -> dict[str, str]:
    found = boto3.client("ssm").get_parameter(Name=PIN_NAME, WithDecryption=True)["Parameter"]
    assert found["Type"] == "SecureString"
    pins_of_number: dict[str, str] = json.loads(found["Value"])
    return pins_of_number


def test_a_number_on_aws_is_registered_and_changed_later(actions: Actions) -> None:
    grant_account_on_aws(actions)
    saved = actions.run("save_phone", {**AT_AWS, "automation": "conversations"}).result

    assert (saved["automation"], saved["enabled"]) == ("conversations", True)
    item = actions.item(f"PHONE#{EUM_PHONE}")
    assert (item["awsPhone"], item["phoneArn"], item["company"]) == (AWS_PHONE, ARN, "acme")
    assert (item["automation"], item["displayPhone"]) == ("conversations", "15550783999")
    changed = actions.run("save_phone", {**AT_AWS, "autoRead": True, "messagesPerSecond": 40})
    assert changed.result["automation"] == "conversations"
    assert (changed.result["autoRead"], changed.result["messagesPerSecond"]) == (True, 40)
    listed = actions.run("list_phones", {"metaWabaId": EUM_WABA}).result["phones"]
    assert [one["phoneNumberId"] for one in listed] == [EUM_PHONE]


def test_one_number_of_an_account_is_the_default_one(actions: Actions) -> None:
    second = {
        "phoneNumberId": "406540352242955",
        "metaWabaId": WABA,
        "tenantId": "acme",
        "provider": "graph",
        "displayPhoneNumber": "15550783555",
        "graphTokenSecret": "acme",
        "isDefault": True,
    }
    actions.list_on_graph("406540352242955", "+1 555-078-3555")
    first = {**second, "phoneNumberId": PHONE, "displayPhoneNumber": "15550783881"}
    actions.run("save_phone", second)
    actions.run("save_phone", first)

    phones = actions.run("list_phones").result["phones"]
    assert {one["phoneNumberId"]: one["isDefault"] for one in phones} == {
        PHONE: True,
        "406540352242955": False,
    }
    texts = {one["displayPhoneNumber"]: one["displayText"] for one in phones}
    assert texts["+15550783555"] == "+1 555-078-3555"


@pytest.mark.parametrize(
    ("change", "status", "fields"),
    [
        ({"phoneArn": None}, 400, ["body"]),
        ({"graphTokenSecret": "globex"}, 400, ["graphTokenSecret"]),
        ({"displayPhoneNumber": "+1555"}, 400, ["displayPhoneNumber"]),
        ({"phoneNumberId": GLOBEX_PHONE}, 400, ["metaWabaId"]),
        ({"metaWabaId": "302290129340398"}, 400, ["metaWabaId"]),
        ({"messagesPerSecond": 1_001}, 400, ["messagesPerSecond"]),
    ],
)
def test_foreign_and_invalid_registrations_are_refused(
    actions: Actions, change: dict[str, Any], status: int, fields: list[str]
) -> None:
    grant_account_on_aws(actions)
    answer = actions.run("save_phone", AT_AWS | change)

    assert (answer.status, answer.fields) == (status, fields)
    assert actions.item(f"PHONE#{GLOBEX_PHONE}")["company"] == "globex"


def test_a_registered_number_keeps_its_account(actions: Actions) -> None:
    answer = actions.run(
        "save_phone",
        {
            "phoneNumberId": PHONE,
            "metaWabaId": "999990129340398",
            "tenantId": "acme",
            "provider": "graph",
            "displayPhoneNumber": "15550783881",
        },
    )

    assert (answer.status, answer.error) == (409, "state_conflict")


def test_synchronisation_adds_new_numbers_disabled_and_keeps_settings(actions: Actions) -> None:
    actions.register(automation="conversations")
    added = actions.run(
        "add_phone_number",
        {
            "metaWabaId": WABA,
            "phoneNumber": "5550783123",
            "countryCode": "1",
            "verifiedName": "Acme",
        },
    ).result["phoneNumberId"]
    assert wire.problems(actions.wire[-1], "POST", "/{Version}/{WABA-ID}/phone_numbers") == []
    assert actions.item(f"PHONE#{added}")["enabled"] is False
    actions.sandbox.objects["added number"]["777770352242955"] = {
        "id": "777770352242955", "display_phone_number": "+1 555-078-3777", "waba": WABA,
    }  # fmt: skip
    synced = actions.run("sync_phones", {"metaWabaId": WABA}).result

    assert synced["added"] == ["777770352242955"]
    assert synced["unchanged"] == [PHONE, added]
    assert wire.problems(actions.wire[-1], "GET", "/{Version}/{WABA-ID}/phone_numbers") == []
    new = actions.item("PHONE#777770352242955")
    assert (new["enabled"], new["displayPhone"], new["tokenRef"]) == (False, "15550783777", "acme")
    assert actions.item(f"PHONE#{PHONE}")["automation"] == "conversations"
    assert actions.item(f"QUALITY#{PHONE}")["qualityRating"] == "GREEN"


def test_synchronisation_reads_accounts_on_aws(actions: Actions) -> None:
    actions.register_eum(display_phone="15550783000")
    synced = actions.run("sync_phones", {"metaWabaId": EUM_WABA}).result

    assert synced["changed"] == [EUM_PHONE]
    assert actions.item(f"PHONE#{EUM_PHONE}")["displayPhone"] == "15550783999"
    assert [sent.operation for sent in actions.wire] == ["GetLinkedWhatsAppBusinessAccount"]


def test_synchronisation_completes_a_number_that_lacks_its_ids_at_aws(actions: Actions) -> None:
    actions.register_eum(aws_phone=None)
    other = "105550000000009"
    actions.register_eum(
        pk=f"PHONE#{other}", phone=other, phone_arn=f"arn:parley:whatsapp:::phone-number-id/{other}",
        aws_phone=f"phone-number-id-{'9' * 32}", display_phone="15550783009",
    )  # fmt: skip
    of_account = {"metaWabaId": EUM_WABA}
    for action in ("list_flows", "eum_list_templates", "get_event_destinations"):
        assert actions.run(action, of_account).status == 200, action
    synced = actions.run("sync_phones", of_account)

    assert synced.status == 200, synced.body
    assert actions.item(f"PHONE#{EUM_PHONE}").get("awsPhone"), synced.result


def test_a_number_whose_report_is_not_stored_is_listed_as_failed_only(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    def contended(*_: object) -> None:
        raise Transient("phone_contended")

    monkeypatch.setattr(reports, "keep", contended)
    actions.list_on_graph("777770352242953", "+1 555-078-3773")
    synced = actions.run("sync_phones", {"metaWabaId": WABA}).result

    assert (synced["added"], synced["unchanged"]) == ([], [])
    assert {one["phoneNumberId"] for one in synced["failed"]} == {PHONE, "777770352242953"}


@pytest.mark.parametrize("is_named", [False, True])
def test_a_number_that_cannot_be_registered_does_not_stop_the_others(
    actions: Actions, is_named: bool
) -> None:
    taken, nameless, new = "777770352242951", "777770352242952", "777770352242953"
    unreadable, no_digits = "777770352242954", "+٤٤٧٧٠٠٩٠٠" if is_named else "N/A"
    foreign = a_phone(
        pk=f"PHONE#{taken}",
        phone=taken,
        display_phone="15550783771",
        company="globex",
        waba_meta_id="5" * 15,
    )
    actions.grant(foreign)
    store.phones.register_unlisted(actions.harness.resources.table, foreign)
    listed = {taken: "+1 555-078-3771", nameless: "", unreadable: no_digits, new: "+1 555-078-3773"}
    for phone, display in listed.items():
        actions.list_on_graph(phone, display)
    actions.register_eum(aws_waba=None)
    given = {"metaWabaId": WABA} if is_named else {}
    synced = actions.run("sync_phones", given).result
    failed = {
        one.get("phoneNumberId", one["metaWabaId"]): one["reason"] for one in synced["failed"]
    }

    assert (synced["added"], synced["unchanged"]) == ([new], [PHONE])
    assert failed.keys() == {taken, nameless, unreadable} | (set() if is_named else {EUM_WABA})
    assert failed[nameless] == "the provider lists it without display_phone_number"


@pytest.mark.parametrize(
    ("action", "given"),
    [
        ("sync_phones", {}),
        ("get_event_destinations", {}),
        ("list_flows", {}),
        ("eum_list_templates", {}),
        ("create_event_destination", {"snsTopicArn": "arn:aws:sns:us-east-1:123456789012:social"}),
    ],
)
def test_a_number_without_the_id_of_its_account_at_aws_is_named_as_such(
    actions: Actions, action: str, given: dict[str, str]
) -> None:
    actions.register_eum(aws_waba=None)
    answer = actions.run(action, {"metaWabaId": EUM_WABA, **given})

    assert answer.error == "not_configured"
    assert "awsWabaId" in answer.body["error"]["message"]
    assert actions.wire == []


def test_automation_is_switched(actions: Actions) -> None:
    switched = actions.run("set_phone_automation", {**SENDER, "automation": "conversations"})
    assert switched.result["automation"] == "conversations"
    assert actions.item(f"PHONE#{PHONE}")["automation"] == "conversations"
    actions.run("set_phone_automation", {**SENDER, "automation": "off"})
    assert actions.item(f"PHONE#{PHONE}")["automation"] == "none"


def test_a_number_is_verified_and_registered_with_a_pin_that_nobody_sees(actions: Actions) -> None:
    asked = {**SENDER, "codeMethod": "SMS", "language": "en_US"}
    assert actions.run("request_verification_code", asked).result == {"done": True}
    assert wire.problems(actions.wire[-1], "POST", f"{NODE}/request_code") == []
    assert actions.run("verify_phone_code", {**SENDER, "code": "123456"}).result == {"done": True}
    assert wire.problems(actions.wire[-1], "POST", f"{NODE}/verify_code") == []
    registered = actions.run("register_phone", {**SENDER, "dataLocalizationRegion": "IN"})
    assert registered.result == {"done": True}
    assert wire.problems(actions.wire[-1], "POST", f"{NODE}/register") == []
    sent: Any = actions.wire[-1].body
    assert stored_pins() == {"pin": sent["pin"]}
    again = actions.run("register_phone", SENDER)
    resent: Any = actions.wire[-1].body
    assert (again.status, resent["pin"]) == (200, sent["pin"])


def test_a_pin_is_rotated_and_stored_before_the_provider_gets_it(actions: Actions) -> None:
    actions.run("register_phone", SENDER)
    old = stored_pins()["pin"]
    actions.sandbox.faults.add(
        provider="meta", operation="update_number", kind="status", status=500, times=3
    )
    failed = actions.run("set_two_step_pin", {**SENDER, "rotate": True})
    assert (failed.status, failed.error) == (503, "provider_unavailable")
    proposed = stored_pins()
    assert proposed["pin"] == old
    assert actions.run("set_two_step_pin", {**SENDER, "rotate": True}).result == {"done": True}
    assert stored_pins() == {"pin": proposed["next"]}
    assert wire.problems(actions.wire[-1], "POST", NODE) == []


def test_a_deregistered_number_is_disabled(actions: Actions) -> None:
    assert actions.run("deregister_phone", SENDER).status == 400
    assert actions.run("deregister_phone", {**SENDER, "confirm": True}).result == {"done": True}
    assert wire.problems(actions.wire[-1], "POST", f"{NODE}/deregister") == []
    assert actions.item(f"PHONE#{PHONE}")["enabled"] is False
    assert actions.run("get_throughput_limits", SENDER).status == 404
    assert actions.run("get_phone_health", SENDER).status == 200


def test_health_and_limits_are_the_providers(actions: Actions) -> None:
    health = actions.run("get_phone_health", SENDER).result
    assert wire.problems(actions.wire[-1], "GET", NODE) == []
    limits = actions.run("get_messaging_limits", SENDER).result

    assert health["healthStatus"]["can_send_message"] == "AVAILABLE"
    assert limits == {"messagingLimit": "TIER_1K"}
    assert actions.item(f"PHONE#{PHONE}")["messagingLimit"] == "TIER_1K"


@pytest.mark.parametrize(
    ("action", "body", "field"),
    [
        ("request_verification_code", {"codeMethod": "FAX", "language": "en_US"}, "codeMethod"),
        ("request_verification_code", {"codeMethod": "SMS", "language": "en"}, "language"),
        ("verify_phone_code", {"code": "12345"}, "code"),
        ("set_two_step_pin", {"rotate": False}, "rotate"),
    ],
)
def test_invalid_parameters_are_named(
    actions: Actions, action: str, body: dict[str, Any], field: str
) -> None:
    answer = actions.run(action, SENDER | body)

    assert (answer.status, answer.fields) == (400, [field])
    assert actions.wire == []


def test_a_pin_is_never_a_parameter(actions: Actions) -> None:
    answer = actions.run("set_two_step_pin", {**SENDER, "rotate": True, "pin": "123456"})

    assert (answer.status, answer.error) == (400, "secret_not_accepted")


def test_a_number_without_access_to_graph_is_not_configured(actions: Actions) -> None:
    actions.register_eum(token_ref=None)
    answer = actions.run("get_phone_health", {"phoneNumberId": EUM_PHONE})

    assert (answer.status, answer.error) == (409, "not_configured")
