"""Sets up the inbox: table, bucket and secrets of the template in moto, and handlers under their own environments."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from unittest import mock

import boto3
import urllib3
from botocore import endpoint
from moto import mock_aws

import shared.runtime.clock
from events.whatsapp.sample_data import APP_ID, APP_SECRET, COMPANY, SOCIAL_TOPIC_ARN, VERIFY_TOKEN
from local.sandbox import Config, running
from tests import keyring, template
from tests.simulation.clock import Clock
from tests.simulation.fifo import FifoQueue
from tests.simulation.interceptor import Interceptor
from tests.simulation.processes import imported, uncollected
from tests.simulation.whatsapp.system import System

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from local.sandbox import Sandbox

GRAPH_TOKEN = "a token of the sandbox"


@contextmanager
def running_system() -> Iterator[System]:
    """moto, a provider sandbox, and a system that uses both."""
    with mock_aws():
        s3 = boto3.Session().client("s3")

        def put_object(bucket: str, key: str, content: bytes, content_type: str) -> None:
            s3.put_object(Bucket=bucket, Key=key, Body=content, ContentType=content_type)

        with (
            running(Config(put_object=put_object)) as sandbox,
            new_system(sandbox) as system,
            uncollected(),
        ):
            yield system


@contextmanager
def new_system(sandbox: Sandbox) -> Iterator[System]:
    """The system, while moto is on. Handlers are imported again: their clients use this system's interceptor."""
    given = {
        "Stage": "local",
        "SandboxUrl": sandbox.url,
    }
    queue = template.properties("WhatsAppQueue", **given)
    clock = Clock()
    bounds = (queue["VisibilityTimeout"] * 1_000, queue["RedrivePolicy"]["maxReceiveCount"])
    other_queues = {
        template.properties(name, **given)["QueueName"]: FifoQueue(clock, *bounds)
        for name in ("ConversationsInboundQueue", "ConversationsStatusesQueue")
    }
    of_jobs = [
        template.properties(name, **given)
        for name in ("WhatsAppJobsQueue", "WhatsAppCampaignsQueue")
    ]
    standard = {one["QueueName"]: one["VisibilityTimeout"] * 1_000 for one in of_jobs}
    assert all(one["RedrivePolicy"]["maxReceiveCount"] == bounds[1] for one in of_jobs)
    fifo = FifoQueue(clock, *bounds, elsewhere=other_queues, standard=standard)
    interceptor = Interceptor(fifo)
    session = boto3.Session()
    interceptor.hook_into(session)
    urlopen = urllib3.HTTPConnectionPool.urlopen
    with (
        mock.patch.object(boto3, "DEFAULT_SESSION", session),
        mock.patch.object(shared.runtime.clock, "now_ms", clock.now_ms),
        mock.patch.object(endpoint, "time", clock),
        mock.patch.object(urllib3.HTTPConnectionPool, "urlopen", interceptor.wrap(urlopen)),
    ):
        settings = template.environment("WhatsAppWorker", **given)
        _create(settings, given)
        webhook, social, worker, media, scheduled, admin = (
            imported(module, template.environment(function, **given) | extra)
            for function, module, extra in (
                ("WhatsAppWebhook", "whatsapp.handlers.webhook", {}),
                (
                    "WhatsAppSocial",
                    "whatsapp.handlers.social",
                    {"SOCIAL_TOPIC_ARNS": SOCIAL_TOPIC_ARN},
                ),
                ("WhatsAppWorker", "whatsapp.handlers.worker", {}),
                ("WhatsAppJobs", "whatsapp.handlers.jobs", {}),
                ("WhatsAppScheduled", "whatsapp.handlers.scheduled", {}),
                (
                    "WhatsAppAdmin",
                    "whatsapp.handlers.admin",
                    {"SOCIAL_TOPIC_ARNS": SOCIAL_TOPIC_ARN},
                ),
            )
        )
        system = System(
            sandbox,
            clock,
            fifo,
            interceptor,
            webhook,
            social,
            worker,
            media,
            scheduled,
            admin,
            settings,
        )
        _keep_outcomes(system)
        variables = {"AWS_ENDPOINT_URL_SOCIALMESSAGING": sandbox.url}
        with mock.patch.dict(os.environ, variables):  # boto3 reads it when the client is made
            yield system


def _keep_outcomes(system: System) -> None:
    """Record the outcome of each message from the handlers' own reports."""
    for module in (system.worker, system.media):
        _keep_outcomes_of(module, lambda: system.outcomes)


def _keep_outcomes_of(module: ModuleType, outcomes: Callable[[], dict[str, str]]) -> None:
    worker = module.worker

    def noted(record: Any, handled: Any) -> None:
        outcomes()[record.message_id] = handled.outcome.value
        worker.report(record, handled)

    module.worker = replace(worker, report=noted)  # type: ignore[attr-defined]


def _create(settings: dict[str, str], given: dict[str, str]) -> None:
    """Table, bucket and secrets of the template, in moto."""
    direct_session = boto3.Session()
    for table in ("WhatsAppTable", "SpendingTable", "AttemptsTable"):
        template.create_table(direct_session.client("dynamodb"), table, **given)
    template.create_audit_log(direct_session.client("dynamodb"), **given)
    direct_session.client("s3").create_bucket(Bucket=settings["MEDIA_BUCKET_NAME"])
    secrets = {
        "WhatsAppAppSecrets": {
            "verify_token": VERIFY_TOKEN,
            "apps": {APP_ID: [APP_SECRET]},
        },
        "WhatsAppAccessTokens": {COMPANY: GRAPH_TOKEN},
        "WhatsAppCanarySecret": {"app_secret": "of the canary"},
        "IdentifierKeysSecret": keyring.SECRET,
        "ApiSealSecret": {"seal_key": "sealed"},
    }
    client = direct_session.client("secretsmanager")
    for logical_id, value in secrets.items():
        name = template.properties(logical_id, **given)["Name"]
        client.create_secret(Name=name, SecretString=json.dumps(value))
