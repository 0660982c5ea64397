"""Dead letters and health over the admin API."""

from __future__ import annotations

from io import StringIO

import boto3
import pytest

from tests.integration.richpanel.admin.conftest import HEALTH, HOST, LETTERS, READER, REDRIVE, Admin
from tests.integration.richpanel.harness import PATH

# Dead letters


def put_dead_letter(admin: Admin, *bodies: str) -> None:
    for number, body in enumerate(bodies):
        admin.module.deps.queues.mail.client.send_message(
            QueueUrl=admin.module.settings.richpanel_dead_letters_url,
            MessageBody=body,
            MessageGroupId=f"group-{number}",
            MessageDeduplicationId=f"dead-{number}",
        )


def test_dead_letters_are_redriven_to_their_original_lane(admin: Admin, log: StringIO) -> None:
    mail = admin.harness.event("t-1")
    chat = admin.harness.event("t-2", channel="livechat")
    put_dead_letter(admin, mail, chat, "no event")

    shown = admin.call(f"GET {LETTERS}", HOST).result["letters"]
    assert [one["kind"] for one in shown] == ["webhook", "webhook", "unreadable"]

    answer = admin.call(f"POST {REDRIVE}", HOST)

    assert answer.status == 202
    letters = answer.result["letters"]
    assert [one.get("correlationId") for one in letters] == ["t-1", "t-2", None]
    assert answer.result["waiting"] == {"richpanel": 0}
    traces = [one for one in admin.traces() if one["change"] == "redrive"]
    assert {one["letter"] for one in traces} == {one["id"] for one in letters}
    assert {one["who"] for one in traces} == {HOST.principal}
    queue = admin.module.deps.queues.mail.client.receive_message
    mails = queue(QueueUrl=admin.module.settings.richpanel_queue_url, MaxNumberOfMessages=10)[
        "Messages"
    ]
    assert sorted(message["Body"] for message in mails) == sorted([mail, "no event"])
    (chats,) = queue(QueueUrl=admin.module.settings.richpanel_live_queue_url)["Messages"]
    assert chats["Body"] == chat
    assert log.getvalue().count('"message":"dead letter redriven"') == 3


def test_a_redrive_stops_at_its_limit_or_when_its_time_runs_out(
    admin: Admin,
) -> None:
    put_dead_letter(admin, *(admin.harness.event(f"t-{number}") for number in range(4)))

    assert len(admin.call(f"POST {REDRIVE}", HOST, body={"limit": 2}).result["letters"]) == 2
    admin.left_ms = 3_000
    assert len(admin.call(f"POST {REDRIVE}", HOST).result["letters"]) == 1


# Health


def test_the_health_is_ok_when_all_dependencies_answer(admin: Admin) -> None:
    result = admin.call(f"GET {HEALTH}", READER).result

    assert result["healthy"] is True
    assert result["checks"] == {
        "idempotency_table": "ok", "conversation_state_table": "ok", "audit_actions_table": "ok",
        "mail_queue": "ok", "live_queue": "ok", "dead_letters": "ok", "keys": "ok",
        "switches": "ok", "help_desk": "ok", "shop": "ok", "account": "ok",
    }  # fmt: skip
    assert result["waiting"] == {"mail_queue": 0, "live_queue": 0, "dead_letters": 0}
    assert result["keys"]["richpanel"] is True
    assert result["keys"]["shipstation_key"] is False
    assert result["shop_scopes"] == ["read_all_orders", "read_orders"]


@pytest.mark.parametrize(
    ("keys", "scopes", "code", "shown"),
    [
        ({"shopify": "t"}, ["read_orders"], "ok", ["read_orders"]),
        ({"shopify": "t"}, ["read_products"], "scope_missing: read_orders", []),
        ({}, ["read_orders"], "not_set_up", None),
        (
            {"shopify": "t", "shopify_client_id": "i", "shopify_client_secret": "s"},
            ["read_orders"],
            "shopify_static_token_and_client_credentials",
            None,
        ),
        (
            {"shopify_client_id": "client-1", "shopify_client_secret": "client-secret-1"},
            ["read_all_orders", "read_orders"],
            "ok",
            ["read_all_orders", "read_orders"],
        ),
    ],
)
def test_the_health_names_the_scopes_of_the_shop_or_why_there_are_none(
    admin: Admin,
    monkeypatch: pytest.MonkeyPatch,
    *,
    keys: dict[str, str],
    scopes: list[str],
    code: str,
    shown: list[str] | None,
) -> None:
    known = {"richpanel": "a-key", "salt": "s", **keys}
    monkeypatch.setattr(admin.module.deps.keys, "value", lambda: known)
    admin.harness.sandbox.shop.scopes = scopes

    result = admin.call(f"GET {HEALTH}", READER).result

    assert (result["checks"]["shop"], result["shop_scopes"]) == (code, shown)
    assert result["healthy"] is (code == "ok")


def test_a_dependency_that_does_not_answer_is_named_with_a_code(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    boto3.client("dynamodb").delete_table(TableName=admin.module.deps.audit.name)
    boto3.client("sqs").delete_queue(QueueUrl=admin.module.settings.richpanel_live_queue_url)
    for name in admin.stored():
        boto3.client("ssm").delete_parameter(Name=f"{PATH}/{name}")
    monkeypatch.setattr(
        admin.module.deps.keys, "value", lambda: {"salt": "s", "richpanel": "\N{SNOWMAN}"}
    )

    result = admin.call(f"GET {HEALTH}").result

    assert result["healthy"] is False
    checks = result["checks"]
    assert checks["idempotency_table"] == "ok"
    assert checks["audit_actions_table"] == "Query: ResourceNotFoundException"
    assert checks["live_queue"].startswith("GetQueueAttributes: ")
    assert checks["switches"] == "unreadable"
    assert checks["help_desk"] != "ok"
    assert "live_queue" not in result["waiting"]


def test_a_help_desk_without_a_key_is_reported_as_not_configured(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admin.module.deps.keys, "value", lambda: {"salt": "s"})

    checks = admin.call(f"GET {HEALTH}").result["checks"]

    assert (checks["keys"], checks["help_desk"]) == ("not_set_up", "not_set_up")
    assert admin.replay("dry_run").error == "not_set_up"
