"""Kill switches in the parameter store: one path per context, cached, and closed if they cannot be read."""

from collections.abc import Iterator

import boto3
import pytest
from aws_lambda_powertools.utilities.parameters import SSMProvider
from botocore.exceptions import ClientError
from moto import mock_aws

from shared.policy.facts import Switches
from shared.policy.kill_switches import KillSwitches, SwitchNotSet
from tests.integration.logs import counted

PATH = "/parley/test/conversations"


@pytest.fixture
def switches() -> Iterator[KillSwitches]:
    with mock_aws():
        store = SSMProvider(boto3_client=boto3.client("ssm"))
        yield KillSwitches(lambda: store, PATH)


def fail(switches: KillSwitches, monkeypatch: pytest.MonkeyPatch, operation: str) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ClientError({"Error": {"Code": "ThrottlingException"}}, operation)

    monkeypatch.setattr(switches.provider().client, operation, refuse)


def test_switches_are_read_below_their_path_and_cached_until_a_fresh_copy_is_requested(
    switches: KillSwitches,
) -> None:
    switches.set("safe_mode", "false")
    assert switches.texts() == {"safe_mode": "false"}

    switches.set("safe_mode", "true")
    assert switches.texts() == {"safe_mode": "false"}
    assert switches.texts(fresh=True) == {"safe_mode": "true"}


def test_switches_are_read_again_once_their_copy_is_too_old(
    switches: KillSwitches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.policy.kill_switches.CACHE_SECONDS", -1)
    switches.set("safe_mode", "false")
    assert switches.texts() == {"safe_mode": "false"}

    switches.set("safe_mode", "true")
    assert switches.texts() == {"safe_mode": "true"}


def test_unreadable_switches_are_counted_and_have_no_texts(
    switches: KillSwitches, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail(switches, monkeypatch, "get_paginator")
    counted("SwitchesUnreadable")

    assert switches.texts() is None
    assert counted("SwitchesUnreadable") == 1


def test_a_switch_that_is_not_set_names_the_reason(
    switches: KillSwitches, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail(switches, monkeypatch, "put_parameter")

    with pytest.raises(SwitchNotSet, match="ThrottlingException"):
        switches.set("safe_mode", "true")


@pytest.mark.parametrize(
    ("texts", "in_force"),
    [
        ({}, Switches()),
        ({"safe_mode": "False", "automation_enabled": "yes"}, Switches()),
        ({"safe_mode": "false"}, Switches(safe_mode=False)),
        ({"automation_enabled": "true"}, Switches(automation=True)),
    ],
)
def test_a_switch_of_conversations_is_on_only_with_its_own_text(
    switches: KillSwitches, texts: dict[str, str], in_force: Switches
) -> None:
    for name, text in texts.items():
        switches.set(name, text)

    assert switches.in_force() == in_force


def test_switches_of_conversations_are_off_if_they_cannot_be_read(
    switches: KillSwitches, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail(switches, monkeypatch, "get_paginator")

    assert switches.in_force() == Switches()
