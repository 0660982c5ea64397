"""A client of the actions of a simulated system, which repeats a call with the same idempotency key."""

from __future__ import annotations

import copy
import json
import os
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from unittest import mock

import boto3

from events.whatsapp.payloads import text
from events.whatsapp.sample_data import COMPANY, COUNTER, WORKSHOP
from shared.api.auth import Caller, Scope
from shared.aws.dynamodb import Table
from shared.runtime import clock
from tests import template
from tests.simulation import stored
from tests.simulation.interceptor import Died
from tests.simulation.processes import imported, quiet
from tests.simulation.whatsapp.event_builders import ada_message, webhook_of
from tests.simulation.whatsapp.system import Invocation, grant_numbers, registered
from whatsapp.actions.dispatch import bootstrap

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from tests.simulation.whatsapp.actions.scenario import Json, Scenario
    from tests.simulation.whatsapp.system import Snapshot, System

CALLER = Caller(
    company=COMPANY,
    scopes=frozenset(
        {*(str(one) for one in Scope if one.startswith("whatsapp:")), Scope.CONTACTS_READ}
    ),
    principal="api-key:client",
)
MINUTE_MS = 60_000
KEY = "key-00000001"
VPC_ENDPOINT = "vpce-0123456789abcdef0"
MINUTES_UNTIL_SETTLED = 4
# Keys of items with which the schedule works in each minute: sends without an outcome, and campaigns.
_OF_SCHEDULE = ("INTENT#", "CAMPAIGN#")
# With the keys of its other jobs. Without any, it does nothing between the failure of a call and its repetition.
_OF_ANY_JOB = (*_OF_SCHEDULE, "ORDER#", "REFUND#", "TIMER#")


@dataclass
class Answer:
    """The answer of a call; *result* is empty for a failure."""

    status: int
    content: Json

    @property
    def result(self) -> Json:
        found: Json = self.content.get("result", {})
        return found

    @property
    def is_open(self) -> bool:
        """Whether the outcome at the provider is unknown: of the call, or of the message that it sends besides."""
        told = [self.result, *(self.result.get(name) or {} for name in ("confirmation", "message"))]
        return any(one.get("state") in {"in_doubt", "unknown"} for one in told)


@dataclass(frozen=True, kw_only=True)
class Start:
    """
    A system before a scenario's call, and the parameters of the call.

    *templates* and *objects* are what the providers keep, *answers* what they have answered before. *parameters* are
    the versions in the parameter store.
    """

    body: Json
    stored: Snapshot
    templates: list[Any]
    objects: Json
    answers: list[Any]
    parameters: dict[str, list[Any]]


