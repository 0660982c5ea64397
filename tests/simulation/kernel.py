"""
The kernel of the simulations: it deploys a part of the template and starts its functions as separate processes.

Tables, buckets, secrets and parameters are in moto, queues in memory, providers in the sandbox. All calls of the
functions pass one interceptor, and all times are of one clock.
"""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import boto3
import pytest
import urllib3
from botocore import endpoint
from moto import mock_aws

import shared.runtime.clock
from local.sandbox import Config
from local.sandbox import running as running_sandbox
from tests import template
from tests.aws import client_pool
from tests.simulation.clock import Clock
from tests.simulation.interceptor import Interceptor
from tests.simulation.processes import imported

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import ModuleType

    from local.sandbox import Sandbox
    from tests.simulation.simulated_system import SimulatedSystem


@dataclass(frozen=True, kw_only=True)
class Parts:
    """
    What a simulation deploys, by logical id.

    *tables* have the name of their use: their items are restored with a snapshot, as the objects of *buckets* are.
    *secrets* that the template does not have are named directly. *services* of AWS are in the sandbox, with the names
    that AWS_ENDPOINT_URL_* has. *parameters* are of the template, *variables* replace some of a function. *switches*
    are the parameters of the parameter store below *switches_at*; a reset sets them again.
    """

    functions: tuple[str, ...]
    queues: tuple[str, ...]
    tables: Mapping[str, str]
    buckets: tuple[str, ...] = ()
    secrets: Mapping[str, Any]
    services: tuple[str, ...] = ()
    parameters: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    switches_at: str = ""
    switches: Mapping[str, str] = field(default_factory=dict)


@contextmanager
def running[S: SimulatedSystem[Any]](kind: type[S], **parameters: str) -> Iterator[S]:
    """moto, a provider sandbox, and a system that uses both. *parameters* are the template's."""
    with mock_aws():
        s3 = client_pool.direct("s3")

        def put_object(bucket: str, key: str, content: bytes, content_type: str) -> None:
            s3.put_object(Bucket=bucket, Key=key, Body=content, ContentType=content_type)

        with (
            running_sandbox(Config(put_object=put_object)) as sandbox,
            _deployed(kind, sandbox, parameters) as system,
        ):
            yield system


def fixtures[S: SimulatedSystem[Any]](kind: type[S], **parameters: str) -> tuple[Any, Any]:
    """The fixtures `_system`, which runs for a module, and `system`, which is reset for each test."""

    @pytest.fixture(scope="module")  # not wider: other suites in this process have their own moto
    def _system() -> Iterator[S]:
        with running(kind, **parameters) as system:
            yield system

    @pytest.fixture
    def system(_system: S) -> S:
        return _system.reset()

    return _system, system


@contextmanager
def _deployed[S: SimulatedSystem[Any]](
    kind: type[S], sandbox: Sandbox, parameters: Mapping[str, str]
) -> Iterator[S]:
    """Handlers are imported again: their clients use the interceptor of this system."""
    parts, clock = kind.parts, Clock()
    given = {"Stage": "local", "SandboxUrl": sandbox.url, **parts.parameters, **parameters}
    interceptor = Interceptor(kind.new_queues(clock, given))
    urlopen = urllib3.HTTPConnectionPool.urlopen
    with (
        client_pool.hooked(interceptor.hook_into) as session,
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(tempfile, "tempdir", folder),
        mock.patch.object(boto3, "DEFAULT_SESSION", session),
        mock.patch.object(shared.runtime.clock, "now_ms", clock.now_ms),
        mock.patch.object(shared.runtime.clock, "sleep_ms", lambda ms: clock.sleep(ms / 1_000)),
        mock.patch.object(endpoint, "time", clock),
        mock.patch.object(urllib3.HTTPConnectionPool, "urlopen", interceptor.wrap(urlopen)),
        mock.patch.dict(
            os.environ, {f"AWS_ENDPOINT_URL_{one}": sandbox.url for one in parts.services}
        ),
    ):
        _create(parts, given)
        yield kind(
            sandbox=sandbox,
            clock=clock,
            interceptor=interceptor,
            given=given,
            functions={name: _process(name, parts, given) for name in parts.functions},
            folder=Path(folder),
        )


def _process(function: str, parts: Parts, given: Mapping[str, str]) -> ModuleType:
    variables = {**template.environment(function, **given), **parts.variables.get(function, {})}
    module = template.properties(function, **given)["Handler"].removesuffix(".handler")
    return imported(module, variables)


def _create(parts: Parts, given: Mapping[str, str]) -> None:
    dynamodb = client_pool.direct("dynamodb")
    for table in (*parts.tables.values(), "AttemptsTable"):
        template.create_table(dynamodb, table, **given)
    template.create_audit_log(dynamodb, **given)
    for bucket in parts.buckets:
        client_pool.direct("s3").create_bucket(Bucket=template.name_of(bucket, **given))
    secrets = client_pool.direct("secretsmanager")
    known = template.resources("AWS::SecretsManager::Secret")
    for secret, value in parts.secrets.items():
        name = template.name_of(secret, **given) if secret in known else secret
        secrets.create_secret(Name=name, SecretString=json.dumps(value))
