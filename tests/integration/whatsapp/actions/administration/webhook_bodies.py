"""Bodies of webhooks, signed with the secret of an app."""

import hashlib
import hmac
import json
from typing import Any

import boto3
import pytest

from tests.integration.whatsapp.actions.conftest import APP_SECRETS, WABA, Actions
from tests.integration.whatsapp.conftest import APP, PHONE

SECRET = APP_SECRETS["apps"][APP][0]
GLOBEX_WABA = "302290129340398"
OTHER_APP = "5550001"


def body_of(*messages: dict[str, Any], waba: str = WABA, phone: str = PHONE) -> dict[str, Any]:
    value = {
        "metadata": {"phone_number_id": phone, "display_phone_number": "15550783881"},
        "messages": list(messages),
    }
    changes = [{"field": "messages", "value": value}]
    return {"object": "whatsapp_business_account", "entry": [{"id": waba, "changes": changes}]}


def signature(raw: bytes, secret: str = SECRET) -> str:
    return "sha256=" + hmac.new(secret.encode(), raw, hashlib.sha256).hexdigest()


def queued(actions: Actions) -> list[str]:
    """The events that the action put on the queue of the worker."""
    url = actions.module.settings.whatsapp_queue_url
    answer = boto3.client("sqs").receive_message(QueueUrl=url, MaxNumberOfMessages=10)
    return [message["Body"] for message in answer.get("Messages", [])]


@pytest.fixture
def with_other_app(actions: Actions) -> str:
    """The secret of the deployment also has an app of globex."""
    client = boto3.client("secretsmanager")
    apps = {**APP_SECRETS["apps"], OTHER_APP: ["secret of globex", "older secret of globex"]}
    client.put_secret_value(
        SecretId="app-secrets", SecretString=json.dumps(APP_SECRETS | {"apps": apps})
    )
    actions.module.resources.webhook_secrets._value = None
    return OTHER_APP
