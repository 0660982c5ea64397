"""Payment configurations and tenants: only the provider makes a configuration active."""

from typing import Any

import pytest

from local.sandbox.providers.whatsapp.operations.commerce import payments as provider
from shared.runtime import clock
from tests.integration.whatsapp.actions.conftest import ADA, GLOBEX, WABA, Actions
from tests.integration.whatsapp.actions.payments.conftest import configured
from tests.integration.whatsapp.conftest import NOW, PHONE
from whatsapp.store.accounts.orders import tenants
from whatsapp.store.items.accounts.tenants import Tenant

NAME = {"metaWabaId": WABA, "configurationName": "shop"}
CONFIG = "TENANT#acme:acme#PAYCFG#shop"
TENANT = {
    "tenantId": "bikes", "displayName": "Acme Bikes", "wabaId": WABA, "phoneE164": "+1 555 078 3881", "mcc": "4722",
    "purposeCode": "03",
}  # fmt: skip


def test_a_gateways_configuration_is_created_once_as_pending_with_its_link(
    actions: Actions,
) -> None:
    body = {"metaWabaId": WABA, "provider": "razorpay", "configurationName": "shop", "mcc": "4722", "purposeCode": "03",
            "redirectUrl": "https://shop.example.com/back"}  # fmt: skip
    answer = actions.run("payment_onboarding", body, key="key-config-1")
    again = actions.run("payment_onboarding", body, key="key-config-1")

    assert answer.result["oauthUrl"].startswith("https://www.facebook.com/")
    assert (answer.result["status"], answer.result["gatewaySecret"]) == (
        "pending",
        "gateways.razorpay",
    )
    assert again.result == answer.result
    (sent,) = actions.wire
    assert (sent.path, sent.body) == (
        f"/v23.0/{WABA}/payment_configuration",
        {
            "configuration_name": "shop",
            "provider_name": "razorpay",
            "merchant_category_code": "4722",
            "purpose_code": "03",
            "redirect_url": "https://shop.example.com/back",
        },
    )
    stored = actions.item(CONFIG)
    assert {name: stored[name] for name in (
        "itemType", "company", "tenantId", "configName", "type", "status", "mcc", "purposeCode"
    )} == {
        "itemType": "PAYMENT_CONFIG", "company": "acme", "tenantId": "acme", "configName": "shop", "type": "PG",
        "status": "pending", "mcc": "4722", "purposeCode": "03",
    }  # fmt: skip
    assert not {"credentials", "token", "secret", "oauthUrl"} & stored.keys()
    secret = actions.run("payment_onboarding", body | {"credentials": {}})
    assert (secret.status, secret.error) == (400, "secret_not_accepted")


def test_a_upi_id_is_a_configuration_without_a_link(actions: Actions) -> None:
    body = {**NAME, "mcc": "4722", "purposeCode": "03", "upiId": "shop@icici"}
    answer = actions.run("meta_payment_onboarding", body)

    assert (answer.result["type"], answer.result["status"], "oauthUrl" in answer.result) == (
        "UPI",
        "pending",
        False,
    )
    assert actions.item(CONFIG)["upiId"] == "shop@icici"
    sent: Any = actions.wire[0].body
    assert (sent["provider_name"], sent["merchant_vpa"]) == ("upi_vpa", "shop@icici")
    gateway = {
        **NAME, "configurationName": "pg", "mcc": "4722", "purposeCode": "03", "paymentGateway": "payu",
        "merchantId": "m1",
    }  # fmt: skip
    assert actions.run("meta_payment_onboarding", gateway).status == 200
    assert actions.item("TENANT#acme:acme#PAYCFG#pg")["paymentGatewayMid"] == "m1"
    both = actions.run("meta_payment_onboarding", gateway | {"upiId": "shop@icici"})
    assert both.fields == ["body"]


def test_a_creation_whose_answer_is_lost_is_left_in_doubt_and_not_repeated(
    actions: Actions,
) -> None:
    actions.sandbox.faults.add(
        provider="meta", operation="create_payment_configuration", kind="lost_answer"
    )
    body = {"metaWabaId": WABA, "provider": "razorpay", "configurationName": "shop"}
    answer = actions.run("payment_onboarding", body, key="key-config-1")

    assert (answer.status, answer.result["state"]) == (202, "in_doubt")
    assert actions.run("payment_onboarding", body, key="key-config-1").status in {202, 409}
    assert len(actions.wire) == 1
    assert [one["configName"] for one in listed(actions)] == ["shop"]


