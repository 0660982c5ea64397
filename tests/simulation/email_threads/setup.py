"""Sets up e-mail: table, buckets and secrets of the template in moto, and handlers under their environments."""

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
from local.sandbox import Config, running
from tests import keyring, template
from tests.simulation.clock import Clock
from tests.simulation.email_threads.system import MODEL_KEY, System
from tests.simulation.fifo import FifoQueue
from tests.simulation.fifo_queues import FifoQueues
from tests.simulation.interceptor import Interceptor
from tests.simulation.processes import imported, uncollected

if TYPE_CHECKING:
    from collections.abc import Iterator

    from local.sandbox import Sandbox

QUEUES = (
    "EmailInboundQueue",
    "EmailThreadsQueue",
    "ConversationsInboundQueue",
    "ConversationsStatusesQueue",
)
FUNCTIONS = {
    "EmailThreadsIngest": "email_threads.handlers.ingest",
    "EmailThreadsWorker": "email_threads.handlers.worker",
    "EmailThreadsScheduled": "email_threads.handlers.scheduled",
    "EmailThreadsApi": "email_threads.handlers.api",
}


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
    given = {"Stage": "local", "SandboxUrl": sandbox.url}
    clock = Clock()
    named = {one: template.properties(one, **given)["QueueName"] for one in QUEUES}
    queues = FifoQueues({named[one]: _queue(one, clock, given) for one in QUEUES})
    interceptor = Interceptor(queues)
    session = boto3.Session()
    interceptor.hook_into(session)
    urlopen = urllib3.HTTPConnectionPool.urlopen
    with (
        mock.patch.object(boto3, "DEFAULT_SESSION", session),
        mock.patch.object(shared.runtime.clock, "now_ms", clock.now_ms),
        mock.patch.object(shared.runtime.clock, "sleep_ms", lambda ms: clock.sleep(ms / 1_000)),
        mock.patch.object(endpoint, "time", clock),
        mock.patch.object(urllib3.HTTPConnectionPool, "urlopen", interceptor.wrap(urlopen)),
        mock.patch.dict(os.environ, {"AWS_ENDPOINT_URL_SESV2": sandbox.url}),
    ):
        settings = template.environment("EmailThreadsWorker", **given)
        _create(settings, given)
        ingest, worker, scheduled, api = (
            imported(module, template.environment(function, **given))
            for function, module in FUNCTIONS.items()
        )
        yield System(
            sandbox=sandbox,
            clock=clock,
            fifo_queues=queues,
            interceptor=interceptor,
            workers={named["EmailInboundQueue"]: ingest, named["EmailThreadsQueue"]: worker},
            ingest=ingest,
            worker=worker,
            scheduled=scheduled,
            api=api,
            table=settings["EMAIL_CONVERSATIONS_TABLE_NAME"],
            bucket=settings["EMAIL_BUCKET_NAME"],
            media=settings["MEDIA_BUCKET_NAME"],
            inbound=named["EmailInboundQueue"],
            queue=named["EmailThreadsQueue"],
            conversations=named["ConversationsInboundQueue"],
            statuses=named["ConversationsStatusesQueue"],
            log=settings["CONVERSATION_LOG_TABLE_NAME"],
        )


def _queue(logical_id: str, clock: Clock, given: dict[str, str]) -> FifoQueue:
    wanted = template.properties(logical_id, **given)
    most, hidden_ms = (
        wanted["RedrivePolicy"]["maxReceiveCount"],
        wanted["VisibilityTimeout"] * 1_000,
    )
    standard = {} if wanted.get("FifoQueue") else {wanted["QueueName"]: hidden_ms}
    return FifoQueue(clock, hidden_ms, most, standard=standard)


def _create(settings: dict[str, str], given: dict[str, str]) -> None:
    """Table, buckets and secrets of the template, in moto."""
    direct_session = boto3.Session()
    for table in ("EmailThreadsTable", "ConversationLogTable", "AttemptsTable"):
        template.create_table(direct_session.client("dynamodb"), table, **given)
    for name in ("EMAIL_BUCKET_NAME", "MEDIA_BUCKET_NAME"):
        direct_session.client("s3").create_bucket(Bucket=settings[name])
    client = direct_session.client("secretsmanager")
    secrets = {"IdentifierKeysSecret": keyring.SECRET, "ApiSealSecret": {"seal_key": "sealed"}}
    for logical_id, value in secrets.items():
        name = template.properties(logical_id, **given)["Name"]
        client.create_secret(Name=name, SecretString=json.dumps(value))
    client.create_secret(Name=MODEL_KEY, SecretString=json.dumps({"ai_api_key": "a key"}))
