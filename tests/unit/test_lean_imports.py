"""The provider waits for the cold start of the ingress functions: what they import is part of their contract."""

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


TRACING = ("aws_xray_sdk", "shared.runtime.tracing")
INGRESS = [
    ("WhatsAppWebhook", "whatsapp.handlers.webhook"),
    ("WhatsAppSocial", "whatsapp.handlers.social"),
    ("RichpanelWebhook", "richpanel.handlers.webhook"),
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
    """Which of *modules* the import of a handler brings along, in a process of its own."""
    code = f"import sys, {module}; print([m for m in {modules!r} if m in sys.modules])"
    path = os.pathsep.join(str(ROOT / folder) for folder in ("functions", "layers/shared"))
    variables = environment(function) | {
        "PYTHONPATH": path,
        "AWS_DEFAULT_REGION": "us-east-1",
        "PATH": os.environ["PATH"],
        "LAMBDA_TASK_ROOT": str(ROOT),  # there, tracing is on
    }

    ran = subprocess.run(  # noqa: S603 - our own interpreter and our own words
        [sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=True
    )

    return ran.stdout.strip()
