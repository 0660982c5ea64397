"""`python -m operations secrets`: one field is written, the others stay, and no value is shown."""

import io
import json
from typing import Any

import boto3
import pytest
from moto import mock_aws

from operations.__main__ import main
from operations.command_line import arguments
from operations.secrets import cli
from operations.secrets.kinds import COMPANY, KINDS
from shared.access.secret_versions import versions
from tests.template import properties, resources

STACK = ("--stack", "parley-dev")
APPS = "parley-dev-whatsapp-apps"
VALUE = "a-new-value-not-a-real-one"


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Secrets Manager with the apps' secret as CloudFormation creates it."""
    monkeypatch.setattr(
        arguments, "outputs_of", lambda *_: {arguments.SWITCHES: "/parley/dev/conversations"}
    )
    with mock_aws():
        client = boto3.client("secretsmanager")
        client.create_secret(
            Name=APPS, SecretString=json.dumps({"apps": {}, "verify_token": "generated"})
        )
        yield client


def run(monkeypatch: pytest.MonkeyPatch, *words: str, value: str = VALUE + "\n") -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO(value))
    return main(["secrets", *words, *STACK])


def content(secrets: Any, name: str = APPS) -> dict[str, Any]:
    current = secrets.get_secret_value(SecretId=name, VersionStage="AWSCURRENT")
    found: dict[str, Any] = json.loads(current["SecretString"])
    return found


def test_a_field_is_written_from_standard_input_and_the_others_stay(
    secrets: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "set", "whatsapp-apps", "apps.1029384756") == 0

    assert content(secrets) == {"apps": {"1029384756": [VALUE]}, "verify_token": "generated"}
    shown = capsys.readouterr()
    assert "apps.1029384756 is written" in shown.err
    assert VALUE not in shown.err + shown.out


