"""`python -m operations secrets prepare`: the secrets of a deployment move to parameters without being lost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws

from operations.__main__ import main
from operations.command_line import arguments
from operations.command_line.arguments import Refused
from operations.secrets.kinds import COMPANY, KINDS
from shared.access.refusals import ChangeRefused
from shared.access.secret_versions import parameters
from shared.aws.secrets import JsonSecret
from tests.template import environment, properties, resources

if TYPE_CHECKING:
    from collections.abc import Iterator

OWN = [kind for kind in KINDS.values() if kind.name != COMPANY]
PREPARE = ("secrets", "prepare", "--stage", "dev")
APPS = {"verify_token": ["of an operator"], "apps": {"1029384756": ["a", "b"]}}


@pytest.fixture
def ssm(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setattr(
        arguments, "outputs_of", lambda *_: {arguments.SWITCHES: "/parley/dev/conversations"}
    )
    with mock_aws():
        yield boto3.client("ssm")


def content(ssm: Any, kind: str) -> Any:
    name = f"/parley/dev/secrets/{kind}"
    stored = ssm.get_parameter(Name=name, WithDecryption=True)["Parameter"]
    assert stored["Type"] == "SecureString"
    return json.loads(stored["Value"])


def deploy(ssm: Any) -> None:
    """What CloudFormation creates with SecretStore=parameters; it resolves the reference in the value."""
    wanted = properties("SecretStoreInUse", SecretStore="parameters")
    assert wanted["Value"] == "{{resolve:ssm:/parley/dev/secrets-prepared}}"
    value = ssm.get_parameter(Name="/parley/dev/secrets-prepared")["Parameter"]["Value"]
    ssm.put_parameter(Name=wanted["Name"], Type=wanted["Type"], Value=value)


def test_a_new_stage_gets_all_its_secrets_with_the_values_that_the_template_would_generate(
    ssm: Any,
) -> None:
    assert main(PREPARE) == 0

    for name in resources("AWS::SecretsManager::Secret"):
        wanted = properties(name)
        stored = content(ssm, wanted["Name"].removeprefix("parley-dev-"))
        generated = wanted.get("GenerateSecretString")
        first = json.loads(
            generated["SecretStringTemplate"] if generated else wanted["SecretString"]
        )
        if generated:
            key, length = generated["GenerateStringKey"], generated["PasswordLength"]
            assert (len(stored[key]), stored[key].isalnum()) == (length, True)
            del stored[key]
        assert stored == first
    deploy(ssm)


def test_secrets_of_a_deployment_are_copied_and_copied_again_until_it_is_deployed(ssm: Any) -> None:
    manager = boto3.client("secretsmanager")
    manager.create_secret(Name="parley-dev-whatsapp-apps", SecretString='{"apps": {}}')
    assert main(PREPARE) == 0
    manager.put_secret_value(SecretId="parley-dev-whatsapp-apps", SecretString=json.dumps(APPS))

    assert main(PREPARE) == 0

    assert content(ssm, "whatsapp-apps") == APPS


def test_after_the_deployment_a_preparation_changes_nothing(ssm: Any) -> None:
    manager = boto3.client("secretsmanager")
    manager.create_secret(Name="parley-dev-whatsapp-apps", SecretString='{"apps": {}}')
    main(PREPARE)
    deploy(ssm)
    parameters.write(
        ssm,
        "/parley/dev/secrets/whatsapp-apps",
        APPS,
        parameters.read(ssm, "/parley/dev/secrets/whatsapp-apps"),
    )
    before = {kind.name: content(ssm, kind.name) for kind in OWN}

    assert main(PREPARE) == 0

    assert {kind.name: content(ssm, kind.name) for kind in OWN} == before
    assert before["whatsapp-apps"] == APPS


def test_an_interrupted_preparation_does_not_allow_the_deployment_and_is_repeated(
    ssm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, left = parameters.write, [3]

    def dies(*given: Any) -> bool:
        left[0] -= 1
        if not left[0]:
            raise Refused("the connection was lost")
        return write(*given)

    monkeypatch.setattr(parameters, "write", dies)
    assert main(PREPARE) == 1
    with pytest.raises(ssm.exceptions.ParameterNotFound):
        ssm.get_parameter(Name="/parley/dev/secrets-prepared")
    salt = content(ssm, OWN[0].name)
    monkeypatch.setattr(parameters, "write", write)

    assert main(PREPARE) == 0

    assert content(ssm, OWN[0].name) == salt, "a generated value stays"
    deploy(ssm)


def test_a_field_is_written_where_the_deployment_reads_it(
    ssm: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("getpass.getpass", lambda _: "a-token")
    main(PREPARE)
    deploy(ssm)

    assert main(["secrets", "set", "whatsapp-access-tokens", "acme", "--stack", "parley-dev"]) == 0

    secret = JsonSecret(
        lambda: pytest.fail("Secrets Manager is not read"),
        environment("WhatsAppSending", SecretStore="parameters")["WHATSAPP_TOKENS_SECRET_ID"],
    )
    assert secret.value() == {"acme": "a-token"}
    assert "a-token" not in capsys.readouterr().err


def test_of_two_writers_at_once_the_second_one_starts_again_and_neither_value_is_lost(
    ssm: Any,
) -> None:
    name = "/parley/dev/secrets/whatsapp-apps"
    assert parameters.write(ssm, name, {"apps": {}}, None)
    assert not parameters.write(ssm, name, {"apps": {}}, None), "another writer created it"
    stale = parameters.read(ssm, name)
    assert parameters.write(ssm, name, APPS, stale)

    assert not parameters.write(ssm, name, {"apps": {"2": "c"}}, stale)

    current = parameters.read(ssm, name)
    assert current is not None
    assert current.content == APPS


def test_a_secret_above_the_size_of_a_parameter_is_refused_with_the_limit(ssm: Any) -> None:
    with pytest.raises(ChangeRefused, match=r"at most 8192 bytes.*SecretStore=secrets-manager"):
        parameters.write(ssm, "/parley/dev/secrets/whatsapp-apps", {"a": "x" * 8_192}, None)
