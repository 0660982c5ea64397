"""How a command finds its table from the name of a stack."""

from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from operations.access import api_keys
from operations.command_line import arguments
from operations.contexts.whatsapp import phones
from shared.aws.dynamodb import Table
from tests.template import properties, resolved, template


@pytest.fixture
def stack(monkeypatch: pytest.MonkeyPatch) -> Stubber:
    """A stub of CloudFormation for the commands."""
    cloudformation = boto3.client("cloudformation")
    make: Any = boto3.client

    def client(service: str) -> Any:
        return cloudformation if service == "cloudformation" else make(service)

    monkeypatch.setattr(boto3, "client", client)
    return Stubber(cloudformation)


def described(**outputs: str) -> dict[str, Any]:
    stack = {"StackName": "parley-dev", "StackStatus": "CREATE_COMPLETE", "CreationTime": 0}
    listed = [{"OutputKey": name, "OutputValue": value} for name, value in outputs.items()]
    return {"Stacks": [stack | {"Outputs": listed}]}


def test_the_stacks_outputs_name_the_tables(
    stack: Stubber, keys: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = {"StackName": "parley-dev"}
    stack.add_response("describe_stacks", described(ApiKeysTableName=keys.name), asked)

    with stack:
        assert api_keys.main(["create", "--company", "acme", "--stack", "parley-dev"]) == 0
    capsys.readouterr()
    assert api_keys.main(["list", "--table", keys.name]) == 0
    assert "acme" in capsys.readouterr().out


def test_the_template_has_the_outputs_that_are_looked_up() -> None:
    outputs = template()["Outputs"]
    names = {
        name: resolved(outputs[name]["Value"])
        for name in (arguments.TABLE_OF_KEYS, arguments.TABLE_OF_INBOX)
    }

    assert names == {
        arguments.TABLE_OF_KEYS: properties("ApiKeysTable")["TableName"],
        arguments.TABLE_OF_INBOX: properties("WhatsAppTable")["TableName"],
    }


def test_a_stack_of_another_application_is_refused(
    stack: Stubber, inbox: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    stack.add_response("describe_stacks", described(Other="x"))

    with stack:
        assert phones.main(["list", "--stack", "parley-dev"]) == 1
    assert "--stack: parley-dev has no output WhatsAppTableName" in capsys.readouterr().err


def test_a_missing_stack_is_an_error_in_one_line(
    stack: Stubber, inbox: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    stack.add_client_error("describe_stacks", "ValidationError", "Stack does not exist")

    with stack:
        assert phones.main(["list", "--stack", "parley-dev"]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ")
