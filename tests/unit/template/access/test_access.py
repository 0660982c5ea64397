"""Access from outside: plain HTTP, the bucket, secrets, the gateway and its log."""

import json
from typing import Any

import pytest

from shared.api.errors import error_body
from tests.cases import each
from tests.roles import as_list
from tests.template import (
    environment,
    exists,
    parameters,
    properties,
    resolved,
    resources,
    template,
)
from tests.unit.template.access.grants import FUNCTIONS, resource_policies

SECRETS = sorted(resources("AWS::SecretsManager::Secret"))
WEBHOOKS = {
    *(("GET", "/webhooks/whatsapp"), ("POST", "/webhooks/whatsapp")),
    ("POST", "/webhooks/whatsapp/flows"),
    ("POST", "/webhooks/payments/{gateway}"),
    ("POST", "/webhooks/richpanel"),
    *(("POST", "/webhooks/twilio"), ("POST", "/webhooks/twilio/status")),
}


# A browser's preflight request has no key: no header, body or table is read.
PREFLIGHTS = {("OPTIONS", "/initiate-conversation")}
# The files of the console: the same for everyone, loaded before a person has signed in.
PAGES = {("GET", "/console"), ("GET", "/console/{proxy+}")}
# Customers have no login: the link is signed, and only a POST records an answer.
SIGNED_LINKS = {
    ("GET", "/satisfaction/{token}"),
    ("POST", "/satisfaction/{token}"),
    ("GET", "/satisfaction/conversations/{token}"),
    ("POST", "/satisfaction/conversations/{token}"),
    ("GET", "/u/{proxy+}"),
    ("POST", "/u/{proxy+}"),
    ("GET", "/n/{proxy+}"),
    ("POST", "/operations/administrator"),  # the token of a one-time link
}
OPEN_SECRET_NAMES = ("SECRET", "TOKEN", "PASSWORD", "CREDENTIAL")


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
        "contacts/": 1,
        "parked/": 30,
        "conversations/parked/": 35,
        "exports/": 7,
        "campaigns/": 270,
    }


def test_files_and_long_texts_expire_with_their_messages() -> None:
    rules = properties("MediaBucket", MessageTtlDays="40")["LifecycleConfiguration"]["Rules"]

    days = {rule["Prefix"]: rule["ExpirationInDays"] for rule in rules if "Prefix" in rule}
    assert (days["media/"], days["content/"]) == ("40", "40")


@each("function", FUNCTIONS)
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


def test_only_webhooks_pages_and_signed_links_have_no_authorizer() -> None:
    routes = {
        (event["Properties"]["Method"], event["Properties"]["Path"]): event["Properties"]
        for function in FUNCTIONS
        for event in properties(function).get("Events", {}).values()
        if event["Type"] == "Api"
    }

    is_open = {r for r, event in routes.items() if event.get("Auth") == {"Authorizer": "NONE"}}
    assert is_open == WEBHOOKS | PREFLIGHTS | PAGES | SIGNED_LINKS
    assert {route for route, event in routes.items() if "Auth" not in event} == {
        ("GET", "/inbox"),
        *((method, "/inbox/{proxy+}") for method in ("GET", "POST")),
        *((method, "/contacts") for method in ("GET", "POST")),
        *((method, "/contacts/{proxy+}") for method in ("GET", "POST", "PATCH", "DELETE")),
        ("GET", "/attributes"),
        *((method, "/attributes/{name}") for method in ("PUT", "DELETE")),
        ("GET", "/operations/{proxy+}"),
        ("POST", "/operations/{proxy+}"),
        ("GET", "/people"),
        ("POST", "/live/tickets"),
        ("ANY", "/privacy/{proxy+}"),
        ("GET", "/reports/{proxy+}"),
        ("PUT", "/reports/settings"),
        ("GET", "/projects"),
        ("ANY", "/projects/{proxy+}"),
        ("POST", "/sign-out"),
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
        ("GET", "/whatsapp/actions"),
        *((method, "/whatsapp/actions/{action}") for method in ("GET", "POST")),
        *((method, "/whatsapp/{proxy+}") for method in ("GET", "POST")),
        *((method, "/admin/richpanel/{proxy+}") for method in ("GET", "PUT", "POST", "DELETE")),
        *((method, "/richpanel/{proxy+}") for method in ("GET", "POST")),
        *((method, "/email-threads") for method in ("GET", "POST")),
        *((method, "/newsletters") for method in ("GET", "POST")),
        *(
            (method, "/newsletters/{proxy+}")
            for method in ("GET", "POST", "PUT", "PATCH", "DELETE")
        ),
        *((method, "/email-threads/{proxy+}") for method in ("GET", "POST", "PATCH")),
        ("GET", "/email-mailboxes"),
        ("ANY", "/email-mailboxes/{proxy+}"),
        ("POST", "/initiate-conversation"),
        ("GET", "/conversations"),
        ("ANY", "/conversations/{proxy+}"),
        ("GET", "/unmatched"),
        ("POST", "/unmatched/{unmatched_id}/attach"),
        ("POST", "/opt-outs/search"),
        ("POST", "/opt-outs"),
        ("POST", "/opt-ins"),
    }


