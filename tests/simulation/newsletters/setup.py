"""Sets up newsletters: table, bucket and secrets of the template in moto, and handlers under their environments."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import boto3
import urllib3
from botocore import endpoint
from moto import mock_aws

import shared.runtime.clock
from local.sandbox import Config, running
from tests import template
from tests.simulation.clock import Clock
from tests.simulation.fifo import FifoQueue
from tests.simulation.fifo_queues import FifoQueues
from tests.simulation.interceptor import Interceptor
from tests.simulation.newsletters.system import MODEL_KEY, System
from tests.simulation.processes import imported, uncollected

if TYPE_CHECKING:
    from collections.abc import Iterator

    from local.sandbox import Sandbox

QUEUES = ("NewsletterStepsQueue", "NewsletterExportsQueue")
FUNCTIONS = {
    "NewslettersApi": "newsletters.handlers.api",
    "NewslettersWorker": "newsletters.handlers.worker",
    "NewslettersExports": "newsletters.handlers.exports",
    "NewslettersScheduled": "newsletters.handlers.scheduled",
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
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(tempfile, "tempdir", folder),  # caches of indexes
        mock.patch.object(boto3, "DEFAULT_SESSION", session),
        mock.patch.object(shared.runtime.clock, "now_ms", clock.now_ms),
        mock.patch.object(shared.runtime.clock, "sleep_ms", lambda ms: clock.sleep(ms / 1_000)),
        mock.patch.object(endpoint, "time", clock),
        mock.patch.object(urllib3.HTTPConnectionPool, "urlopen", interceptor.wrap(urlopen)),
        mock.patch.dict(os.environ, {"AWS_ENDPOINT_URL_BEDROCK_AGENT_RUNTIME": sandbox.url}),
    ):
        settings = template.environment("NewslettersWorker", **given)
        _create(settings, given)
        api, worker, exports, scheduled = (
            imported(module, template.environment(function, **given))
            for function, module in FUNCTIONS.items()
        )
        yield System(
            sandbox=sandbox,
            clock=clock,
            fifo_queues=queues,
            interceptor=interceptor,
            workers={
                named["NewsletterStepsQueue"]: worker,
                named["NewsletterExportsQueue"]: exports,
            },
            api=api,
            worker=worker,
            exports=exports,
            scheduled=scheduled,
            table=settings["TABLE_NAME"],
            bucket=settings["NEWSLETTERS_BUCKET_NAME"],
            steps_queue=named["NewsletterStepsQueue"],
            exports_queue=named["NewsletterExportsQueue"],
            cache=Path(folder),
            seconds={
                one: template.properties(one, **given).get("Timeout", 25) for one in FUNCTIONS
            },
        )


def _queue(logical_id: str, clock: Clock, given: dict[str, str]) -> FifoQueue:
    wanted = template.properties(logical_id, **given)
    most = wanted["RedrivePolicy"]["maxReceiveCount"]
    return FifoQueue(clock, wanted["VisibilityTimeout"] * 1_000, most)


def _create(settings: dict[str, str], given: dict[str, str]) -> None:
    """Table, bucket and secrets of the template, in moto."""
    direct_session = boto3.Session()
    for table in ("NewslettersTable", "AttemptsTable"):
        template.create_table(direct_session.client("dynamodb"), table, **given)
    direct_session.client("s3").create_bucket(Bucket=settings["NEWSLETTERS_BUCKET_NAME"])
    client = direct_session.client("secretsmanager")
    seal = template.properties("ApiSealSecret", **given)["Name"]
    client.create_secret(Name=seal, SecretString=json.dumps({"seal_key": "sealed"}))
    client.create_secret(Name=MODEL_KEY, SecretString=json.dumps({"ai_api_key": "a key"}))