def listed(actions: Actions, **more: Any) -> list[dict[str, Any]]:
    answer = actions.run("get_payment_configurations", {"metaWabaId": WABA, **more})
    assert answer.status == 200, answer.body
    found: list[dict[str, Any]] = answer.result["configurations"]
    return found


def test_an_accounts_configurations_are_stored_on_change_only(actions: Actions) -> None:
    provider.configure(actions.sandbox, WABA, "shop")
    upi = {"provider_name": "upi_vpa", "merchant_vpa": "shop@icici", "provider_mid": None}
    provider.configure(actions.sandbox, WABA, "vpa", **upi)

    first = listed(actions)
    before = actions.item(CONFIG)
    assert [(one["configName"], one["type"], one["status"]) for one in first] == [
        ("shop", "PG", "active"),
        ("vpa", "UPI", "active"),
    ]
    assert (before["paymentGatewayMid"], before["mcc"], before["purposeCode"]) == (
        "acc_1",
        "4722",
        "03",
    )
    assert actions.wire[0].path == f"/v23.0/{WABA}/payment_configurations"
    assert (listed(actions), actions.item(CONFIG)) == (first, before)
    assert listed(actions, refresh=False) == first
    actions.sandbox.objects["payment_configurations"].clear()
    assert {one["status"] for one in listed(actions)} == {"inactive"}


@pytest.mark.parametrize(
    ("word", "status"),
    [("Active", "active"), ("Needs_Connecting", "pending"), ("Needs_Testing", "pending"), ("Odd", "pending")],
)  # fmt: skip
def test_only_the_providers_status_makes_a_configuration_active(
    actions: Actions, word: str, status: str
) -> None:
    provider.configure(actions.sandbox, WABA, "shop", status=word)

    answer = actions.run("verify_payment_configuration", NAME)

    assert (answer.result["status"], answer.result["statusRaw"]) == (status, word)
    assert actions.item(CONFIG)["status"] == status
    assert actions.wire[0].path == f"/v23.0/{WABA}/payment_configuration/shop"


def test_an_unknown_configuration_is_the_providers_refusal(actions: Actions) -> None:
    answer = actions.run("verify_payment_configuration", NAME)

    assert (answer.status, answer.error) == (422, "provider_rejected")
    assert actions.item(CONFIG) == {}


def test_a_validation_reports_problems_and_its_time(actions: Actions) -> None:
    configured(actions)
    provider.configure(actions.sandbox, WABA, "shop", status="Needs_Testing", provider_mid=None)
    body = {"tenantId": "acme", "configName": "shop"}

    answer = actions.run("validate_payment_config", body)

    assert answer.result["problems"] == [
        "the provider's status is pending, not active",
        "it has no merchant id of its gateway",
    ]
    assert actions.item(CONFIG)["lastValidatedAt"] == clock.to_text(NOW)
    refused = actions.run(
        "validate_payment_config", body | {"sendTestOrder": True, "testPhone": f"+{ADA}"}
    )
    assert (refused.status, refused.error) == (409, "not_configured")
    assert actions.run("validate_payment_config", body | {"sendTestOrder": True}).fields == ["body"]


def test_a_valid_configuration_can_send_a_test_order(shop: Actions) -> None:
    body = {"tenantId": "acme", "configName": "shop", "sendTestOrder": True, "testPhone": f"+{ADA}"}
    answer = shop.run("validate_payment_config", body)

    assert answer.result["problems"] == []
    assert answer.result["testOrder"]["state"] == "sent"
    sent: Any = shop.wire[-1].body
    parameters = sent["interactive"]["action"]["parameters"]
    assert parameters["total_amount"] == {"value": 100, "offset": 100}
    assert shop.item(f"ORDER#acme:{parameters['reference_id']}")["paymentStatus"] == "pending"


def test_a_new_link_connects_a_known_configuration(shop: Actions) -> None:
    answer = shop.run("get_payment_oauth_link", NAME | {"redirectUrl": "https://shop.example.com"})

    assert answer.result["oauthUrl"].startswith("https://")
    assert (shop.wire[-1].path, shop.wire[-1].body) == (
        f"/v23.0/{WABA}/generate_payment_configuration_oauth_link",
        {"configuration_name": "shop", "redirect_url": "https://shop.example.com"},
    )
    missing = shop.run("get_payment_oauth_link", NAME | {"configurationName": "none"})
    assert missing.status == 404