def test_on_a_terminal_the_value_is_prompted_for_without_echo(
    secrets: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = io.StringIO("")
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdin", terminal)
    monkeypatch.setattr("getpass.getpass", lambda prompt: VALUE)

    assert main(["secrets", "set", "whatsapp-apps", "apps.1029384756", *STACK]) == 0

    assert content(secrets)["apps"] == {"1029384756": [VALUE]}


def test_a_rotation_accepts_old_and_new_values_until_the_newest_is_kept(
    secrets: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):  # repeated after a lost connection
        assert run(monkeypatch, "set", "whatsapp-apps", "verify_token") == 0
        assert content(secrets)["verify_token"] == [VALUE, "generated"]
    step = "python -m operations secrets keep-newest whatsapp-apps verify_token --stack parley-dev"
    assert step in capsys.readouterr().err

    assert run(monkeypatch, "keep-newest", "whatsapp-apps", "verify_token") == 0

    assert content(secrets)["verify_token"] == [VALUE]


def test_a_new_identifier_key_is_last_and_becomes_the_first_five_minutes_later(
    secrets: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "parley-dev-identifier-keys"
    secrets.create_secret(Name=name, SecretString='{"identifier_key": "old"}')
    words = ("set", "identifier-keys", "identifier_key")

    assert run(monkeypatch, *words) == 0
    assert content(secrets, name) == {"identifier_key": ["old", VALUE]}
    assert run(monkeypatch, *words) == 1
    assert "less than five minutes ago" in capsys.readouterr().err
    monkeypatch.setattr(cli, "_age_ms", lambda _: 300_000)
    assert run(monkeypatch, *words) == 0
    assert content(secrets, name) == {"identifier_key": [VALUE, "old"]}

    assert run(monkeypatch, "keep-newest", "identifier-keys", "identifier_key") == 1
    assert content(secrets, name) == {"identifier_key": [VALUE, "old"]}


def test_the_secret_of_a_company_is_created_with_its_first_field(
    secrets: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = ("--company", "acme", "--name", "twilio")

    assert run(monkeypatch, "set", COMPANY, "twilio_account_sid", *owner, value="AC123") == 0
    assert run(monkeypatch, "set", COMPANY, "twilio_auth_token", *owner) == 0

    stored = {"twilio_account_sid": "AC123", "twilio_auth_token": VALUE}
    assert content(secrets, "parley/dev/companies/acme/twilio") == stored


def test_the_fields_of_a_secret_are_listed_without_values(
    secrets: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "set", "whatsapp-apps", "apps.1029384756") == 0
    capsys.readouterr()

    assert run(monkeypatch, "show", "whatsapp-apps") == 0

    assert capsys.readouterr().out == "apps.1029384756\t1 value\nverify_token\t1 value\n"


def test_of_two_writers_at_the_same_time_neither_loses_its_field(
    secrets: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, meanwhile = versions.read, ["apps.22222"]

    def read_before_another_writer(client: Any, secret_id: str) -> Any:
        found = read(client, secret_id)
        if meanwhile:
            assert run(monkeypatch, "set", "whatsapp-apps", meanwhile.pop()) == 0
        return found

    monkeypatch.setattr(versions, "read", read_before_another_writer)
    assert run(monkeypatch, "set", "whatsapp-apps", "apps.11111") == 0

    assert content(secrets)["apps"] == {"11111": [VALUE], "22222": [VALUE]}
    labels = secrets.describe_secret(SecretId=APPS)["VersionIdsToStages"].values()
    assert sum("AWSCURRENT" in stages for stages in labels) == 1


def test_a_crash_between_the_two_steps_leaves_the_old_value_and_can_be_repeated(
    secrets: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    make: Any = boto3.client

    def dying(service: str) -> Any:
        client = make(service)

        def die(**_: Any) -> None:
            raise KeyboardInterrupt

        if service == "secretsmanager":
            # The client is shared with later tests: the patch is undone.
            patch.setattr(client, "update_secret_version_stage", die)
        return client

    with monkeypatch.context() as patch:
        patch.setattr(boto3, "client", dying)
        with pytest.raises(KeyboardInterrupt):
            run(monkeypatch, "set", "whatsapp-apps", "apps.11111")
    assert content(secrets)["apps"] == {}

    assert run(monkeypatch, "set", "whatsapp-apps", "apps.11111") == 0
    assert content(secrets)["apps"] == {"11111": [VALUE]}


def test_no_field_is_written_while_a_rotation_runs(
    secrets: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    secrets.put_secret_value(
        SecretId=APPS, SecretString="{}", VersionStages=["AWSPENDING"], ClientRequestToken="0" * 32
    )

    assert run(monkeypatch, "set", "whatsapp-apps", "apps.11111") == 1

    assert "a rotation is running" in capsys.readouterr().err
    assert content(secrets)["apps"] == {}


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        (
            ("set", "whatsapp-apps", "app.1"),
            "field: the fields of whatsapp-apps are verify_token, apps.<app id>",
        ),
        (
            ("set", "richpanel-keys", "salt"),
            "field: the fields of richpanel-keys are richpanel, shopify",
        ),
        (("set", "company", "ai_api_key"), "--company: is required with the kind company"),
        (("set", "api-seal", "seal_key", "--name", "x"), "--name: goes with the kind company"),
        (("keep-newest", "richpanel-keys", "shopify"), "field: shopify has one value only"),
    ],
)
def test_a_wrong_field_or_option_is_answered_by_the_usage_and_the_rule(
    secrets: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    rule: str,
) -> None:
    assert run(monkeypatch, *words) == 2

    shown = capsys.readouterr().err
    assert shown.startswith(f"usage: python -m operations secrets {words[0]}")
    assert f"error: {rule}" in shown


@pytest.mark.parametrize("value", ["", "\n", "two\nlines", "with blanks", "ü", "x" * 9_000])
def test_a_value_that_breaks_the_rule_is_refused_and_not_shown(
    secrets: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], value: str
) -> None:
    assert run(monkeypatch, "set", "whatsapp-apps", "verify_token", value=value) == 1

    assert capsys.readouterr().err == f"error: verify_token: the value {cli.VALUE_RULE}\n"


def test_a_missing_secret_is_named(
    secrets: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "set", "api-seal", "seal_key") == 1

    assert "error: parley-dev-api-seal: secret not found" in capsys.readouterr().err


def test_the_kinds_are_the_secrets_of_the_template() -> None:
    made = {properties(name)["Name"] for name in resources("AWS::SecretsManager::Secret")}

    assert {kind.secret_id("dev") for kind in KINDS.values() if kind.name != COMPANY} == made
