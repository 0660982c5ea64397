"""template.yaml: roles permit no more than their functions need, and only required routes have no authorizer."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from shared.api.errors import error_body
from tests.template import (
    environment,
    exists,
    parameters,
    properties,
    resolved,
    resources,
    template,
)
from whatsapp.jobs import canary

FUNCTIONS = sorted(resources("AWS::Serverless::Function"))
SECRETS = sorted(resources("AWS::SecretsManager::Secret"))
POLICY_TYPES = ("AWS::SQS::QueuePolicy", "AWS::SNS::TopicPolicy", "AWS::S3::BucketPolicy")
WEBHOOKS = {
    *(("GET", "/webhooks/whatsapp"), ("POST", "/webhooks/whatsapp")),
    ("POST", "/webhooks/richpanel"),
    *(("POST", "/webhooks/twilio"), ("POST", "/webhooks/twilio/status")),
}
# A browser's preflight request has no key: no header, body or table is read.
PREFLIGHTS = {("OPTIONS", "/initiate-conversation")}
OPEN_SECRET_NAMES = ("SECRET", "TOKEN", "PASSWORD", "CREDENTIAL")


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def grants_of(policies: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for policy in policies:
        yield from policy["PolicyDocument"]["Statement"]


def role_of(function: str) -> str:
    """Logical id of the role that a function runs under."""
    (role,) = (
        name
        for name in resources("AWS::IAM::Role")
        if resolved({"Fn::GetAtt": f"{name}.Arn"}) == properties(function)["Role"]
    )
    return role


def statements_of(function: str) -> list[dict[str, Any]]:
    """The AWS permissions of a function."""
    return list(grants_of(properties(role_of(function))["Policies"]))


def resource_policies(**given: str) -> Iterator[dict[str, Any]]:
    """The statements of the policies of queues, topics and buckets."""
    for kind in POLICY_TYPES:
        for name in resources(kind):
            if exists(name, **given):
                yield from properties(name, **given)["PolicyDocument"]["Statement"]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_has_a_role_of_its_own_and_no_policy_of_others(function: str) -> None:
    """SAM's own roles bring AWS-managed policies, which open every queue and log group of the account."""
    role = properties(role_of(function))

    assert role_of(function) == f"{function}Role"
    assert "Policies" not in properties(function)
    # Our own policy, which lets Lambda and X-Ray's SDK write traces: `test_functions_may_write_traces_and_read_none`.
    assert role["ManagedPolicyArns"] == ["WriteTraces"]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_grant_names_its_purpose_its_actions_and_its_resources(function: str) -> None:
    for statement in statements_of(function):
        assert statement["Effect"] == "Allow"
        assert statement["Sid"]
        assert not [action for action in as_list(statement["Action"]) if "*" in action]
        for resource in as_list(statement["Resource"]):
            assert resource.startswith("arn:aws:")
            # A prefix of a bucket, the streams of one log group, the numbers of this account: only the end is open.
            assert "*" not in resource[:-1]


def test_functions_may_write_traces_and_read_none() -> None:
    (statement,) = grants_of([properties("WriteTraces")])

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

    assert traced() == ("Active", "false", True, True, ["WriteTraces"])
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


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_role_scans_or_deletes_a_table(function: str) -> None:
    actions = {action for s in statements_of(function) for action in as_list(s["Action"])}

    # It also permits deletes: only functions have it that write the tags of a ticket in one call, or the log of a
    # conversation that another system started.
    writers = {"RichpanelWorker", "ConversationsIntake"}
    batches = set() if function in writers else {"dynamodb:BatchWriteItem"}
    assert not actions & {"dynamodb:Scan", "dynamodb:DeleteTable", *batches}


