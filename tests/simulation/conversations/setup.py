"""Sets up conversations: tables, switches, bucket and secrets of the template in moto, and the handlers."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING
from unittest import mock

import boto3
import urllib3
from botocore import endpoint
from moto import mock_aws

import shared.runtime.clock
from events.conversations import sample_data, twilio
from local.sandbox import Config, running
from tests import keyring, template
from tests.simulation.clock import Clock
from tests.simulation.conversations.system import System
from tests.simulation.fifo import FifoQueue
from tests.simulation.fifo_queues import FifoQueues
from tests.simulation.interceptor import Interceptor
from tests.simulation.processes import imported, uncollected

if TYPE_CHECKING:
    from collections.abc import Iterator

    from local.sandbox import Sandbox

TABLES = {
    "conversations": "ConversationsTable",
    "log": "ConversationLogTable",
    "company": "CompanyDataTable",
}
# Queue -> (function that reads it, handler module); the last one is the inbox's and has no reader here.
READERS = {
    "ConversationsInboundQueue": ("ConversationsIntake", "intake"),
    "ConversationsWhatsAppQueue": ("ConversationsWhatsApp", "processor"),
    "ConversationsSmsQueue": ("ConversationsSms", "processor"),
    "ConversationsEmailQueue": ("ConversationsEmail", "processor"),
    "ConversationsRepliesQueue": ("ConversationsReplies", "replies"),
    "ConversationsStatusesQueue": ("ConversationsStatuses", "statuses"),
    "ConversationsMediaQueue": ("ConversationsMedia", "media"),
}
CALLED = {
    "ConversationsRouter": "router",
    "ConversationsTwilio": "twilio",
    "ConversationsAwsSms": "aws_sms",
    "ConversationsSweeper": "sweeper",
    "ConversationsAdmin": "admin",
}

DOCUMENTS_BUCKET = template.environment("ConversationsReplies", Stage="local")[
    "NEWSLETTERS_BUCKET_NAME"
]


@contextmanager
def running_system() -> Iterator[System]:
    """moto, a provider sandbox, and a system that uses both."""
    with (
        mock_aws(),
        running(Config()) as sandbox,
        new_system(sandbox) as system,
        uncollected(),
    ):
        yield system


@contextmanager
def new_system(sandbox: Sandbox) -> Iterator[System]:
    """The system, while moto is on. Handlers are imported again: their clients use this system's interceptor."""
    given = {
        "Stage": "local",
        "PublicBaseUrls": twilio.PUBLIC_URL,
        "SandboxUrl": sandbox.url,
    }
    clock = Clock()
    queues = {
        name: _queue(name, clock, given)
        for name in (*READERS, "WhatsAppQueue", "EmailThreadsQueue")
    }
    fifo_queues = FifoQueues(
        {name: queue for name, queue, _ in queues.values()},
        {name: delay for name, _, delay in queues.values()},
    )
    interceptor = Interceptor(fifo_queues)
    session = boto3.Session()
    interceptor.hook_into(session)
    urlopen = urllib3.HTTPConnectionPool.urlopen
    endpoints = {
        f"AWS_ENDPOINT_URL_{service}": sandbox.url
        for service in ("SOCIALMESSAGING", "PINPOINT_SMS_VOICE_V2", "SESV2")
    }
    with (
        mock.patch.object(boto3, "DEFAULT_SESSION", session),
        mock.patch.object(shared.runtime.clock, "now_ms", clock.now_ms),
        mock.patch.object(shared.runtime.clock, "sleep_ms", lambda ms: clock.sleep(ms / 1_000)),
        mock.patch.object(endpoint, "time", clock),
        mock.patch.object(urllib3.HTTPConnectionPool, "urlopen", interceptor.wrap(urlopen)),
        mock.patch.dict(os.environ, endpoints),  # boto3 reads it when a client is made
    ):
        tables, bucket = _create(given)
        workers = {
            queues[queue][0]: imported(
                f"conversations.handlers.{module}", template.environment(function, **given)
            )
            for queue, (function, module) in READERS.items()
        }
        functions = {
            module: imported(
                f"conversations.handlers.{module}", template.environment(function, **given)
            )
            for function, module in CALLED.items()
        }
        yield System(
            sandbox=sandbox,
            clock=clock,
            fifo_queues=fifo_queues,
            interceptor=interceptor,
            workers=workers,
            functions=functions,
            tables=tables,
            bucket=bucket,
        )


def _queue(logical_id: str, clock: Clock, given: dict[str, str]) -> tuple[str, FifoQueue, int]:
    queue_properties = template.properties(logical_id, **given)
    most = queue_properties["RedrivePolicy"]["maxReceiveCount"]
    name, visibility_ms = (
        queue_properties["QueueName"],
        queue_properties["VisibilityTimeout"] * 1_000,
    )
    standard = {} if queue_properties.get("FifoQueue") else {name: visibility_ms}
    queue = FifoQueue(clock, visibility_ms, most, standard=standard)
    return name, queue, queue_properties.get("DelaySeconds", 0) * 1_000


def _create(given: dict[str, str]) -> tuple[dict[str, str], str]:
    """Tables, bucket and secrets of the template, in moto; the names of the tables, and of the bucket."""
    direct_session = boto3.Session()
    secrets = direct_session.client("secretsmanager")
    for name, value in {
        template.properties("TwilioWebhookSecret", **given)["Name"]: twilio.SECRET,
        template.properties("WhatsAppAccessTokens", **given)["Name"]: {},
        template.properties("ApiSealSecret", **given)["Name"]: {"seal_key": "sealed"},
        template.properties("IdentifierKeysSecret", **given)["Name"]: keyring.SECRET,
        sample_data.TWILIO_SECRET_ID: sample_data.TWILIO_SECRET,
    }.items():
        secrets.create_secret(Name=name, SecretString=json.dumps(value))
    bucket = template.environment("ConversationsIntake", **given)["MEDIA_BUCKET_NAME"]
    for name in (bucket, DOCUMENTS_BUCKET):
        direct_session.client("s3").create_bucket(Bucket=name)
    dynamodb = direct_session.client("dynamodb")
    template.create_table(dynamodb, "AttemptsTable", **given)
    tables = {use: template.create_table(dynamodb, name, **given) for use, name in TABLES.items()}
    return tables, bucket
