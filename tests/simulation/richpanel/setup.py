"""Sets up a help desk: tables, switches and secrets of the template in moto, and handlers under their environments."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING
from unittest import mock

import boto3
import urllib3
from botocore import endpoint
from moto import mock_aws

import shared.runtime.clock
from local.sandbox import running
from richpanel.decisions.templates.catalogue import templates
from tests import keyring, template
from tests.simulation.clock import Clock
from tests.simulation.fifo import FifoQueue
from tests.simulation.fifo_queues import FifoQueues
from tests.simulation.interceptor import Interceptor
from tests.simulation.processes import imported, uncollected
from tests.simulation.richpanel.system import TOKEN, System

if TYPE_CHECKING:
    from collections.abc import Iterator

    from local.sandbox import Sandbox

BOT = "bot-1"
ACCOUNT = {
    "support_signature": "The Acme team",
    "bot_author_id": BOT,
    # The author that the help desk sets for comments created over the API: comments of chats take no author.
    "automation_author_ids": ["operator-of-the-key"],
}
SWITCHES = {
    "safe_mode": "false",
    "automation_enabled": "true",
    "automation_enabled_channels": "email,livechat",
    "template_enabled": json.dumps({name: one.tier is not None for name, one in templates.items()}),
    "tier2_channels": "email",
    "tier2_paths": "linked,number",
    "auto_close_enabled": "true",
    "outbound_scope": "all",
}
TABLES = {
    "idempotency": "RichpanelIdempotencyTable",
    "state": "RichpanelConversationStateTable",
    "audit": "RichpanelAuditActionsTable",
    "spending": "SpendingTable",
}


@contextmanager
def running_system() -> Iterator[System]:
    """moto, a provider sandbox, and a system that uses both."""
    with mock_aws(), running() as sandbox, new_system(sandbox) as system, uncollected():
        system.switch(**SWITCHES)
        yield system


@contextmanager
def new_system(sandbox: Sandbox) -> Iterator[System]:
    """The system, while moto is on. Handlers are imported again: their clients use this system's interceptor."""
    given = {
        "Stage": "local",
        "RichpanelAccount": json.dumps(ACCOUNT),
        "SandboxUrl": sandbox.url,
        "ShopifyVersion": "2026-01",
    }
    clock = Clock()
    fifo_queues = FifoQueues(
        dict(_queue(name, clock, given) for name in ("RichpanelQueue", "RichpanelLiveQueue"))
    )
    interceptor = Interceptor(fifo_queues)
    session = boto3.Session()
    interceptor.hook_into(session)
    urlopen = urllib3.HTTPConnectionPool.urlopen
    with (
        mock.patch.object(boto3, "DEFAULT_SESSION", session),
        mock.patch.object(shared.runtime.clock, "now_ms", clock.now_ms),
        mock.patch.object(shared.runtime.clock, "sleep_ms", lambda ms: clock.sleep(ms / 1_000)),
        mock.patch.object(endpoint, "time", clock),
        mock.patch.object(urllib3.HTTPConnectionPool, "urlopen", interceptor.wrap(urlopen)),
    ):
        tables = _create(given)
        template.put_parameter(boto3.Session().client("ssm"), "RichpanelAccountSettings", **given)
        log = template.create_table(
            boto3.Session().client("dynamodb"), "ConversationLogTable", **given
        )
        webhook, worker = (
            imported(module, template.environment(function, **given))
            for function, module in (
                ("RichpanelWebhook", "richpanel.handlers.webhook"),
                ("RichpanelWorker", "richpanel.handlers.worker"),
            )
        )
        yield System(
            sandbox=sandbox,
            clock=clock,
            fifo_queues=fifo_queues,
            interceptor=interceptor,
            workers=dict.fromkeys(fifo_queues.queues, worker),
            webhook=webhook,
            worker=worker,
            tables=tables,
            log=log,
        )


def _queue(logical_id: str, clock: Clock, given: dict[str, str]) -> tuple[str, FifoQueue]:
    wanted = template.properties(logical_id, **given)
    most = wanted["RedrivePolicy"]["maxReceiveCount"]
    return wanted["QueueName"], FifoQueue(clock, wanted["VisibilityTimeout"] * 1_000, most)


def _create(given: dict[str, str]) -> dict[str, str]:
    """Tables and secrets of the template, in moto; the names of the tables."""
    direct_session = boto3.Session()
    dynamodb, client = direct_session.client("dynamodb"), direct_session.client("secretsmanager")
    secrets = {
        "RichpanelWebhookSecret": {"active_tokens": [TOKEN], "active_hmac_keys": []},
        "RichpanelKeys": {"richpanel": "a key", "shopify": "a token", "salt": "of the simulation"},
        "IdentifierKeysSecret": keyring.SECRET,
    }
    for logical_id, value in secrets.items():
        name = template.properties(logical_id, **given)["Name"]
        client.create_secret(Name=name, SecretString=json.dumps(value))
    template.create_audit_log(dynamodb, **given)
    template.create_table(dynamodb, "AttemptsTable", **given)
    return {use: template.create_table(dynamodb, name, **given) for use, name in TABLES.items()}
