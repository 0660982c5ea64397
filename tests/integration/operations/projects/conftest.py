"""A stack on moto and a project's file, for `python -m operations projects`."""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import boto3
import pytest

from conversations.configuration import projects as set_ups
from events.conversations import sample_data, twilio
from local.sandbox import Config, Sandbox, running
from operations.access.owners.tables import MAIL
from operations.command_line import arguments
from operations.projects import cli as projects
from shared.aws.dynamodb import Table
from tests.integration.conversations.second_company import ACCOUNT
from tests.template import create_table, parameters
from whatsapp.store.accounts.numbers import phones as inbox_numbers

STACK = "parley-dev"
TWILIO_WEBHOOK = "parley-local-twilio-webhook"
ACCOUNTS = twilio.SECRET["accounts"] | {ACCOUNT: {"auth_tokens": [twilio.AUTH_TOKEN]}}
BEDROCK = {
    "provider": "bedrock",
    "bedrock_config": {
        channel: {"model": "a-model", "temperature": 0.25}
        for channel in ("whatsapp", "sms", "email")
    },
}


@pytest.fixture(scope="session")
def _sandbox() -> Iterator[Sandbox]:
    with running(Config(twilio_auth_token=twilio.AUTH_TOKEN)) as sandbox:
        yield sandbox


@pytest.fixture
def sandbox(_sandbox: Sandbox) -> Sandbox:
    """The providers, with the accounts of both companies."""
    _sandbox.reset()
    _sandbox.config = replace(_sandbox.config, twilio_other_accounts=(ACCOUNT,))
    return _sandbox


@pytest.fixture
def tables(keys: Table, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> dict[str, Table]:
    """A stack on moto, by its outputs; `keys` has started moto."""
    dynamodb = boto3.client("dynamodb")
    found = {
        projects.TABLE: Table(dynamodb, create_table(dynamodb, "CompanyDataTable")),
        projects.LOG: Table(dynamodb, create_table(dynamodb, "ConversationLogTable")),
        projects.INBOX: Table(dynamodb, create_table(dynamodb, "WhatsAppTable")),
        MAIL: Table(dynamodb, create_table(dynamodb, "EmailThreadsTable")),
    }
    inbox_numbers.forget()
    put_secret(sample_data.TWILIO_SECRET)
    put_secret({"accounts": ACCOUNTS}, TWILIO_WEBHOOK)

    def outputs_of(stack: str, *wanted: str) -> dict[str, str]:
        assert stack == STACK
        names = {name: table.name for name, table in found.items()}
        names[projects.TWILIO_URL] = sandbox.url
        names[arguments.SWITCHES] = "/parley/local/conversations"
        return {name: names[name] for name in wanted}

    monkeypatch.setattr(arguments, "outputs_of", outputs_of)
    monkeypatch.setattr(arguments, "parameters_of", lambda _: parameters({}))
    return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "project.json"


def run(*given: str) -> int:
    return projects.main([*given, "--stack", STACK])


def put(file: Path, item: object) -> int:
    file.write_text(item if isinstance(item, str) else json.dumps(item), encoding="utf-8")
    return run("put", str(file))


def stored(tables: dict[str, Table]) -> dict[str, Any] | None:
    return tables[projects.TABLE].get(set_ups.key(sample_data.COMPANY, sample_data.PROJECT))


def put_secret(content: object, name: str = sample_data.TWILIO_SECRET_ID) -> None:
    """Set the whole value of a secret; None deletes it."""
    secrets = boto3.client("secretsmanager")
    with suppress(secrets.exceptions.ResourceNotFoundException):
        secrets.delete_secret(SecretId=name, ForceDeleteWithoutRecovery=True)
    if content is not None:
        secrets.create_secret(Name=name, SecretString=json.dumps(content))
