"""Roles of the functions: each has the grants that its calls need, and no others."""

from typing import Any

import pytest

from conversations.store.items.parts.trial import Trial
from shared.inbox.reports.items import OutcomeDay
from tests.cases import each
from tests.roles import as_list, role_of, statements
from tests.template import environment, exists, properties, resolved, template
from tests.unit.template.access.grants import FUNCTIONS, resource_policies
from whatsapp.jobs import canary

# These operations support no resource.
WITHOUT_RESOURCES = {
    "lambda:GetAccountSettings",
    "lambda:ListEventSourceMappings",
    "social-messaging:ListLinkedWhatsAppBusinessAccounts",
    "ses:GetAccount",
    "ses:ListEmailIdentities",
    "cloudwatch:DescribeAlarms",  # by prefix
    "cloudwatch:GetMetricData",
    "logs:GetQueryResults",
}


def statements_of(function: str) -> list[dict[str, Any]]:
    """The AWS permissions of a function, without permissions for traces, which all have."""
    return [s for s in statements(role_of(function)) if s["Sid"] != "WriteTraces"]


@each("function", FUNCTIONS)
def test_a_function_has_a_role_of_its_own_and_no_policy_of_others(function: str) -> None:
    """SAM's own roles bring AWS-managed policies, which open every queue and log group of the account."""
    role = properties(role_of(function))

    assert role_of(function) == f"{function}Role"
    assert "Policies" not in properties(function)
    # Our own policy, which lets Lambda and X-Ray's SDK write traces: `test_functions_may_write_traces_and_read_none`.
    assert role["ManagedPolicyArns"] == ["WriteTraces"]


@each("function", FUNCTIONS)
def test_a_grant_names_its_purpose_its_actions_and_its_resources(function: str) -> None:
    for statement in statements_of(function):
        assert statement["Effect"] == "Allow"
        assert statement["Sid"]
        assert not [action for action in as_list(statement["Action"]) if "*" in action]
        if set(as_list(statement["Action"])) <= WITHOUT_RESOURCES:
            assert statement["Resource"] == "*"
            continue
        for resource in as_list(statement["Resource"]):
            assert resource.startswith("arn:aws:")
            # A prefix of a bucket, the streams of one log group, the numbers of this account: only the end is open,
            # and the company whose index of documents it is.
            assert "*" not in resource[:-1].replace("/corpus/*/_index/", "/")


def test_functions_may_write_traces_and_read_none() -> None:
    (statement,) = properties("WriteTraces")["PolicyDocument"]["Statement"]

    assert statement["Action"] == ["xray:PutTelemetryRecords", "xray:PutTraceSegments"]
    assert (statement["Effect"], statement["Resource"]) == ("Allow", "*")


def test_one_parameter_turns_tracing_off_everywhere() -> None:
    def traced(**given: str) -> tuple[Any, ...]:
        return (
            resolved(template()["Globals"]["Function"]["Tracing"], **given),
            environment("WhatsAppWorker", **given)["POWERTOOLS_TRACE_DISABLED"],
            properties("ParleyApi", **given)["TracingEnabled"],
            exists("WriteTraces", **given),
            properties("WhatsAppWorkerRole", **given)["ManagedPolicyArns"],
        )

    assert traced() == ("PassThrough", "false", True, True, ["WriteTraces"])
    assert traced(Tracing="Active") == ("Active", "false", True, True, ["WriteTraces"])
    assert traced(Tracing="PassThrough") == ("PassThrough", "true", False, False, [])


def test_ingress_roles_may_only_enqueue_events_and_read_the_app_secrets() -> None:
    queue = resolved({"Fn::GetAtt": "WhatsAppQueue.Arn"})
    claims = resolved({"Fn::Sub": "${MediaBucket.Arn}/claims/*"})
    expected = {("sqs:SendMessage", queue), ("s3:PutObject", claims)}

    def granted(function: str) -> set[tuple[str, str]]:
        return {
            (action, resource)
            for statement in statements_of(function)
            for action in as_list(statement["Action"])
            for resource in as_list(statement["Resource"])
            if not action.startswith("logs:")
        }

    secrets = resolved({"Fn::GetAtt": "WhatsAppAppSecrets.Id"})
    dead_letters = resolved({"Fn::GetAtt": "WhatsAppSocialDeadLetters.Arn"})
    canary = resolved({"Fn::GetAtt": "WhatsAppCanarySecret.Id"})
    read = "secretsmanager:GetSecretValue"
    assert granted("WhatsAppWebhook") == expected | {(read, secrets), (read, canary)}
    assert granted("WhatsAppSocial") == expected | {("sqs:SendMessage", dead_letters)}


