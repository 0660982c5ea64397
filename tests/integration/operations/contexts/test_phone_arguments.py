"""`python -m operations phones`: what it refuses: wrong arguments, the token of another company, missing secrets."""

import json
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from operations.command_line import arguments
from operations.contexts.whatsapp import phones
from shared.access.secret_versions import versions
from shared.aws.dynamodb import Table
from tests.integration.operations.contexts.numbers import (
    AWS_ARN,
    EUM,
    GRAPH,
    GRAPH_ARN,
    SUFFIX,
    item,
    log,
    register,
)
from whatsapp import store


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        (GRAPH | {"--phone": "abc"}, "--phone"),
        (GRAPH | {"--phone": "1234"}, "--phone"),
        (GRAPH | {"--phone": "1" * 21}, "--phone"),
        (GRAPH | {"--phone": "\u0661" * 15}, "--phone"),
        (GRAPH | {"--phone": "+106540352242922"}, "--phone"),
        (GRAPH | {"--display-phone": "12"}, "--display-phone"),
        (GRAPH | {"--display-phone": "hello"}, "--display-phone"),
        (GRAPH | {"--display-phone": "0"}, "--display-phone"),
        (GRAPH | {"--company": "Acme Ltd"}, "--company"),
        (GRAPH | {"--provider": "twilio"}, "--provider"),
        (GRAPH | {"--waba": "waba-1"}, "--waba"),
        (GRAPH | {"--app": "x"}, "--app"),
        (GRAPH | {"--automation": "twilio"}, "--automation"),
        (GRAPH | {"--token-ref": "a token with blanks"}, "--token-ref"),
        (GRAPH | {"--tenant": ""}, "--tenant"),
        (GRAPH | {"--name": "two\nlines"}, "--name"),
        (EUM | {"--phone-arn": "arn:aws:sns:us-east-1:000000000000:topic"}, "--phone-arn"),
        (EUM | {"--phone-arn": AWS_ARN + "0"}, "--phone-arn"),
        (EUM | {"--aws-phone": SUFFIX}, "--aws-phone"),
        (EUM | {"--aws-waba": SUFFIX}, "--aws-waba"),
        ({"--phone": "106540352242922"}, "--display-phone"),
    ],
)
def test_a_wrong_argument_is_named_with_its_rule_and_writes_nothing(
    inbox: Table, capsys: pytest.CaptureFixture[str], options: dict[str, str], argument: str
) -> None:
    with pytest.raises(SystemExit) as stop:
        register(inbox, options)

    assert stop.value.code == 2
    assert argument in capsys.readouterr().err.splitlines()[-1]
    assert store.phones.listed(inbox) == []


def without(options: dict[str, str], name: str) -> dict[str, str]:
    return {given: value for given, value in options.items() if given != name}


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        (without(GRAPH, "--token-ref"), "--token-ref"),
        (without(EUM, "--phone-arn"), "--phone-arn"),
        (without(GRAPH, "--app"), "--app"),
        (GRAPH | {"--phone-arn": GRAPH_ARN.replace("922", "923")}, "--phone-arn"),
        (
            EUM | {"--phone-arn": GRAPH_ARN.replace("106540352242922", EUM["--phone"])},
            "--aws-phone",
        ),
    ],
)
def test_arguments_that_do_not_fit_together_are_refused_and_write_nothing(
    inbox: Table, capsys: pytest.CaptureFixture[str], options: dict[str, str], argument: str
) -> None:
    assert register(inbox, options) == 2

    shown = capsys.readouterr().err
    assert shown.startswith("usage: python -m operations phones register")
    assert shown.splitlines()[-1].startswith(f"error: {argument}: ")
    assert store.phones.listed(inbox) == []
    assert item(inbox, options["--phone"]) == {}


@pytest.mark.parametrize("token", ["globex", "globex/acme", "acme-2", "acme/", "/acme", "acme/a/b"])
def test_a_number_cannot_have_the_token_of_another_company(
    inbox: Table, capsys: pytest.CaptureFixture[str], token: str
) -> None:
    assert register(inbox, GRAPH | {"--token-ref": token}) == 2

    assert "--token-ref: must be <company>, or <company>/<name>" in capsys.readouterr().err
    assert item(inbox, "106540352242922") == {}


@pytest.fixture
def stack(monkeypatch: pytest.MonkeyPatch, inbox: Table) -> Any:
    """Secrets Manager with the deployment's secrets as they are after deployment."""
    outputs = {
        arguments.TABLE_OF_INBOX: inbox.name,
        arguments.SWITCHES: "/parley/dev/conversations",
        phones.LOG: log().name,
    }
    monkeypatch.setattr(arguments, "outputs_of", lambda *_: outputs)
    client = boto3.client("secretsmanager")
    client.create_secret(Name="parley-dev-whatsapp-apps", SecretString='{"apps": {}}')
    client.create_secret(Name="parley-dev-whatsapp-access-tokens", SecretString="{}")
    return client


def register_in_stack(options: dict[str, str]) -> int:
    store.phones.forget()
    words = (word for pair in options.items() for word in pair)
    return phones.main(["register", *words, "--stack", "parley-dev"])


def test_a_number_is_registered_only_when_its_app_secret_and_its_token_are_stored(
    stack: Any, inbox: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    assert register_in_stack(GRAPH) == 1
    assert capsys.readouterr().err == (
        "error: --app: the secret parley-dev-whatsapp-apps has no apps.1029384756; run"
        " `python -m operations secrets set whatsapp-apps apps.1029384756 --stack parley-dev`\n"
    )
    apps = json.dumps({"apps": {GRAPH["--app"]: ["x"]}})
    stack.put_secret_value(SecretId="parley-dev-whatsapp-apps", SecretString=apps)

    assert register_in_stack(GRAPH) == 1
    assert capsys.readouterr().err == (
        "error: --token-ref: the secret parley-dev-whatsapp-access-tokens has no acme; run"
        " `python -m operations secrets set whatsapp-access-tokens acme --stack parley-dev`\n"
    )
    assert store.phones.listed(inbox) == []
    tokens = json.dumps({"acme": "x"})
    stack.put_secret_value(SecretId="parley-dev-whatsapp-access-tokens", SecretString=tokens)

    assert register_in_stack(GRAPH) == 0
    assert len(store.phones.listed(inbox)) == 1


def test_a_number_on_aws_needs_no_secret(stack: Any, inbox: Table) -> None:
    assert register_in_stack(EUM) == 0


def test_without_the_permission_to_read_secrets_they_are_reported_as_not_checked(
    stack: Any,
    inbox: Table,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def denied(*_: object) -> None:
        raise ClientError({"Error": {"Code": "AccessDeniedException"}}, "GetSecretValue")

    monkeypatch.setattr(versions, "read", denied)

    assert register_in_stack(GRAPH) == 0
    assert "the secrets are not checked: no permission" in capsys.readouterr().err