def test_a_default_is_not_deleted_and_a_deleted_configuration_is_inactive(shop: Actions) -> None:
    shop.run("set_default_payment_configuration", {"tenantId": "acme", "configName": "shop"})
    kept = shop.run("delete_payment_configuration", NAME)
    assert (kept.status, kept.error) == (409, "state_conflict")
    configured(shop, "old")
    provider.configure(shop.sandbox, WABA, "old")

    body = NAME | {"configurationName": "old"}
    assert shop.run("delete_payment_configuration", body).result == {"done": True}
    assert (shop.wire[-1].path, shop.wire[-1].body) == (
        f"/v23.0/{WABA}/payment_configuration",
        {"configuration_name": "old"},
    )
    assert shop.item("TENANT#acme:acme#PAYCFG#old")["status"] == "inactive"
    assert shop.run("delete_payment_configuration", body).status == 200


def test_the_default_of_a_tenant_or_number_must_be_active(actions: Actions) -> None:
    configured(actions, "draft", status="pending")
    configured(actions)
    body = {"tenantId": "acme", "configName": "shop"}

    draft = actions.run("set_default_payment_configuration", body | {"configName": "draft"})
    assert (draft.status, draft.error) == (409, "state_conflict")
    assert actions.run("set_default_payment_configuration", body).status == 200
    assert actions.item("TENANT#acme:acme")["defaultPaymentConfig"] == "shop"
    assert actions.run("set_default_payment_configuration", body | {"phoneNumberId": PHONE}).status == 200  # fmt: skip
    assert actions.item(f"PHONE#{PHONE}")["defaultPaymentConfig"] == "shop"


def test_a_tenant_is_saved_with_all_attributes_and_shown_with_its_numbers(actions: Actions) -> None:
    assert actions.run("save_tenant", TENANT).status == 200
    changed = actions.run("save_tenant", {**TENANT, "displayName": "Bikes", "mcc": None})

    assert changed.status == 200
    stored = actions.item("TENANT#acme:bikes")
    assert stored == {
        "pk": "TENANT#acme:bikes", "itemType": "TENANT", "company": "acme", "tenantId": "bikes", "displayName": "Bikes",
        "wabaId": WABA, "phoneE164": "+15550783881", "mcc": "4722", "purposeCode": "03",
        "createdAt": clock.to_text(NOW),
    }  # fmt: skip
    shown = actions.run("get_tenant", {"tenantId": "bikes"}).result
    assert [one["phoneNumberId"] for one in shown["numbers"]] == [PHONE]


def test_two_companies_may_have_tenants_and_configurations_of_the_same_ids(
    actions: Actions,
) -> None:
    own = {"tenantId": "bikes", "configName": "shop"}
    for company in ("acme", "globex"):
        configured(
            actions, company=company, tenant_id="bikes", payment_gateway_mid=f"mid-{company}"
        )
        tenants.save(
            actions.harness.resources.table,
            Tenant(
                pk=Tenant.of(company, "bikes"), company=company, tenant_id="bikes",
                display_name=company, created_at=clock.to_text(NOW),
            ),
        )  # fmt: skip
    for company, caller in (("acme", None), ("globex", GLOBEX)):
        by: dict[str, Any] = {} if caller is None else {"caller": caller}
        tenant = actions.run("get_tenant", {"tenantId": "bikes"}, **by).result
        config = actions.run("get_payment_configuration", own, **by).result

        assert tenant["displayName"] == company
        assert config["paymentGatewayMid"] == f"mid-{company}"
        assert len(tenant["configurations"]) == 1


def test_configurations_are_shown_although_another_company_has_hundreds_of_the_same_tenant(
    actions: Actions,
) -> None:
    for number in range(120):
        configured(actions, f"a{number:03}", company="globex", tenant_id="bikes")
    configured(actions, "shop", tenant_id="bikes")
    actions.run("save_tenant", TENANT)
    shown = actions.run("get_tenant", {"tenantId": "bikes"}).result["configurations"]

    assert [one["configName"] for one in shown] == ["shop"]