def test_the_help_desks_ingress_role_may_only_enqueue_events_and_read_its_secret() -> None:
    granted = {
        (action, resource)
        for statement in statements_of("RichpanelWebhook")
        for action in as_list(statement["Action"])
        for resource in as_list(statement["Resource"])
        if not action.startswith("logs:")
    }

    assert granted == {
        ("sqs:SendMessage", resolved({"Fn::GetAtt": "RichpanelQueue.Arn"})),
        ("sqs:SendMessage", resolved({"Fn::GetAtt": "RichpanelLiveQueue.Arn"})),
        ("secretsmanager:GetSecretValue", resolved({"Fn::GetAtt": "RichpanelWebhookSecret.Id"})),
    }


@each("function", FUNCTIONS)
def test_no_role_scans_or_deletes_a_table(function: str) -> None:
    actions = {action for s in statements_of(function) for action in as_list(s["Action"])}

    # It also permits deletes: only functions have it that write the tags of a ticket in one call, the log of a
    # conversation that another system started, or the products of a catalog.
    writers = {"RichpanelWorker", "ConversationsIntake", "WhatsAppActions"}
    batches = set() if function in writers else {"dynamodb:BatchWriteItem"}
    assert not actions & {"dynamodb:Scan", "dynamodb:DeleteTable", *batches}


def test_the_items_of_outcomes_may_be_counted_by_the_feed_and_read_by_reports() -> None:
    def keys_of(function: str, action: str) -> set[str]:
        allowed = [s for s in statements_of(function) if action in as_list(s["Action"])]
        conditions = [s["Condition"] for s in allowed if "Condition" in s]
        return {
            key
            for one in conditions
            for key in one.get("ForAllValues:StringLike", {}).get("dynamodb:LeadingKeys", ())
        }

    begin = OutcomeDay.pk_pattern.partition("{")[0]
    counted = keys_of("ConversationsInboxFeed", "dynamodb:UpdateItem")
    assert {f"{begin}conversations#*", f"{Trial.pk_pattern.partition('{')[0]}*"} <= counted
    assert f"{begin}*" in keys_of("InboxApi", "dynamodb:BatchGetItem")


