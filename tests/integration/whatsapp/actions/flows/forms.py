"""Forms of the tests, and the data endpoint beside the actions."""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from local.demo.flows import client
from local.demo.flows.client import Exchange
from tests.integration.whatsapp.actions.conftest import APP_SECRETS, EUM_WABA, WABA
from tests.template import environment
from whatsapp.store.items.contacts.customers import FlowConfig

if TYPE_CHECKING:
    from tests.integration.whatsapp.actions.conftest import Actions

APP_SECRET = str(next(iter(APP_SECRETS["apps"].values()))[0])
FORM: dict[str, Any] = {
    "version": "7.0",
    "screens": [
        {"id": "SERVICE", "title": "Service", "layout": {"type": "SingleColumnLayout"}},
        {"id": "DATE", "title": "Date", "terminal": True, "layout": {"type": "SingleColumnLayout"}},
    ],
}
# Both providers, with the account of the number.
PROVIDERS = pytest.mark.parametrize("waba", [WABA, EUM_WABA], ids=["graph", "eum"])


def create(actions: Actions, waba: str = WABA, name: str = "Service", **more: Any) -> str:
    """Create a form and return its id."""
    body = {"metaWabaId": waba, "name": name, "categories": ["APPOINTMENT_BOOKING"]}
    found = actions.run("create_flow", body | {"flowJson": FORM} | more).result
    return str(found["flowId"])


def made_elsewhere(actions: Actions, waba: str = WABA) -> str:
    """Create a form that this deployment does not know, such as in Meta's own builder, and return its id."""
    flow = create(actions, waba)
    actions.harness.resources.table.delete({"pk": FlowConfig.key(flow)})
    actions.sandbox.forget_sent()
    return flow


class DataEndpoint:
    """The function of the data endpoint over the same table, called as WhatsApp's client does."""

    def __init__(self, actions: Actions) -> None:
        variables = environment("WhatsAppFlows", Stage="local") | {
            "MESSAGES_TABLE_NAME": actions.harness.resources.table.name,
            "WHATSAPP_APP_SECRET_ID": "app-secrets",
        }
        with pytest.MonkeyPatch.context() as patch:
            for name, value in variables.items():
                patch.setenv(name, value)
            self.module = importlib.reload(importlib.import_module("whatsapp.handlers.flows"))

    def call(
        self,
        request: dict[str, Any],
        public_key: str,
        *,
        account: str = WABA,
        secret: str = APP_SECRET,
    ) -> tuple[int, Any]:
        """Return status and decrypted content of the answer; the content is None if the answer is empty."""
        sent = client.encrypted(request, public_key)
        return self.send(sent, account=account, secret=secret)

    def send(
        self, sent: Exchange, *, account: str = WABA, secret: str = APP_SECRET, **changes: Any
    ) -> tuple[int, Any]:
        answer = self.module.handler(sent.event(secret, account) | changes, None)
        assert answer["headers"]["Content-Type"] == "text/plain"
        body = answer["body"]
        return answer["statusCode"], sent.opened(body) if body else None


def published_key(actions: Actions, phone: str) -> str:
    """The public key that the provider has for a number."""
    return str(actions.sandbox.objects["flow keys"][phone])


def token_of(actions: Actions) -> str:
    """The token in the newest message that was sent."""
    bodies = [sent.body for sent in actions.wire if isinstance(sent.body, dict)]
    text = next(json.dumps(body) for body in reversed(bodies) if "flow_token" in json.dumps(body))
    return text.partition('"flow_token": "')[2].partition('"')[0]
