"""Kill switches in the parameter store: one path per context, cached, and closed if they cannot be read."""

from collections.abc import Callable, Iterator

import boto3
import pytest
from aws_lambda_powertools.utilities.parameters import SSMProvider
from botocore.exceptions import ClientError
from moto import mock_aws

from shared.policy.facts import Switches
from shared.policy.kill_switches import KillSwitches, SwitchNotSet
from shared.runtime import clock
from tests.integration.logs import counted

PATH = "/parley/test/conversations"


@pytest.fixture
def switches() -> Iterator[KillSwitches]:
    with mock_aws():
        store = SSMProvider(boto3_client=boto3.client("ssm"))
        yield KillSwitches(lambda: store, PATH)


def fail(
    switches: KillSwitches,
    monkeypatch: pytest.MonkeyPatch,
    operation: str,
    code: str = "ThrottlingException",
) -> list[str]:
    """Refuse an operation; returns the list of its calls."""
    calls: list[str] = []

    def refuse(*_: object, **__: object) -> None:
        calls.append(operation)
        raise ClientError({"Error": {"Code": code}}, operation)

    monkeypatch.setattr(switches.provider().client, operation, refuse)
    return calls


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


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Moves the clock by seconds; each read asks the store, as after the cache has expired."""
    monkeypatch.setattr("shared.policy.kill_switches.CACHE_SECONDS", 0)
    moment = [clock.now_ms()]
    monkeypatch.setattr(clock, "now_ms", lambda: moment[0])

    def move(seconds: int) -> None:
        moment[0] += seconds * clock.SECOND_MS

    return move


@pytest.mark.parametrize("text", ["false", "true"])
def test_the_last_switches_hold_for_five_minutes_while_the_store_throttles(
    switches: KillSwitches, monkeypatch: pytest.MonkeyPatch, now: Callable[[int], None], text: str
) -> None:
    monkeypatch.setattr("shared.policy.kill_switches.CACHE_SECONDS", 30)
    switches.set("safe_mode", text)
    assert switches.texts() == {"safe_mode": text}
    now(29)
    assert switches.texts() == {"safe_mode": text}  # The copy is not read anew.
    monkeypatch.setattr("shared.policy.kill_switches.CACHE_SECONDS", 0)
    switches.provider().store.clear()
    fail(switches, monkeypatch, "get_paginator")

    now(271)
    assert switches.texts() == {"safe_mode": text}
    now(1)
    assert switches.texts() is None


def test_a_store_that_throttles_is_not_asked_again_for_each_message(
    switches: KillSwitches, monkeypatch: pytest.MonkeyPatch, now: Callable[[int], None]
) -> None:
    switches.set("safe_mode", "false")
    assert switches.texts() == {"safe_mode": "false"}
    calls = fail(switches, monkeypatch, "get_paginator")
    monkeypatch.setattr("shared.policy.kill_switches.CACHE_SECONDS", 30)
    switches.provider().store.clear()

    assert [switches.texts() for _ in range(9)] == [{"safe_mode": "false"}] * 9
    assert len(calls) == 1
    now(30)
    assert switches.texts() == {"safe_mode": "false"}
    assert len(calls) == 2


@pytest.mark.parametrize("code", ["AccessDeniedException", "InternalServerError"])
def test_switches_that_are_not_readable_for_another_reason_are_closed_at_once(
    switches: KillSwitches,
    monkeypatch: pytest.MonkeyPatch,
    now: Callable[[int], None],
    code: str,
) -> None:
    switches.set("safe_mode", "false")
    assert switches.texts() == {"safe_mode": "false"}
    fail(switches, monkeypatch, "get_paginator", code)

    now(1)
    assert switches.in_force() == Switches()


def test_an_operator_who_asks_for_fresh_switches_is_told_that_they_are_not_readable(
    switches: KillSwitches, monkeypatch: pytest.MonkeyPatch
) -> None:
    switches.set("safe_mode", "false")
    assert switches.texts() == {"safe_mode": "false"}
    fail(switches, monkeypatch, "get_paginator")

    assert switches.texts(fresh=True) is None


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