def test_replay_roles_cannot_read_messages_and_the_inbox_api_cannot_use_queues() -> None:
    items = [s for s in statements_of("WhatsAppAdmin") if "dynamodb:GetItem" in s["Action"]]
    of_agents = statements_of("WhatsAppApi")
    actions = {action for s in of_agents for action in as_list(s["Action"])}
    written = {
        key
        for s in of_agents
        if {"dynamodb:PutItem", "dynamodb:UpdateItem"} & set(as_list(s["Action"]))
        and s["Sid"] != "RecordChanges"  # the audit log is a table of its own
        for key in s["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
    }

    of_people = ["CONV#*", "ALIAS#*", "PHONE#*", "CONFIG#PHONES#*"]  # heads, not messages
    assert [s["Condition"] for s in items] == [
        {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": keys}}
        for keys in (["PRIVACY_SETTINGS#*"], ["WEBHOOK#*"], ["PRIVACY_JOB#*"], of_people)
    ]
    assert not [action for action in actions if action.startswith("sqs:")]
    assert "s3:PutObject" not in actions
    # Agents change conversations, never messages.
    assert written == {"CONV#*", "NOTE#*", "CHANGE#*", "IDEMPOTENCY#*"}


@pytest.mark.parametrize(
    ("function", "prefixes"),
    [
        ("WhatsAppWorker", ["media/*", "content/*", "parked/*", "exports/*", "campaigns/*"]),
        ("WhatsAppJobs", ["media/*", "campaigns/*", "exports/*"]),
        ("WhatsAppActions", ["media/*", "content/*", "exports/*"]),
        ("WhatsAppAdmin", "exports/*"),
    ],
)
def test_a_function_lists_only_its_parts_of_the_bucket(
    function: str, prefixes: str | list[str]
) -> None:
    (listing,) = (s for s in statements_of(function) if s["Action"] == "s3:ListBucket")

    assert listing["Resource"] == resolved({"Fn::GetAtt": "MediaBucket.Arn"})
    assert listing["Condition"] == {"StringLike": {"s3:prefix": prefixes}}


def test_of_the_help_desk_only_the_admin_function_may_set_switches_and_erase() -> None:
    able = {
        (function, action)
        for function in FUNCTIONS
        for statement in statements_of(function)
        for action in as_list(statement["Action"])
        if action in {"ssm:PutParameter", "dynamodb:DeleteItem"} and function.startswith("Rich")
    }

    assert able == {
        ("RichpanelAdmin", "ssm:PutParameter"),
        ("RichpanelAdmin", "dynamodb:DeleteItem"),
    }


def test_the_help_desk_may_read_only_opt_outs_of_conversations() -> None:
    log = resolved({"Fn::GetAtt": "ConversationLogTable.Arn"})
    granted = {
        function: [
            (as_list(statement["Action"]), statement.get("Condition"))
            for statement in statements_of(function)
            if log in as_list(statement["Resource"])
        ]
        for function in FUNCTIONS
        if function.startswith("Richpanel")
    }

    only = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["CONSENT#*"]}}
    assert granted.pop("RichpanelWorker") == [(["dynamodb:BatchGetItem"], only)]
    assert granted.pop("RichpanelAdmin") == [(["dynamodb:BatchGetItem"], only)]
    assert set(map(tuple, granted.values())) == {()}


def test_the_canary_has_access_only_to_its_own_resources() -> None:
    """It can neither read a customer's message nor sign webhooks of a real number."""
    table, secret = (
        resolved({"Fn::GetAtt": name}) for name in ("WhatsAppTable.Arn", "WhatsAppCanarySecret.Id")
    )
    granted = {
        statement["Action"]: (statement["Resource"], statement.get("Condition"))
        for statement in statements_of("WhatsAppCanary")
        if statement["Sid"] != "WriteOwnLogs"
    }

    assert granted == {
        "dynamodb:GetItem": (
            table,
            {
                "ForAllValues:StringLike": {
                    "dynamodb:LeadingKeys": [canary.PHONE.pk, f"MSG#{canary.MESSAGE_PREFIX}*"]
                }
            },
        ),
        "dynamodb:PutItem": (
            table,
            {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": [canary.PHONE.pk]}},
        ),
        "secretsmanager:GetSecretValue": (secret, None),
    }


def test_without_the_canary_none_of_its_resources_exists() -> None:
    off = {"CanaryEnabled": "false"}
    parts = [name for name in template()["Resources"] if name.startswith("WhatsAppCanary")]

    assert len(parts) == 5
    assert not [name for name in parts if exists(name, **off)]
    assert "WHATSAPP_CANARY_SECRET_ID" not in environment("WhatsAppWebhook", **off)
    assert "Canary" not in str(properties("WhatsAppWebhookRole", **off))
    assert "Canary" not in properties("Dashboard", **off)["DashboardBody"].replace(
        "CanarySuccess", ""
    )


def test_the_emulators_permissions_exist_on_the_emulator_only() -> None:
    for whose in (
        "", "WhatsAppHandOver", "WhatsAppSending", "Richpanel", "EmailThreads", "Conversations",
    ):  # fmt: skip
        permissions = f"{whose}EmulatorPermissions"
        assert exists(permissions, Stage="local")
        assert not exists(permissions, Stage="dev")
        assert not exists(permissions, Stage="prod")


def test_a_service_may_write_only_on_behalf_of_this_account() -> None:
    for statement in resource_policies():
        if statement["Effect"] == "Allow":
            conditions = {name for one in statement["Condition"].values() for name in one}
            assert set(statement["Principal"]) == {"Service"}
            assert conditions
            assert conditions <= {"aws:SourceAccount", "aws:SourceArn"}
