"""`--local`: the commands work on the stack that `make up` started."""

import json
import os
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import boto3
import pytest

from local.stack.deployment import Stack
from operations.command_line import local_stack
from operations.contexts.whatsapp import phones

DESCRIBED: dict[str, Any] = {field.name: {} for field in fields(Stack)} | {
    "stack_name": "parley-local",
    "api_url": "http://127.0.0.1:1/api",
    "aws_endpoint": "http://127.0.0.1:1",
    "sandbox_url": "http://127.0.0.1:2",
    "console_url": "http://127.0.0.1:1/console",
    "region": "us-east-1",
    "access_key_id": "local-id",
    "secret_access_key": "local-key",
}


@pytest.fixture
def description(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The path of the description; environment and session of the process are restored after the test."""
    before = dict(os.environ)
    path = tmp_path / "stack.json"
    monkeypatch.setattr(local_stack, "DESCRIPTION", path)
    yield path
    os.environ.clear()
    os.environ.update(before)
    boto3.setup_default_session()


def test_all_clients_use_the_endpoint_and_the_credentials_of_the_local_stack(
    description: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_SQS", "https://sqs.example")
    monkeypatch.setenv("AWS_PROFILE", "production")
    description.write_text(json.dumps(DESCRIBED))

    found = local_stack.select()

    assert found.stack_name == "parley-local"
    for service in ("sqs", "dynamodb"):
        make: Any = boto3.client
        client = make(service)
        assert client.meta.endpoint_url == "http://127.0.0.1:1"
        assert client._get_credentials().access_key == "local-id"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "there is no .local/stack.json; start the stack with `make up`"),
        ("{", ".local/stack.json is incomplete"),
        (json.dumps(DESCRIBED | {"aws_endpoint": None}), ".local/stack.json is incomplete"),
        ("{}", ".local/stack.json is incomplete"),
    ],
)
def test_without_a_usable_description_the_usage_and_the_next_step_are_shown(
    description: Path, capsys: pytest.CaptureFixture[str], text: str | None, reason: str
) -> None:
    if text is not None:
        description.write_text(text)

    with pytest.raises(SystemExit) as stop:
        phones.main(["list", "--local"])

    assert stop.value.code == 2
    shown = capsys.readouterr().err
    assert shown.startswith("usage: python -m operations phones list")
    assert f"argument --local: {reason}" in shown


def test_the_local_stack_excludes_another_stack(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        phones.main(["list", "--stack", "parley-dev", "--local"])

    assert "not allowed with argument --stack" in capsys.readouterr().err
