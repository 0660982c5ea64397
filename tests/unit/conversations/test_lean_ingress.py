"""Providers wait for the cold start of these functions: their imports are part of their contract."""

import os
import subprocess
import sys

import pytest

from tests.template import ROOT
from tests.unit.shared.test_lean_imports import HEAVY

ENVIRONMENT = {
    "CONVERSATIONS_INBOUND_QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/1/inbound.fifo",
    "CONVERSATIONS_STATUSES_QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/1/statuses.fifo",
    "TWILIO_WEBHOOK_SECRET_ID": "twilio",
    "PUBLIC_BASE_URLS": "",
    "SMS_TOPIC_ARNS": "",
    "AWS_DEFAULT_REGION": "us-east-1",
    "POWERTOOLS_METRICS_NAMESPACE": "Parley",
    "POWERTOOLS_SERVICE_NAME": "conversations",
}


@pytest.mark.parametrize("module", ["twilio", "aws_sms"])
def test_ingress_imports_nothing_heavy(module: str) -> None:
    heavy = (*HEAVY, "phonenumbers")
    code = f"import sys, conversations.handlers.{module}; print([m for m in {heavy!r} if m in sys.modules])"
    path = os.pathsep.join(str(ROOT / folder) for folder in ("functions", "layers/shared"))

    ran = subprocess.run(  # noqa: S603 - our own interpreter and constant arguments
        [sys.executable, "-c", code],
        env=ENVIRONMENT | {"PYTHONPATH": path, "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )

    assert ran.stdout.strip() == "[]"
