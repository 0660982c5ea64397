"""The role of each function permits exactly what the function does in the simulation."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from unittest import mock

import boto3
import pytest

from events.richpanel import samples as help_desk
from events.whatsapp.sample_data import COMPANY
from shared.access import company_keys
from shared.access.logins import LoginSettings
from shared.aws.dynamodb import Table
from shared.providers import http
from tests.integration.access.provider import Provider
from tests.simulation.permissions.help_desk_permissions import exercise_help_desk
from tests.simulation.permissions.permissions import CallObserver, Use
from tests.simulation.permissions.role_checks import (
    Grant,
    check,
    granted_for_lambda,
    grants_of,
    missing,
    named,
    needless,
    observed,
)
from tests.simulation.processes import imported
from tests.simulation.whatsapp.actions.permissions import exercise_actions
from tests.simulation.whatsapp.conftest import _system  # noqa: F401 - a fixture
from tests.simulation.whatsapp.permissions.admin import exercise_admin
from tests.simulation.whatsapp.permissions.api import exercise_api, exercise_sending
from tests.simulation.whatsapp.permissions.schedule import exercise_canary, exercise_scheduled
from tests.simulation.whatsapp.permissions.worker import exercise_ingress_and_worker
from tests.simulation.whatsapp.system import Invocation, System
from tests.template import create_table, environment, properties, put_parameter, resources

pytestmark = pytest.mark.long

# Conversations and e-mail have their own systems and their own tests like this one, as the inbox over all
# contexts, its live updates and the operations have.
FUNCTIONS = sorted(
    name
    for name in resources("AWS::Serverless::Function")
    if not name.startswith(("Conversations", "Email", "Newsletters", "Inbox", "Operations"))
    and not name.endswith("InboxFeed")
    and name != "ConsoleLive"
)
# What calls need that no scenario here makes: at AWS instead of Graph, of texts and templates that are too long for an
# item, of lists and pages. The integration tests make them. A grant that is exercised must leave this list.
NOT_EXERCISED: dict[str, frozenset[str]] = {
    # The help desk of these scenarios has rules only; a model counts for the limits of the company.
    "RichpanelAdmin": frozenset(
        {
            "dynamodb:BatchGetItem table/spending-local",
            "dynamodb:UpdateItem table/spending-local",
        }
    ),
    "WhatsAppActions": frozenset(
        {
            "dynamodb:GetItem table/conversation-log-local",
            "dynamodb:UpdateItem table/conversation-log-local",
            "s3:DeleteObject parley-local-media-123456789012-us-east-1/campaigns/*",
            "s3:DeleteObject parley-local-media-123456789012-us-east-1/content/*",
            "s3:DeleteObject parley-local-media-123456789012-us-east-1/templates/*",
            "s3:GetObject parley-local-media-123456789012-us-east-1/campaigns/*",
            "s3:GetObject parley-local-media-123456789012-us-east-1/content/*",
            "s3:GetObject parley-local-media-123456789012-us-east-1/exports/*",
            "s3:GetObject parley-local-media-123456789012-us-east-1/parked/*",
            "s3:GetObject parley-local-media-123456789012-us-east-1/templates/*",
            "s3:PutObject parley-local-media-123456789012-us-east-1/content/*",
            "s3:PutObject parley-local-media-123456789012-us-east-1/parked/*",
            "s3:PutObject parley-local-media-123456789012-us-east-1/templates/*",
            "social-messaging:CreateWhatsAppDataset waba/*",
            "social-messaging:CreateWhatsAppFlow waba/*",
            "social-messaging:DeleteWhatsAppFlow waba/*",
            "social-messaging:DeprecateWhatsAppFlow waba/*",
            "social-messaging:GetLinkedWhatsAppBusinessAccountPhoneNumber phone-number-id/*",
            "social-messaging:GetWhatsAppBusinessPublicKey phone-number-id/*",
            "social-messaging:GetWhatsAppCallPermission phone-number-id/*",
            "social-messaging:GetWhatsAppFlow waba/*",
            "social-messaging:GetWhatsAppFlowPreview waba/*",
            "social-messaging:ListLinkedWhatsAppBusinessAccounts *",
            "social-messaging:ListWhatsAppFlowAssets waba/*",
            "social-messaging:ListWhatsAppFlows waba/*",
            "social-messaging:PublishWhatsAppFlow waba/*",
            "social-messaging:PutWhatsAppBusinessPublicKey phone-number-id/*",
            "social-messaging:SendWhatsAppCallEvent phone-number-id/*",
            "social-messaging:SendWhatsAppConversionEvent waba/*",
            "social-messaging:SendWhatsAppMessage phone-number-id/*",
            "social-messaging:UpdateLinkedWhatsAppBusinessAccountPhoneNumber phone-number-id/*",
            "social-messaging:UpdateWhatsAppFlow waba/*",
            "social-messaging:UpdateWhatsAppFlowAssets waba/*",
            "sqs:SendMessage parley-local-conversations-inbound.fifo",
        }
    ),
    "WhatsAppFlows": frozenset({"secretsmanager:GetSecretValue parley/local/companies/*"}),
    "WhatsAppJobs": frozenset(
        {
            "s3:DeleteObject parley-local-media-123456789012-us-east-1/content/*",
            "s3:GetObject parley-local-media-123456789012-us-east-1/content/*",
            "s3:GetObject parley-local-media-123456789012-us-east-1/templates/*",
            "s3:GetObject parley-local-media-123456789012-us-east-1/uploads/*",
            "s3:PutObject parley-local-media-123456789012-us-east-1/content/*",
            "s3:PutObject parley-local-media-123456789012-us-east-1/templates/*",
            "social-messaging:GetWhatsAppMessageTemplate waba/*",
            "social-messaging:SendWhatsAppMessage phone-number-id/*",
        }
    ),
    "WhatsAppSending": frozenset(
        {
            "s3:DeleteObject parley-local-media-123456789012-us-east-1/content/*",
            "s3:GetObject parley-local-media-123456789012-us-east-1/templates/*",
            "s3:PutObject parley-local-media-123456789012-us-east-1/content/*",
            "s3:PutObject parley-local-media-123456789012-us-east-1/templates/*",
        }
    ),
}
STAGE = {"Stage": "local"}

type Exercise = Callable[[System, CallObserver], None]


def exercise_authorizer(system: System, observer: CallObserver) -> None:
    """A valid key and an unknown one, and the access token of a person."""
    direct_client = boto3.Session().client("dynamodb")
    table = Table(direct_client, create_table(direct_client, "ApiKeysTable", **STAGE))
    key = company_keys.create(table, company=COMPANY, scopes=["whatsapp:read"], name="till")
    module = imported("access.handlers.authorizer", environment("ApiAuthorizer", **STAGE))
    handler = observer.watching("ApiAuthorizer", module.handler)
    arn = "arn:aws:execute-api:us-east-1:123456789012:abc123/dev/GET/whatsapp/conversations"
    for given, effect in ((key, "Allow"), (f"{key[:-1]}!", "Deny")):
        answer = handler({"methodArn": arn, "headers": {"x-api-key": given}}, None)
        assert answer["policyDocument"]["Statement"][0]["Effect"] == effect
    put_parameter(boto3.Session().client("ssm"), "LoginSettings", **STAGE)
    logins = LoginSettings.read(properties("LoginSettings", **STAGE)["Value"])
    provider = Provider()
    provider.documents[logins.keys_url] = provider.published()
    with mock.patch.object(http, "call", provider.call):
        token = provider.token({"iss": logins.issuer, "client_id": logins.client_id})
        person = {"Authorization": f"Bearer {token}"}
        answer = handler({"methodArn": arn, "headers": person}, None)
    assert answer["context"]["company"] == "acme"


def exercise_console(system: System, observer: CallObserver) -> None:
    """The configuration of the pages, which names the login provider; its settings exist (`exercise_authorizer`)."""
    module = imported("console.handlers.assets", environment("Console", **STAGE))
    event = {
        "resource": "/console/{proxy+}",
        "path": "/console/config.json",
        "pathParameters": {"proxy": "config.json"},
        "headers": {},
        "requestContext": {"requestId": "request-1"},
    }
    answer = observer.watching("Console", module.handler)(event, None)
    assert json.loads(answer["body"])["login"]["provider"] == "cognito"


def exercise_help_desk_webhook(system: System, observer: CallObserver) -> None:
    """A mail and a chat, one on each queue."""
    system.reset()
    secret = {"active_tokens": [help_desk.TOKEN]}
    boto3.Session().client("secretsmanager").create_secret(
        Name=properties("RichpanelWebhookSecret", **STAGE)["Name"], SecretString=json.dumps(secret)
    )
    variables = environment("RichpanelWebhook", **STAGE)
    module = imported("richpanel.handlers.webhook", variables)
    handler = observer.watching("RichpanelWebhook", module.handler)
    for name in ("minimal", "minimal_chat"):
        assert handler(help_desk.sample(name).event, Invocation())["statusCode"] == 200


# The scenarios that use every permission. A function of the template that is in none of the tuples fails below.
EXERCISES: dict[tuple[str, ...], Exercise] = {
    (
        "WhatsAppWebhook",
        "WhatsAppSocial",
        "WhatsAppWorker",
        "WhatsAppJobs",
    ): exercise_ingress_and_worker,
    ("WhatsAppApi",): exercise_api,
    ("WhatsAppSending",): exercise_sending,
    ("WhatsAppAdmin",): exercise_admin,
    ("ApiAuthorizer",): exercise_authorizer,
    ("Console",): exercise_console,
    ("WhatsAppCanary",): exercise_canary,
    ("WhatsAppScheduled",): exercise_scheduled,
    ("WhatsAppActions", "WhatsAppFlows", "WhatsAppPayments"): exercise_actions,
    ("RichpanelWebhook",): exercise_help_desk_webhook,
    ("RichpanelSweep", "RichpanelWorker", "RichpanelAdmin"): exercise_help_desk,
}


@pytest.fixture(scope="module")
def uses(_system: System) -> Iterator[dict[str, set[Use]]]:  # noqa: F811 - the fixture
    with observed(_system) as observer:
        for exercise in EXERCISES.values():
            exercise(_system, observer)
        yield observer.uses


def test_every_function_of_the_template_is_exercised() -> None:
    exercised = sorted(function for functions in EXERCISES for function in functions)

    assert exercised == FUNCTIONS


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_role_permits_exactly_the_calls_of_its_function(
    uses: dict[str, set[Use]], function: str
) -> None:
    check(function, uses, STAGE, NOT_EXERCISED.get(function, frozenset()))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_an_unused_permission_and_a_call_without_permission_are_detected(
    uses: dict[str, set[Use]], function: str
) -> None:
    grants = grants_of(function, **STAGE)
    table = properties("WhatsAppTable", **STAGE)["TableName"]
    scan = Grant("dynamodb:Scan", f"arn:aws:dynamodb:us-east-1:123456789012:table/{table}")
    elsewhere = Grant("s3:GetObject", "arn:aws:s3:::another-bucket/*")

    assert set(needless({*grants, scan, elsewhere}, uses[function])) >= {scan, elsewhere}
    unused = NOT_EXERCISED.get(function, frozenset())
    for taken in grants - granted_for_lambda(function, **STAGE):
        if named(taken) not in unused:
            assert missing(grants - {taken}, uses[function]), taken
