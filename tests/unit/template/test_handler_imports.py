"""
Each handler is imported once, in its own process, with the environment that the template gives its function.

The provider waits for the cold start of the ingress functions: their imports are part of their contract.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from tests.template import ROOT, environment, resources
from tests.unit.template import handler_processes
from tests.unit.template.handler_processes import Imports

if TYPE_CHECKING:
    from collections.abc import Iterator

FUNCTIONS = sorted(resources("AWS::Serverless::Function"))
MOST_TIMES_BARE = 2.4  # modules, those of packages included

# Each of these costs more than the rest of the handler together.
HEAVY = (
    "pydantic",
    "cryptography",
    "phonenumbers",
    "boto3.dynamodb.conditions",
    "aws_xray_sdk",
    "aws_lambda_powertools.event_handler",
    "aws_lambda_powertools.utilities.parser",
    "aws_lambda_powertools.utilities.idempotency",
    "aws_lambda_powertools.utilities.parameters",
)


# A function uses one provider for each company.
PROVIDERS = (
    "shared.providers.http",
    "shared.providers.email.ses",
    "shared.providers.sms.aws_eum",
    "shared.providers.sms.segments",
    "shared.providers.twilio",
    "shared.providers.whatsapp",
)
NOT_AT_A_WEBHOOK = (
    "asyncio",
    "aws_lambda_powertools.utilities.batch",
    "aws_lambda_powertools.utilities.data_classes",
)
RARE_ITEMS = (
    *(f"accounts.{name}" for name in ("accounts", "catalogs", "templates", "tenants")),
    "analytics.counts",
    "conversations.groups",
    "sending.campaigns",
    "register",
)
# The versions of settings are light; what asks models is not.
MODELS = (
    "shared.ai.calls",
    "shared.ai.providers.model_creation",
    "shared.ai.port",
    "shared.ai.settings",
)
TRACING = ("aws_xray_sdk", "shared.runtime.tracing")
# No caller waits for it, but every mail starts here.
LIGHT = ["EmailThreadsIngest"]
INGRESS = [
    "WhatsAppWebhook",
    "WhatsAppSocial",
    "RichpanelWebhook",
    "ConversationsTwilio",
    "ConversationsAwsSms",
]

WORKERS = [
    "WhatsAppWorker",
    "RichpanelWorker",
    "ConversationsIntake",
    "ConversationsEmail",
    "ConversationsReplies",
    "ConversationsStatuses",
    "EmailThreadsIngest",
    "EmailThreadsWorker",
    "NewslettersWorker",
    "NewslettersExports",
]


@pytest.mark.parametrize("function", [*INGRESS, *LIGHT])
def test_ingress_imports_nothing_heavy(imports: Imports, function: str) -> None:
    assert imports.loaded(HEAVY, function) == []


@pytest.mark.parametrize("function", [*INGRESS, "ApiAuthorizer"])
def test_ingress_and_authorizer_pass_traces_on_without_the_sdk(
    imports: Imports, function: str
) -> None:
    assert environment(function)["POWERTOOLS_TRACE_DISABLED"] == "false"
    assert imports.loaded(TRACING, function) == []


@pytest.mark.parametrize("function", WORKERS)
def test_workers_import_batch_without_the_models_of_event_sources(
    imports: Imports, function: str
) -> None:
    # Powertools defines them, 25 ms, where pydantic is loaded before Batch.
    models = "aws_lambda_powertools.utilities.parser.models"

    assert imports.loaded((models, f"{models}.sqs"), function) == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("function", "modules"),
    [
        # The provider waits for these two.
        *((one, NOT_AT_A_WEBHOOK) for one in ("WhatsAppSocial", "WhatsAppWebhook")),
        (
            "WhatsAppWorker",
            (
                "whatsapp.worker.updates",
                *(f"whatsapp.store.items.{name}" for name in RARE_ITEMS),
            ),
        ),
        # Every call of the API waits for it, and calls with an API key need none of these.
        (
            "ApiAuthorizer",
            (
                "access.access_tokens",
                "access.roles",
                "cryptography",
                "jwt",
                "pydantic",
                "shared.providers.http",
            ),
        ),
        (
            "ConversationsEmail",
            (
                "aws_xray_sdk",
                "aws_lambda_powertools.utilities.parameters",
                "conversations.ai.knowledge",
                "conversations.ai.prompt.whatsapp_templates",
                "conversations.dialogue.agents.release",
                "conversations.dialogue.reply",
                "conversations.recovery.parking",
                "shared.ai.providers.bedrock",
                "shared.ai.providers.openai",
                "shared.events.exchange",
                "shared.ai.retrieval",
                "sqlite3",
                *PROVIDERS,
            ),
        ),
        (
            "ConversationsReplies",
            (
                "aws_xray_sdk",
                "aws_lambda_powertools.utilities.parameters",
                "conversations.ai.knowledge",
                "conversations.ai.prompt.whatsapp_templates",
                "conversations.lifecycle.records.commands",
                "conversations.recovery.parking",
                "shared.ai.providers.bedrock",
                "shared.ai.providers.openai",
                "shared.events.exchange",
                "shared.ai.retrieval",
                "sqlite3",
                *PROVIDERS,
            ),
        ),
        (
            "ConversationsAdmin",
            (
                "cryptography",
                "aws_xray_sdk",
                "conversations.api.agents.agent_actions",
                "conversations.api.unmatched",
                "conversations.lifecycle.records.commands",
                "shared.events.exchange",
                *PROVIDERS,
            ),
        ),
        (
            "InboxApi",
            ("aws_xray_sdk", "console.live", "console.operations", "jwt", *PROVIDERS),
        ),
        (
            "EmailThreadsWorker",
            (
                "cryptography",
                "aws_xray_sdk",
                "aws_lambda_powertools.utilities.parameters",
                "email_threads.analysis.mail_analysis",
                "email_threads.privacy",
                "email_threads.replies.delivery",
                "email_threads.replies.feedback",
                "shared.ai.providers.bedrock",
                "shared.ai.providers.openai",
                "shared.privacy.engine",
                "shared.privacy.exports",
                "shared.privacy.requests",
                "shared.providers.http",
            ),
        ),
        (
            "EmailThreadsApi",
            (
                "cryptography",
                "aws_xray_sdk",
                "email_threads.analysis.model_call",
                "email_threads.parsing.body.html",
                "email_threads.parsing.mail",
                "email_threads.replies.automatic",
                "email_threads.replies.delivery",
                "email_threads.replies.policy",
                "nh3",
                "shared.ai.providers.bedrock",
                "shared.ai.providers.openai",
                "shared.events.exchange",
                "shared.privacy.exports",
                *PROVIDERS,
            ),
        ),
        (
            "EmailThreadsScheduled",
            ("aws_xray_sdk", "email_threads.parsing.headers.fields", "nh3", *MODELS, *PROVIDERS),
        ),
        (
            "NewslettersApi",
            (
                "cryptography",
                "aws_xray_sdk",
                "newsletters.drafting.model_calls",
                "newsletters.exports",
                "newsletters.privacy.jobs",
                "newsletters.drafting.retrieval.passages",
                "newsletters.worker",
                "shared.ai.providers.bedrock",
                "shared.ai.providers.openai",
                "shared.privacy.exports",
                "shared.ai.retrieval.index",
                "sqlite3",
                "yaml",
                *PROVIDERS,
            ),
        ),
        (
            "NewslettersWorker",
            (
                "aws_xray_sdk",
                "aws_lambda_powertools.utilities.parameters",
                "newsletters.drafting.drafts.generation",
                "newsletters.drafting.outlines.generation",
                "newsletters.exports",
                "newsletters.privacy",
                "newsletters.drafting.retrieval.passages",
                "shared.ai.providers.bedrock",
                "shared.ai.providers.openai",
                "shared.ai.settings",
                "shared.ai.retrieval.local",
                "sqlite3",
                "yaml",
                *PROVIDERS,
            ),
        ),
        (
            "NewslettersExports",
            (
                "aws_xray_sdk",
                "aws_lambda_powertools.utilities.parameters",
                "docx",
                "lxml",
                "markdown_it",
                "newsletters.exports",
                "newsletters.jobs",
                *MODELS,
                "shared.ai.retrieval",
                "typst",
                *PROVIDERS,
            ),
        ),
        (
            "NewslettersScheduled",
            (
                "aws_xray_sdk",
                "newsletters.drafting",
                "newsletters.exports",
                "newsletters.worker",
                *MODELS,
                "shared.ai.retrieval",
                *PROVIDERS,
            ),
        ),
        (
            "RichpanelWorker",
            (
                "aws_xray_sdk",
                "aws_lambda_powertools.utilities.parameters",
                "yaml",
                "shared.ai.calls.model_calls",
                "shared.ai.port",
                "shared.ai.providers.model_creation",
                "shared.policy.decision",
                "richpanel.classification.classifier",
                "richpanel.clients.shopify",
                "richpanel.guards.order_ownership",
                "richpanel.worker.actions",
            ),
        ),
        (
            "RichpanelAdmin",
            (
                "yaml",
                "cryptography",
                "aws_xray_sdk",
                *MODELS,
                "richpanel.classification.classifier",
                "richpanel.decisions.engine",
            ),
        ),
    ],
)
def test_a_function_imports_at_its_start_nothing_that_only_some_events_need(
    imports: Imports, function: str, modules: tuple[str, ...]
) -> None:
    assert imports.loaded(modules, function) == []


def test_one_module_imports_powertools_tracer() -> None:
    words = ("Tracer", "aws_xray_sdk")
    found = {
        str(file.relative_to(ROOT))
        for folder in ("functions", "layers/shared/shared")
        for file in (ROOT / folder).rglob("*.py")
        if any(word in (text := file.read_text()) for word in words)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
        if any(word in ast.unparse(node) for word in words)
    }

    assert found == {"layers/shared/shared/runtime/tracing.py"}


@pytest.mark.long
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_starts_with_the_environment_that_the_template_gives_it(
    imports: Imports, function: str
) -> None:
    assert imports.of(function).get("error") is None


@pytest.mark.long
@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_setting_that_a_function_declares_is_set(imports: Imports, function: str) -> None:
    """Including those with a default: an unintended default could belong to another stage."""
    declared = imports.of(function)["settings"]

    assert declared
    assert set(declared) <= set(environment(function))


@pytest.mark.long
def test_no_handler_imports_much_more_than_an_empty_one(imports: Imports) -> None:
    bare = len(imports.at("bare.bare.handler", {"AWS_DEFAULT_REGION": "us-east-1"})["modules"])
    times = {name: len(imports.of(name)["modules"]) / bare for name in FUNCTIONS}

    assert {name: ratio for name, ratio in times.items() if name in INGRESS and ratio > 1.3} == {}
    assert {name: ratio for name, ratio in times.items() if ratio > MOST_TIMES_BARE} == {}


@pytest.fixture(scope="module")
def imports() -> Iterator[Imports]:
    with handler_processes.running() as found:
        yield found
