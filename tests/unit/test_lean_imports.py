"""The provider waits for the cold start of the ingress functions: what they import is part of their contract."""

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


@pytest.mark.parametrize(
    ("function", "module"),
    [
        ("WhatsAppWebhook", "whatsapp.handlers.webhook"),
        ("WhatsAppSocial", "whatsapp.handlers.social"),
        ("RichpanelWebhook", "richpanel.handlers.webhook"),
    ],
)
def test_ingress_imports_nothing_heavy(function: str, module: str) -> None:
    code = f"import sys, {module}; print([m for m in {HEAVY!r} if m in sys.modules])"
    path = os.pathsep.join(str(ROOT / folder) for folder in ("functions", "layers/shared"))
    variables = environment(function) | {
        "PYTHONPATH": path,
        "AWS_DEFAULT_REGION": "us-east-1",
        "PATH": os.environ["PATH"],
    }

    ran = subprocess.run(  # noqa: S603 - our own interpreter and our own words
        [sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=True
    )

    assert ran.stdout.strip() == "[]"