@dataclass
class Actor:
    """
    The function of the actions of a system. *prepared*: the answers of providers before the scenario's call.

    *undisturbed*: the calls and the final state of runs without failures.
    """

    system: System
    module: ModuleType
    first: Snapshot | None = None
    prepared: list[Any] = field(default_factory=list)
    undisturbed: dict[Scenario, tuple[list[str], Json]] = field(default_factory=dict)
    _starts: dict[Scenario, Start] = field(default_factory=dict)

    def begin(self, scenario: Scenario) -> Json:
        """Prepare the system for the scenario's call, and return the parameters of the call."""
        if scenario not in self._starts:
            self._starts[scenario] = self._prepare(scenario)
        start, sandbox = self._starts[scenario], self.system.sandbox
        self.system.restore(start.stored)
        stored.restore_parameters(start.parameters)
        sandbox.templates.extend(copy.deepcopy(start.templates))
        sandbox.objects.update(copy.deepcopy(start.objects))
        self.prepared = start.answers
        self.new_process()
        return copy.deepcopy(start.body)

    def _prepare(self, scenario: Scenario) -> Start:
        """Make the calls before the scenario's call."""
        system = self.system
        if self.first is None:
            system.reset()
            system.deliver_until_accepted(webhook_of(ada_message("hello", text("Is it ready?"))))
            system.drain()
            self.first = system.snapshot()
        system.restore(self.first)
        self.new_process()
        if scenario.prepare is not None:
            scenario.prepare(system)
        results: list[Json] = []
        for number, (action, body) in enumerate(scenario.before):
            answer = self.call(
                action, body(results) if callable(body) else body, f"before-{number:04d}"
            )
            assert answer is not None
            assert answer.status in {200, 202}, (action, answer.content)
            results.append(answer.result)
            system.drain()
        self.wait(scenario.minutes)
        # Two messages of the same moment are in the order of ids that the provider draws.
        system.clock.sleep(1)
        return Start(
            body=scenario.body(results) if callable(scenario.body) else scenario.body,
            answers=[sent.answer for sent in system.sandbox.sent],
            templates=copy.deepcopy(system.sandbox.templates),
            objects=copy.deepcopy(dict(system.sandbox.objects)),
            parameters=stored.parameters(),
            stored=system.snapshot(),
        )

    def call(self, action: str, body: Json, key: str = KEY) -> Answer | None:
        """Call an action; None if the function was killed."""
        event = {
            "resource": "/whatsapp/actions/{action}",
            "path": f"/whatsapp/actions/{action}",
            "httpMethod": "POST",
            "headers": {"Idempotency-Key": key, "Content-Type": "application/json"},
            "multiValueHeaders": {},
            "pathParameters": {"action": action},
            "queryStringParameters": None,
            "requestContext": {
                "requestId": f"request-{self.system.clock.ms}",
                "domainName": "api.example.com",
                "stage": "v1",
                "authorizer": CALLER.as_context(),
            },
            "body": json.dumps(body),
            "isBase64Encoded": False,
        }
        self.system.interceptor.start_run()
        try:
            with quiet():
                answer = self.module.handler(event, Invocation())
        except Died:
            self.new_process()
            return None
        return Answer(answer["statusCode"], json.loads(answer["body"]))

    def new_process(self) -> None:
        """A cold start: the state in memory is lost."""
        self.system.new_process()
        resources = self.module.resources
        for secret in (resources.tokens, resources.seal_secret, resources.webhook_secrets):
            secret._value = None
        self.module.identifier_keys._value = None
        bootstrap.parameters.cache_clear()  # type: ignore[attr-defined] # of functools.cache

    def wait(self, minutes: int) -> None:
        """Let minutes pass: the schedule runs in each, and the workers handle what it queues."""
        for _ in range(minutes):
            self.system.clock.ms += MINUTE_MS
            self.system.run_schedule()
            self.system.drain()

    def settle(self, minutes: int = MINUTES_UNTIL_SETTLED, *, is_end: bool = True) -> None:
        """
        Let minutes pass until leases have expired.

        Of the schedule only the runs with work, and the last one; before the call is repeated only if a job has work.
        """
        for left in reversed(range(minutes)):
            self.system.clock.ms += MINUTE_MS
            due = _OF_SCHEDULE if left else "" if is_end else _OF_ANY_JOB
            if any(key.startswith(due) for key in stored.keys_of(self.system.table.name)):
                self.system.run_schedule()
            self.system.drain()

    def effects(self, scenario: Scenario) -> list[str]:
        """The operations of the scenario's effect that providers executed."""
        made = [sent.operation for sent in self.system.sandbox.sent]
        return [operation for operation in made if operation in scenario.effect]


@contextmanager
def actor_of(system: System) -> Iterator[Actor]:
    """The client of a system whose interceptor is installed."""
    given = {"Stage": "local", "SandboxUrl": system.sandbox.url}
    direct = boto3.Session()
    secrets = direct.client("secretsmanager")
    with suppress(secrets.exceptions.ResourceExistsException):
        name = template.properties("ApiSealSecret", **given)["Name"]
        secrets.create_secret(Name=name, SecretString='{"seal_key": "sealed"}')
    dynamodb = direct.client("dynamodb")
    log = template.create_table(dynamodb, "ConversationLogTable", **given)
    grant_numbers(Table(dynamodb, log), (registered(COUNTER), registered(WORKSHOP)))
    switch: dict[str, Any] = template.properties("WhatsAppSwitchSafeMode", **given)
    direct.client("ssm").put_parameter(
        Name=switch["Name"], Value="false", Type="String", Overwrite=True
    )
    variables = template.environment("WhatsAppActions", VpcEndpointId=VPC_ENDPOINT, **given)
    module = imported("whatsapp.handlers.actions", variables)
    with mock.patch.dict(os.environ, template.environment("WhatsAppJobs", **given)):
        system.media._resources_of_actions()  # loaded at the first job that needs them
    with mock.patch.object(clock, "sleep_ms", lambda ms: system.clock.sleep(ms / clock.SECOND_MS)):
        yield Actor(system, module)
    dynamodb.delete_table(TableName=log)  # of another context, which other tests create too
