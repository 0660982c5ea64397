"""The admin API over moto and the sandbox: its handler, called with API Gateway events, and the stored rows."""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import boto3
import pytest

from shared.api.auth import Caller
from tests.aws import api_gateway
from tests.integration.answers import Answer
from tests.integration.logs import recorded
from tests.integration.richpanel.harness import PATH, Context, Harness
from tests.integration.richpanel.recovery.sweeper import taken
from tests.template import create_queue, environment, properties, put_parameter

if TYPE_CHECKING:
    from types import ModuleType

SWITCHES = "/admin/richpanel/switches"
CONVERSATION = "/admin/richpanel/conversations/{ticket_id}"
REPLAY = f"{CONVERSATION}/replay"
CLEAR_RISK = f"{CONVERSATION}/clear-risk"
PARKED = "/richpanel/parked"
REPLAY_PARKED = f"{PARKED}/{{event_id}}/replay"
REPLAY_ALL = f"{PARKED}/replay"
LETTERS = "/richpanel/dead-letters"
REDRIVE = f"{LETTERS}/redrive"
HEALTH = "/admin/richpanel/health"
DECISIONS = "/admin/richpanel/decisions"
SETTINGS = "/admin/richpanel/settings"
ACCOUNT = "/admin/richpanel/account"
KEYS = "/admin/richpanel/keys"
TOKENS = "/admin/richpanel/webhook-tokens"
PREVIEW = f"{SETTINGS}/preview"
ROLLBACK = f"{SETTINGS}/rollback"
DOCUMENT = "GET /admin/richpanel/openapi.json"
READS = [
    f"GET {SWITCHES}",
    f"GET {DECISIONS}",
    "GET /admin/richpanel/forecast",
    f"GET {CONVERSATION}",
    f"GET {HEALTH}",
    f"GET {SETTINGS}",
    f"GET {SETTINGS}/versions",
    f"GET {SETTINGS}/versions/{{number}}",
    "GET /admin/richpanel/templates",
    "GET /admin/richpanel/sets",
    "GET /admin/richpanel/sets/{set_name}",
    "GET /admin/richpanel/runs/{run_id}",
    f"GET {ACCOUNT}",
    f"POST {PREVIEW}",
]
BODIES = {f"POST {PREVIEW}": {"template": "t_return_request_intake"}}
CHANGES = [
    f"PUT {SWITCHES}",
    f"POST {REPLAY}",
    f"POST {CLEAR_RISK}",
    f"DELETE {CONVERSATION}",
    f"PUT {SETTINGS}",
    f"POST {ROLLBACK}",
    f"POST {SETTINGS}/versions",
    f"POST {SETTINGS}/versions/{{number}}/live",
    "POST /admin/richpanel/sets/{set_name}",
    "POST /admin/richpanel/sets/{set_name}/runs",
    "POST /admin/richpanel/playground",  # changes nothing, but asks the model
]
SECRETS = [f"POST {KEYS}", f"POST {TOKENS}", f"DELETE {TOKENS}"]
RECOVERY = [
    f"GET {PARKED}",
    f"POST {REPLAY_PARKED}",
    f"POST {REPLAY_ALL}",
    f"GET {LETTERS}",
    f"POST {REDRIVE}",
]
WHERE = "Hi, where is my order? It has not arrived yet."
DISPUTE = "I have told my bank to open a chargeback for this payment."


def caller(*scopes: str) -> Caller:
    return Caller(company="acme", scopes=frozenset(scopes), principal="api-key:0123456789012345")


READER = caller("richpanel:read")
OPERATOR = caller("richpanel:operate")
HOST = caller("operator")  # operates the whole deployment
PERSON = Caller(company="acme", scopes=frozenset({"operator"}), principal="user:sub-1")


@dataclass
class Admin:
    module: ModuleType
    harness: Harness
    left_ms: int = 29_000
    calls: int = 0

    def call(
        self,
        line: str,
        who: Caller | None = OPERATOR,
        *,
        ticket: str = "t-1",
        event_id: str = "-",
        named: str = "1",
        body: Any = None,
        key: str | None = None,
        **query: Any,
    ) -> Answer:
        """Call the function (`GET /path`) with an API Gateway event; each call has its own request id."""
        self.calls += 1
        event = api_gateway.request(
            line,
            body,
            who,
            path={
                "ticket_id": quote(ticket, safe=""),
                "event_id": quote(event_id, safe=""),
                "number": named,
                "set_name": named,
                "run_id": named,
            },
            query=query,
            headers={"Idempotency-Key": key} if key else {},
            request_id=f"request-{self.calls}",
        )
        answer = self.module.handler(event, Context("request-1", self.left_ms))
        return Answer(answer["statusCode"], json.loads(answer["body"]))

    def replay(self, mode: str, ticket: str = "t-1") -> Answer:
        return self.call(f"POST {REPLAY}", ticket=ticket, body={"mode": mode})

    def events(self) -> list[dict[str, Any]]:
        """Receive and delete all events on the queue of mails."""
        return [json.loads(body) for body in taken(self.module.deps.queues.mail)]

    def traces(self, about: str = "sys:switches") -> list[dict[str, Any]]:
        """The audit rows of operators' changes, oldest first."""
        rows = [row for row in self.harness.rows("audit") if row["conversation_id"] == about]
        ordered = sorted(rows, key=lambda row: str(row["ts_action_id"]))
        return [
            json.loads(row["action_payload_redacted"]) | {"result": row["result"]}
            for row in ordered
            if row["action_type"] == "switch"
        ]

    def stored(self) -> dict[str, str]:
        """The switches in the parameter store."""
        found = boto3.client("ssm").get_parameters_by_path(Path=PATH, Recursive=True)
        return {one["Name"].rpartition("/")[2]: one["Value"] for one in found["Parameters"]}

    def everything(self) -> list[Any]:
        """All rows except rows of the request limit."""
        return [
            [row for row in self.harness.rows(table) if "sys:limiter" not in str(row)]
            for table in ("idempotency", "state", "audit")
        ]


@pytest.fixture
def admin(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> Admin:
    given = environment("RichpanelAdmin", SandboxUrl=harness.sandbox.url)
    account = json.dumps({"bot_author_id": "bot-1"})
    put_parameter(boto3.client("ssm"), "RichpanelAccountSettings", RichpanelAccount=account)
    given["STAGE"] = "local"  # other stages call no sandbox
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    secrets = boto3.client("secretsmanager")
    for variable, secret, value in (
        (
            "RICHPANEL_KEYS_ID",
            "RichpanelKeys",
            '{"richpanel": "a-key", "salt": "of the tests", "shopify": "a-token"}',
        ),
        ("API_SEAL_SECRET_ID", "ApiSealSecret", '{"seal_key": "sealed"}'),
        ("RICHPANEL_WEBHOOK_SECRET_ID", "RichpanelWebhookSecret", '{"active_tokens": "the-first"}'),
    ):
        known = properties(secret)["Name"]
        secrets.create_secret(Name=known, SecretString=value)
        monkeypatch.setenv(variable, known)
    for queue in ("RichpanelQueue", "RichpanelLiveQueue", "RichpanelDeadLetters"):
        create_queue(boto3.client("sqs"), queue)
    module = importlib.reload(importlib.import_module("richpanel.handlers.admin"))
    object.__setattr__(module.deps.dead_letters, "wait_seconds", 0)
    return Admin(module, harness)


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    return recorded(monkeypatch)
