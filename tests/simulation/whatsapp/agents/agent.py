"""An agent at the simulated inbox: the function that sends, and a client that repeats a request with the same key."""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3

from events.whatsapp.sample_data import ADA, COMPANY, COUNTER
from shared.api.auth import Caller
from shared.api.opaque_ids import seal_of
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import digest
from tests import template
from tests.aws import api_gateway
from tests.simulation.interceptor import Died
from tests.simulation.processes import imported, quiet
from tests.simulation.whatsapp.system import Invocation, registered
from whatsapp.store.items import Conversation

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from events.whatsapp.sample_data import BusinessNumber
    from tests.simulation.whatsapp.system import System

AGENT = Caller(company=COMPANY, scopes=frozenset({"whatsapp:send"}), principal="api-key:agent")
TEXT = "Your bike is ready."
MINUTE_MS = 60_000
SEAL: dict[str, Any] = {"seal_key": "sealed"}


class _SealSecret(JsonSecret):
    """The seal's secret, without a read."""

    def __init__(self) -> None:
        super().__init__(_no_client, "seal")

    def value(self) -> dict[str, Any]:
        return SEAL


def _no_client() -> Any:
    raise AssertionError("the secret is known")


@dataclass
class Agent:
    """The sending function of a system."""

    system: System
    module: ModuleType

    def key_of(self, number: BusinessNumber) -> str:
        """The sealed key of a number's conversation with Ada."""
        head = Conversation.key(registered(number).arn_suffix, ADA.wa_id)
        return seal_of(_SealSecret()).seal(head, bound_to=digest("conversation", COMPANY))

    def send(
        self,
        key: str = "key-00000001",
        text: str = TEXT,
        template: dict[str, object] | None = None,
    ) -> tuple[int, dict[str, Any]] | None:
        """Send a text or a template; status and body of the answer, None if the function was killed."""
        event = api_gateway.request(
            "POST /whatsapp/conversations/{key}/messages",
            {"template": template} if template else {"text": text},
            AGENT,
            path={"key": self.key_of(COUNTER)},
            headers={"Idempotency-Key": key},
            request_id=f"request-{self.system.clock.ms}",
        )
        self.system.interceptor.start_run()
        try:
            with quiet():
                answer = self.module.handler(event, Invocation())
        except Died:
            self.new_process()
            return None
        return answer["statusCode"], json.loads(answer["body"])

    def new_process(self) -> None:
        """A cold start of both functions: the state in memory is lost."""
        self.system.new_process()
        self.module.resources.tokens._value = None
        self.module.deps.seal_secret._value = None
        self.module.identifier_keys._value = None
        self.module._parameters.cache_clear()

    def wait(self, minutes: int) -> None:
        """Let minutes pass: the schedule runs in each, and the worker handles what it queues."""
        for _ in range(minutes):
            self.system.clock.ms += MINUTE_MS
            self.system.run_schedule()
            self.system.drain()

    @property
    def wire(self) -> list[dict[str, Any]]:
        """The messages that the provider received."""
        bodies = [sent.body for sent in self.system.sandbox.sent]
        return [body for body in bodies if isinstance(body, dict) and "type" in body]


@contextmanager
def agent_of(system: System) -> Iterator[Agent]:
    """The agent of a system whose interceptor is installed."""
    given = {"Stage": "local", "SandboxUrl": system.sandbox.url}
    direct = boto3.Session()
    secrets = direct.client("secretsmanager")
    with suppress(secrets.exceptions.ResourceExistsException):
        name = template.properties("ApiSealSecret", **given)["Name"]
        secrets.create_secret(Name=name, SecretString=json.dumps(SEAL))
    dynamodb = direct.client("dynamodb")
    log = template.create_table(dynamodb, "ConversationLogTable", **given)
    switch = template.properties("WhatsAppSwitchSafeMode", **given)["Name"]
    direct.client("ssm").put_parameter(Name=switch, Value="false", Type="String")
    module = imported("whatsapp.handlers.sending", template.environment("WhatsAppSending", **given))
    yield Agent(system, module)
    dynamodb.delete_table(TableName=log)  # of another context, which other tests create too
