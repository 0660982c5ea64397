"""The provider waits for the cold start of the ingress functions: their imports are part of their contract."""

import ast
import os
import subprocess
import sys

import pytest

from tests.template import ROOT, environment

# Each of these costs more than the rest of the handler together.
HEAVY = (
    "pydantic",
    "cryptography",
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
TRACING = ("aws_xray_sdk", "shared.runtime.tracing")
INGRESS = [
    ("WhatsAppWebhook", "whatsapp.handlers.webhook"),
    ("WhatsAppSocial", "whatsapp.handlers.social"),
    ("RichpanelWebhook", "richpanel.handlers.webhook"),
]

WORKERS = [
    ("WhatsAppWorker", "whatsapp.handlers.worker"),
    ("RichpanelWorker", "richpanel.handlers.worker"),
    ("ConversationsIntake", "conversations.handlers.intake"),
    ("ConversationsEmail", "conversations.handlers.processor"),
    ("ConversationsReplies", "conversations.handlers.replies"),
    ("ConversationsStatuses", "conversations.handlers.statuses"),
]


@pytest.mark.parametrize(("function", "module"), INGRESS)
def test_ingress_imports_nothing_heavy(function: str, module: str) -> None:
    assert imported(HEAVY, function, module) == "[]"


@pytest.mark.parametrize(
    ("function", "module"),
    [
        *INGRESS,
        ("ConversationsTwilio", "conversations.handlers.twilio"),
        ("ConversationsAwsSms", "conversations.handlers.aws_sms"),
        ("ApiAuthorizer", "access.handlers.authorizer"),
    ],
)
def test_ingress_and_authorizer_pass_traces_on_without_the_sdk(function: str, module: str) -> None:
    assert environment(function)["POWERTOOLS_TRACE_DISABLED"] == "false"
    assert imported(TRACING, function, module) == "[]"


@pytest.mark.parametrize(("function", "module"), WORKERS)
def test_workers_import_batch_without_the_models_of_event_sources(
    function: str, module: str
) -> None:
    # Powertools defines them, 25 ms, where pydantic is loaded before Batch.
    models = "aws_lambda_powertools.utilities.parser.models"

    assert imported((models, f"{models}.sqs"), function, module) == "[]"


@pytest.mark.parametrize(
    ("function", "module", "modules"),
    [
        (
            "ConversationsEmail",
            "conversations.handlers.processor",
            (
                "aws_xray_sdk",
                "aws_lambda_powertools.utilities.parameters",
                "conversations.ai.prompt.whatsapp_templates",
                "conversations.ai.scripted",
                "conversations.dialogue.release",
                "conversations.dialogue.reply",
                "conversations.recovery.parking",
                "shared.ai.bedrock",
                "shared.ai.openai",
                "shared.events",
                *PROVIDERS,
            ),
        ),
        (
            "ConversationsReplies",
            "conversations.handlers.replies",
            (
                "aws_xray_sdk",
                "aws_lambda_powertools.utilities.parameters",
                "conversations.ai.prompt.whatsapp_templates",
                "conversations.ai.scripted",
                "conversations.lifecycle.commands",
                "conversations.recovery.parking",
                "shared.ai.bedrock",
                "shared.ai.openai",
                "shared.events",
                *PROVIDERS,
            ),
        ),
        (
            "ConversationsAdmin",
            "conversations.handlers.admin",
            (
                "cryptography",
                "aws_xray_sdk",
                "conversations.api.agents.agent_actions",
                "conversations.api.unmatched",
                "conversations.lifecycle.commands",
                "shared.events",
                *PROVIDERS,
            ),
        ),
        (
            "RichpanelWorker",
            "richpanel.handlers.worker",
            (
                "aws_xray_sdk",
                "aws_lambda_powertools.utilities.parameters",
                "yaml",
                "shared.ai",
                "shared.policy.decision",
                "richpanel.classification.classifier",
                "richpanel.clients.shopify",
                "richpanel.guards.order_ownership",
                "richpanel.worker.actions",
            ),
        ),
        (
            "RichpanelAdmin",
            "richpanel.handlers.admin",
            (
                "yaml",
                "cryptography",
                "aws_xray_sdk",
                "shared.ai",
                "richpanel.classification.classifier",
                "richpanel.decisions.engine",
            ),
        ),
    ],
)
def test_a_function_imports_at_its_start_nothing_that_only_some_events_need(
    function: str, module: str, modules: tuple[str, ...]
) -> None:
    assert imported(modules, function, module) == "[]"


def test_one_module_imports_powertools_tracer() -> None:
    words = ("Tracer", "aws_xray_sdk")
    found = {
        str(file.relative_to(ROOT))
        for folder in ("functions", "layers/shared/shared")
        for file in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        if any(word in ast.unparse(node) for word in words)
    }

    assert found == {"layers/shared/shared/runtime/tracing.py"}


def imported(modules: tuple[str, ...], function: str, module: str) -> str:
    """The modules of *modules* that the import of a handler loads, in a separate process."""
    code = f"import sys, {module}; print([m for m in {modules!r} if m in sys.modules])"
    path = os.pathsep.join(str(ROOT / folder) for folder in ("functions", "layers/shared"))
    variables = environment(function) | {
        "PYTHONPATH": path,
        "AWS_DEFAULT_REGION": "us-east-1",
        "PATH": os.environ["PATH"],
        "LAMBDA_TASK_ROOT": str(ROOT),  # tracing is on on AWS
    }

    ran = subprocess.run(  # noqa: S603 - our own interpreter and constant arguments
        [sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=True
    )

    return ran.stdout.strip()
