"""`python -m operations doctor`: missing parts of a deployment, and the next step."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import boto3
import pytest

from events.conversations import sample_data
from operations.doctor import cli
from operations.doctor.deployment import describe
from tests.integration.operations.doctor import deployed
from tests.integration.operations.doctor.connections import (
    ACCOUNT_AT_AWS,
    INBOX,
    PHONE,
    PROJECTS,
    connect,
    deny,
    table,
)
from tests.integration.operations.doctor.deployed import STACK, Webhooks, keep
from whatsapp import store


def test_a_new_deployment_needs_its_first_connection(examine: Callable[[], Any]) -> None:
    code, rows, steps = examine()

    assert code == 1
    assert [row[:2] for row in rows] == [("action needed", "connections")]
    assert steps == "1. connect a provider: docs/connect\n"


def test_a_complete_deployment_needs_nothing(examine: Callable[[], Any]) -> None:
    connect()

    assert examine() == (0, [], "")


def test_a_number_without_its_secrets_names_the_commands_that_add_them(
    examine: Callable[[], Any],
) -> None:
    store.phones.register(table(INBOX), PHONE)

    code, rows, steps = examine()

    assert code == 1
    assert {row[1] for row in rows} == {"numbers"}
    assert "secrets set whatsapp-apps apps.1029384756 --stack parley-dev" in steps
    assert "secrets set whatsapp-access-tokens acme --stack parley-dev" in steps


@pytest.mark.parametrize("missing", ["aws_waba", "aws_phone"])
def test_a_number_on_aws_without_its_ids_there_needs_action(
    examine: Callable[[], Any], missing: str
) -> None:
    connect()
    ids = {"aws_waba": "waba-1", "aws_phone": "phone-number-id-1", missing: None}
    on_aws = {"provider": "eum", "app_id": None, "token_ref": None, **ids}
    store.phones.register(table(INBOX), PHONE.model_copy(update=on_aws))

    _, rows, steps = examine()

    assert any("has no AWS id of its number or its account" in row[2] for row in rows)
    assert "--aws-waba" in steps


@pytest.mark.parametrize("topics", [[], ["arn:aws:sns:us-east-1:123456789012:other"], None])
def test_an_account_at_aws_whose_events_go_elsewhere_needs_action(
    examine: Callable[[], Any], monkeypatch: pytest.MonkeyPatch, topics: list[str] | None
) -> None:
    connect()
    ours = describe(STACK, "", None).output("WhatsAppSocialTopicArn")
    named = [{"eventDestinationArn": topic} for topic in ([ours] if topics is None else topics)]
    monkeypatch.setitem(ACCOUNT_AT_AWS, "eventDestinations", named)
    ids = {"aws_waba": "waba-1", "aws_phone": "phone-number-id-1"}
    on_aws = {"provider": "eum", "app_id": None, "token_ref": None, **ids}
    store.phones.register(table(INBOX), PHONE.model_copy(update=on_aws))

    code, rows, steps = examine()

    assert (code, {row[1] for row in rows}) == (
        (0, set()) if topics is None else (1, {"event destinations"})
    )
    assert topics is None or f"set the event destination of waba-1 to {ours}" in steps


def test_a_disabled_number_and_one_that_is_listed_only_need_action(
    examine: Callable[[], Any],
) -> None:
    connect()
    inbox = table(INBOX)
    store.phones.set_enabled(inbox, PHONE.phone, enabled=False)
    other = PHONE.model_copy(update={"phone": "206540352242933", "phone_arn": "arn:other"})
    store.phones._enter(inbox, other)

    _, rows, _ = examine()

    assert ["is disabled" in rows[0][2], "not stored" in rows[1][2]] == [True, True]


def test_a_project_whose_secret_is_missing_and_whose_sending_is_off_needs_action(
    examine: Callable[[], Any],
) -> None:
    table(PROJECTS).put(sample_data.project())

    code, rows, steps = examine()

    assert code == 1
    assert {row[1] for row in rows} == {"projects", "switches: conversations"}
    assert "secrets set company twilio_account_sid" in steps
    assert "--name /parley/dev/conversations/safe_mode --value false" in steps


def test_an_empty_secret_a_missing_one_and_an_invalid_switch_are_named(
    examine: Callable[[], Any],
) -> None:
    connect()
    keep("api-seal", {})
    boto3.client("secretsmanager").delete_secret(
        SecretId="parley-dev-identifier-keys", ForceDeleteWithoutRecovery=True
    )
    boto3.client("ssm").put_parameter(
        Name="/parley/dev/richpanel/dry_run", Value="maybe", Overwrite=True
    )

    _, rows, steps = examine()

    assert [row[1] for row in rows] == ["secrets", "secrets", "switches: help desk"]
    assert "secrets set api-seal seal_key" in steps
    assert "identifier-keys does not exist" in rows[1][2]
    assert "dry_run" in rows[2][2]


def test_a_webhook_that_accepts_unsigned_requests_or_fails_the_handshake_needs_action(
    examine: Callable[[], Any], webhooks: Webhooks
) -> None:
    connect()
    webhooks.verify_token = "another"
    webhooks.unsigned |= {"twilio": 200, "richpanel": 503}

    _, rows, _ = examine()

    results = " ".join(row[2] for row in rows)
    assert "handshake answered with 403" in results
    assert "unsigned request answered with 200" in results
    assert "unsigned request answered with 503" in results
    assert deployed.TOKEN not in results


def test_a_webhook_without_an_answer_is_not_checkable(
    examine: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    connect()

    def unreachable(*given: Any) -> Any:
        return replace(describe(*given), api_url="http://127.0.0.1:1")

    monkeypatch.setattr(cli, "describe", unreachable)

    code, rows, _ = examine()

    assert code == 1
    assert {row[:2] for row in rows} == {("not checkable", "webhooks")}
    assert all("no answer (no_connection)" in row[2] for row in rows)


def test_a_service_that_the_emulator_lacks_is_not_checkable_and_needs_no_step(
    examine: Callable[[], Any], webhooks: Webhooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect()

    def local(stack: str, target: str, _: None) -> Any:
        return describe(stack, target, webhooks.url)

    monkeypatch.setattr(cli, "describe", local)

    code, rows, steps = examine()

    assert (code, steps) == (0, "")
    unchecked = {"concurrency", "tables", "alarms", "receipt rules", "access log"}
    assert {row[:2] for row in rows} == {("not checkable", check) for check in unchecked}


def test_checks_without_a_permission_are_not_checkable_and_the_others_run(
    examine: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    connect()
    deny(monkeypatch, "GetSecretValue", "GetQueueAttributes", "ListSubscriptionsByTopic")

    code, rows, steps = examine()

    assert code == 1
    assert {row[0] for row in rows} == {"not checkable"}
    assert "AccessDeniedException (GetQueueAttributes)" in rows[-2][2]
    assert {"secrets", "dead letters", "alarms"} <= {row[1] for row in rows}
    assert "tables" not in {row[1] for row in rows}
    assert "allow ListSubscriptionsByTopic" in steps


@pytest.mark.parametrize(
    ("stored", "missing"),
    [
        ({}, "shopify "),
        ({"shopify_client_id": "i"}, "shopify_client_secret"),
        ({"shopify_client_secret": "s"}, "shopify_client_id"),
    ],
)
def test_a_shop_without_its_keys_needs_action(
    examine: Callable[[], Any],
    monkeypatch: pytest.MonkeyPatch,
    stored: dict[str, str],
    missing: str,
) -> None:
    connect()
    monkeypatch.setitem(deployed.PARAMETERS, "ShopifyUrl", "https://shop.example")
    keep("richpanel-keys", {"salt": "x", **stored})

    _, rows, steps = examine()

    assert [row[1] for row in rows] == ["secrets"]
    assert f"secrets set richpanel-keys {missing}" in steps