def test_the_authorizer_decides_about_every_call_and_its_answers_are_not_cached() -> None:
    """
    A cached answer would apply to all routes, and a revoked key would stay valid.

    With an identity source API Gateway would refuse calls that lack this one header.
    """
    auth = properties("ParleyApi")["Auth"]
    authorizer = auth["Authorizers"][auth["DefaultAuthorizer"]]

    assert authorizer["FunctionPayloadType"] == "REQUEST"
    assert authorizer["FunctionArn"] == resolved({"Fn::GetAtt": "ApiAuthorizer.Arn"}) + ":live"
    assert authorizer["Identity"] == {"ReauthorizeEvery": 0}


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("ACCESS_DENIED", 401),
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

    assert found.keys() == {("*", "/*"), *WEBHOOKS, *PREFLIGHTS, *SIGNED_LINKS}
    assert all(limit for limits in found.values() for limit in limits)
    assert found["*", "/*"] == (parameters({})["ApiRateLimit"], parameters({})["ApiBurstLimit"])
    by_parameter = (parameters({})["WebhookRateLimit"], parameters({})["WebhookBurstLimit"])
    for path in (
        "/webhooks/whatsapp",
        "/webhooks/whatsapp/flows",
        "/webhooks/twilio",
        "/webhooks/twilio/status",
    ):
        assert found["POST", path] == by_parameter
    assert found["POST", "/webhooks/richpanel"] == (20, 50)


def test_cloudformation_refuses_a_percentage_with_which_three_companies_use_up_the_api() -> None:
    percent = template()["Parameters"]["ApiCompanyPercent"]

    assert percent["MinValue"] <= percent["Default"] <= percent["MaxValue"]
    assert 4 * percent["MaxValue"] <= 100
    assert str(percent["MaxValue"]) in percent["ConstraintDescription"]
    assert environment("ApiAuthorizer")["API_RATE_LIMIT"] == parameters({})["ApiRateLimit"]


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


def test_a_saml_provider_is_added_to_the_user_pool_by_the_address_of_its_metadata() -> None:
    address = "https://login.example.com/metadata"

    assert not exists("SamlProvider")
    assert exists("SamlProvider", LoginSamlMetadata=address)
    provider = properties("SamlProvider", LoginSamlMetadata=address)
    assert provider["ProviderDetails"] == {"MetadataURL": address}
    named = properties("ConsoleClient", LoginProviders=f"COGNITO,{provider['ProviderName']}")
    assert named["SupportedIdentityProviders"] == ["COGNITO", "saml"]


@pytest.mark.parametrize(
    ("mfa", "factors"),
    [("ON", ["SOFTWARE_TOKEN_MFA"]), ("OPTIONAL", ["SOFTWARE_TOKEN_MFA"]), ("OFF", None)],
)
def test_a_user_pool_without_second_factors_enables_none(
    mfa: str, factors: list[str] | None
) -> None:
    """Cognito refuses a pool whose factors are off and enabled."""
    pool = properties("UserPool", LoginMfa=mfa)

    assert pool["MfaConfiguration"] == mfa
    assert pool.get("EnabledMfas") == factors