def test_a_tenant_and_a_configuration_of_an_earlier_release_keep_their_keys(
    actions: Actions,
) -> None:
    table = actions.harness.resources.table
    table.put({"pk": "TENANT#bikes", "itemType": "TENANT", "company": "acme", "tenantId": "bikes"})
    table.put({
        "pk": "TENANT#bikes#PAYCFG#shop", "itemType": "PAYMENT_CONFIG", "company": "acme", "tenantId": "bikes",
        "configName": "shop", "status": "active",
    })  # fmt: skip
    body = {"tenantId": "bikes", "configName": "shop"}
    assert actions.run("set_default_payment_configuration", body).status == 200
    assert actions.run("save_tenant", TENANT).status == 200

    assert actions.item("TENANT#bikes")["defaultPaymentConfig"] == "shop"
    assert actions.item("TENANT#bikes")["displayName"] == TENANT["displayName"]
    assert actions.item("TENANT#acme:bikes") == {}
    assert actions.run("get_tenant", {"tenantId": "bikes"}, caller=GLOBEX).status == 404


def test_tenants_belong_to_companies(actions: Actions) -> None:
    actions.run("save_tenant", TENANT)
    configured(actions)
    stranger = {**TENANT, "wabaId": "302290129340398", "phoneE164": None}
    assert actions.run("save_tenant", stranger).status == 404
    assert actions.run("save_tenant", TENANT | {"phoneE164": "+15550783777"}).fields == ["phone"]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("get_tenant", {"tenantId": "bikes"}),
        ("list_payment_configurations", {"tenantId": "acme"}),
        ("get_payment_configuration", {"tenantId": "acme", "configName": "shop"}),
        ("set_default_payment_configuration", {"tenantId": "acme", "configName": "shop"}),
        ("validate_payment_config", {"tenantId": "acme", "configName": "shop"}),
        ("seed_payment_configs", {"tenantId": "bikes"}),
        ("get_payment_configurations", {"metaWabaId": WABA}),
        ("verify_payment_configuration", NAME),
        ("delete_payment_configuration", NAME),
        ("get_payment_oauth_link", NAME),
        ("payment_onboarding", {**NAME, "provider": "payu"}),
        ("meta_payment_onboarding", {**NAME, "upiId": "shop@icici", "mcc": "4722", "purposeCode": "03"}),
    ]  # fmt: skip
    assert {
        name for name, body in calls if actions.run(name, body, caller=GLOBEX).status != 404
    } == set()


def test_configurations_of_a_tenant_are_listed_page_by_page(actions: Actions) -> None:
    for number in range(3):
        configured(actions, f"c{number}")

    first = actions.run("list_payment_configurations", {"tenantId": "acme", "limit": 2})
    second = actions.run(
        "list_payment_configurations",
        {"tenantId": "acme", "limit": 2, "cursor": first.body["cursor"]},
    )
    names = [one["configName"] for page in (first, second) for one in page.result["configurations"]]
    assert sorted(names) == ["c0", "c1", "c2"]
    one = actions.run("get_payment_configuration", {"tenantId": "acme", "configName": "c1"})
    assert one.result["status"] == "active"


def test_seeding_stores_the_providers_configurations_and_a_missing_default(
    actions: Actions,
) -> None:
    actions.run("save_tenant", TENANT)
    provider.configure(actions.sandbox, WABA, "draft", status="Needs_Testing")
    provider.configure(actions.sandbox, WABA, "shop")

    answer = actions.run("seed_payment_configs", {})
    named = actions.run("seed_payment_configs", {"tenantId": "bikes"})

    assert [one["configName"] for one in answer.result["configurations"]] == ["draft", "shop"]
    assert actions.item("TENANT#acme:acme")["defaultPaymentConfig"] == "shop"
    assert {one["tenantId"] for one in named.result["configurations"]} == {"bikes"}
    assert actions.item("TENANT#acme:bikes")["defaultPaymentConfig"] == "shop"
    assert actions.item("TENANT#acme:bikes#PAYCFG#shop")["status"] == "active"


def test_without_access_to_graph_nothing_is_claimed(actions: Actions) -> None:
    actions.register(token_ref=None)

    answer = actions.run("get_payment_configurations", {"metaWabaId": WABA})

    assert (answer.status, answer.error) == (409, "not_configured")