def test_replay_roles_cannot_read_messages_and_the_inbox_api_cannot_use_queues() -> None:
    items = [s for s in statements_of("WhatsAppAdmin") if "dynamodb:GetItem" in s["Action"]]
    of_agents = statements_of("WhatsAppApi")
    actions = {action for s in of_agents for action in as_list(s["Action"])}
    written = {
        key
        for s in of_agents
        if {"dynamodb:PutItem", "dynamodb:UpdateItem"} & set(as_list(s["Action"]))
        for key in s["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
    }

    assert [s["Condition"] for s in items] == [
        {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": [f"{kind}#*"]}}
        for kind in ("WEBHOOK", "PRIVACY_JOB")
    ]
    assert not [action for action in actions if action.startswith("sqs:")]
    assert "s3:PutObject" not in actions
    # Agents change conversations, never messages.
    assert written == {"CONV#*", "NOTE#*", "CHANGE#*", "IDEMPOTENCY#*"}


@pytest.mark.parametrize(
    ("function", "prefixes"),
    [
        ("WhatsAppWorker", ["media/*", "content/*", "parked/*", "exports/*"]),
        ("WhatsAppMedia", "media/*"),
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
    for whose in ("", "WhatsAppHandOver", "WhatsAppSending", "Richpanel", "Conversations"):
        permissions = f"{whose}EmulatorPermissions"
        assert exists(permissions, Stage="local")
        assert not exists(permissions, Stage="dev")
        assert not exists(permissions, Stage="prod")


def test_a_service_may_write_only_on_behalf_of_this_account() -> None:
    for statement in resource_policies():
        if statement["Effect"] == "Allow":
            (condition,) = statement["Condition"].values()
            assert set(statement["Principal"]) == {"Service"}
            assert set(condition) <= {"aws:SourceAccount", "aws:SourceArn"}


@pytest.mark.parametrize("kind", ["AWS::SQS::Queue", "AWS::SNS::Topic", "AWS::S3::Bucket"])
def test_queues_topics_and_buckets_refuse_plain_http_on_aws(kind: str) -> None:
    """Not on the local stack, which has no TLS."""
    closed = {
        resource
        for statement in resource_policies()
        if statement["Effect"] == "Deny"
        and statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
        for resource in as_list(statement["Resource"])
    }

    arns = {resolved({"Fn::GetAtt": f"{name}.Arn"}) for name in resources(kind)}
    assert arns <= closed
    assert [s for s in resource_policies(Stage="local") if s["Effect"] == "Deny"] == []


def test_the_media_bucket_is_private_encrypted_and_expires_waiting_objects() -> None:
    bucket = properties("MediaBucket")
    (encryption,) = bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    days = {
        rule["Prefix"]: rule["ExpirationInDays"]
        for rule in bucket["LifecycleConfiguration"]["Rules"]
        if "Prefix" in rule
    }

    assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    assert len(bucket["PublicAccessBlockConfiguration"]) == 4
    assert encryption["ServerSideEncryptionByDefault"]["SSEAlgorithm"] == "AES256"
    # Longer than 14 days in the queue and 14 among the dead letters.
    assert days == {
        "claims/": 30,
        "uploads/": 1,
        "parked/": 30,
        "conversations/parked/": 35,
        "exports/": 7,
    }


def test_files_and_long_texts_expire_with_their_messages() -> None:
    rules = properties("MediaBucket", MessageTtlDays="40")["LifecycleConfiguration"]["Rules"]

    days = {rule["Prefix"]: rule["ExpirationInDays"] for rule in rules if "Prefix" in rule}
    assert (days["media/"], days["content/"]) == ("40", "40")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_variable_holds_a_secret(function: str) -> None:
    """A variable named after a secret contains a reference to it."""
    arns = {resolved({"Fn::GetAtt": f"{secret}.Id"}) for secret in SECRETS}

    for name, value in environment(function).items():
        if any(word in name for word in OPEN_SECRET_NAMES):
            assert value in arns, name


def test_the_template_contains_no_value_of_a_secret() -> None:
    for secret in SECRETS:
        wanted = properties(secret)
        text = wanted.get("SecretString") or wanted["GenerateSecretString"]["SecretStringTemplate"]
        empty: tuple[Any, ...] = ({}, {"apps": {}}, {"active_hmac_keys": []}, {"accounts": {}})
        assert json.loads(text) in empty, secret


def test_verify_token_webhook_token_seal_key_and_identifier_key_are_generated() -> None:
    generated = {name: properties(name).get("GenerateSecretString", {}) for name in SECRETS}

    assert generated["WhatsAppAppSecrets"]["GenerateStringKey"] == "verify_token"
    assert generated["WhatsAppAppSecrets"]["PasswordLength"] >= 32
    assert generated["RichpanelWebhookSecret"]["GenerateStringKey"] == "active_tokens"
    assert generated["RichpanelWebhookSecret"]["PasswordLength"] >= 32
    assert generated["RichpanelKeys"]["GenerateStringKey"] == "salt"
    assert generated["RichpanelKeys"]["PasswordLength"] >= 32
    assert generated["ApiSealSecret"]["GenerateStringKey"] == "seal_key"
    assert generated["ApiSealSecret"]["PasswordLength"] >= 32
    assert generated["IdentifierKeysSecret"]["GenerateStringKey"] == "identifier_key"
    assert generated["IdentifierKeysSecret"]["PasswordLength"] >= 32


def test_only_webhooks_have_no_authorizer_since_they_verify_signatures() -> None:
    routes = {
        (event["Properties"]["Method"], event["Properties"]["Path"]): event["Properties"]
        for function in FUNCTIONS
        for event in properties(function).get("Events", {}).values()
        if event["Type"] == "Api"
    }

    is_open = {r for r, event in routes.items() if event.get("Auth") == {"Authorizer": "NONE"}}
    assert is_open == WEBHOOKS | PREFLIGHTS
    assert {route for route, event in routes.items() if "Auth" not in event} == {
        ("GET", "/whatsapp/openapi.json"),
        ("GET", "/whatsapp/conversations"),
        ("GET", "/whatsapp/conversations/{key}"),
        ("PATCH", "/whatsapp/conversations/{key}"),
        ("POST", "/whatsapp/conversations/{key}/read"),
        ("GET", "/whatsapp/conversations/{key}/messages"),
        ("GET", "/whatsapp/conversations/{key}/notes"),
        ("POST", "/whatsapp/conversations/{key}/notes"),
        ("GET", "/whatsapp/conversations/{key}/changes"),
        ("GET", "/whatsapp/numbers"),
        ("GET", "/whatsapp/analytics"),
        ("POST", "/whatsapp/conversations/{key}/messages"),
        ("POST", "/whatsapp/uploads"),
        ("GET", "/whatsapp/canned-replies"),
        ("PUT", "/whatsapp/canned-replies/{name}"),
        ("DELETE", "/whatsapp/canned-replies/{name}"),
        ("GET", "/whatsapp/sending/openapi.json"),
        *((method, "/whatsapp/{proxy+}") for method in ("GET", "POST")),
        *((method, "/admin/richpanel/{proxy+}") for method in ("GET", "PUT", "POST", "DELETE")),
        *((method, "/richpanel/{proxy+}") for method in ("GET", "POST")),
        ("POST", "/initiate-conversation"),
        ("GET", "/conversations"),
        *((method, "/conversations/{proxy+}") for method in ("GET", "POST")),
        ("GET", "/unmatched"),
        ("POST", "/unmatched/{unmatched_id}/attach"),
        ("POST", "/opt-outs/search"),
        ("POST", "/opt-outs"),
        ("POST", "/opt-ins"),
    }


def test_the_authorizer_checks_every_key_and_the_gateway_refuses_requests_without_one() -> None:
    """A cached response would apply to all routes, and a revoked key would stay valid."""
    auth = properties("ParleyApi")["Auth"]
    authorizer = auth["Authorizers"][auth["DefaultAuthorizer"]]

    # Of a TOKEN authorizer API Gateway checks the header itself, whether or not answers are cached.
    assert authorizer["FunctionPayloadType"] == "TOKEN"
    assert authorizer["FunctionArn"] == resolved({"Fn::GetAtt": "ApiAuthorizer.Arn"}) + ":live"
    identity = authorizer["Identity"]
    assert (identity["Header"], identity["ReauthorizeEvery"]) == ("x-api-key", 0)
    key = "pk_0123456789abcdef_" + "Aa0_-" * 8 + "Zz9"
    assert re.fullmatch(identity["ValidationExpression"], key)
    for other in ("", "x", f"Bearer {key}", f"{key}, {key}", f"{key} ", key[:-1], key.upper()):
        assert not re.fullmatch(identity["ValidationExpression"], other)


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("UNAUTHORIZED", 401),
        ("ACCESS_DENIED", 403),
        ("MISSING_AUTHENTICATION_TOKEN", 404),
        ("THROTTLED", 429),
        ("DEFAULT_5XX", None),
    ],
)
def test_gateway_errors_have_the_same_body_as_all_errors(kind: str, status: int | None) -> None:
    response = properties("ParleyApi")["GatewayResponses"][kind]
    body = json.loads(response["ResponseTemplates"]["application/json"])
    body.pop("error_code", None)  # of POST /initiate-conversation

    assert response.get("StatusCode") == status
    error = body["error"]
    assert body == error_body(
        error["code"], error["message"], "$context.requestId", retryable=error["retryable"]
    )


def throttles() -> dict[tuple[str, str], tuple[Any, Any]]:
    """Rate and burst by method and path; a path in method settings has `~1` for each slash after the first."""
    return {
        (setting["HttpMethod"], "/" + setting["ResourcePath"][1:].replace("~1", "/").lstrip("/")): (
            setting["ThrottlingRateLimit"],
            setting["ThrottlingBurstLimit"],
        )
        for setting in properties("ParleyApi")["MethodSettings"]
    }


def test_the_api_has_one_throttle_and_each_open_route_its_own() -> None:
    """A flood of requests to one open route does not use up the limit of the others."""
    found = throttles()

    assert found.keys() == {("*", "/*"), *WEBHOOKS, *PREFLIGHTS}
    assert all(limit for limits in found.values() for limit in limits)
    assert found["*", "/*"] == (parameters({})["ApiRateLimit"], parameters({})["ApiBurstLimit"])
    by_parameter = (parameters({})["WebhookRateLimit"], parameters({})["WebhookBurstLimit"])
    for path in ("/webhooks/whatsapp", "/webhooks/twilio", "/webhooks/twilio/status"):
        assert found["POST", path] == by_parameter
    assert found["POST", "/webhooks/richpanel"] == (20, 50)


def test_the_access_log_contains_routes_and_no_callers() -> None:
    """A path contains a phone number, a query may contain a token, and an IP address is personal data."""
    log = properties("ParleyApi", ApiAccessLogs="create-role")["AccessLogSetting"]

    assert "$context.resourcePath" in json.loads(log["Format"]).values()
    for leak in ("$context.path", "identity", "requestOverride", "authorizer.principalId"):
        assert leak not in log["Format"]
    assert "AccessLogSetting" not in properties("ParleyApi", ApiAccessLogs="none")


def test_neither_gateway_nor_powertools_logs_bodies() -> None:
    for setting in properties("ParleyApi")["MethodSettings"]:
        assert (setting["LoggingLevel"], setting["DataTraceEnabled"]) == ("OFF", False)
    shared = template()["Globals"]["Function"]["Environment"]["Variables"]
    assert shared["POWERTOOLS_LOGGER_LOG_EVENT"] == "false"
    assert shared["POWERTOOLS_TRACER_CAPTURE_RESPONSE"] == "false"
    assert shared["POWERTOOLS_TRACER_CAPTURE_ERROR"] == "false"
