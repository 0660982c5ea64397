"""The settings of the help-desk account: a parameter that is read at first use and then every five minutes."""

from __future__ import annotations

import json
from typing import Any

import boto3
import pytest
from moto import mock_aws

import shared.runtime.clock
from richpanel.configuration.account import CACHE_MS, StoredAccount
from shared.aws.dynamodb import Table
from tests.template import create_table, environment, put_parameter

FUNCTIONS = ("RichpanelWorker", "RichpanelSweep", "RichpanelAdmin")
MOST_BYTES_OF_AN_ENVIRONMENT = 4_096
LARGEST = json.dumps({"support_signature": "Acme", "allowlist": ["a" * 64] * 55})


def put(company: str) -> None:
    text = json.dumps({"company": company})
    put_parameter(boto3.client("ssm"), "RichpanelAccountSettings", RichpanelAccount=text)


def test_a_change_of_the_account_takes_effect_after_five_minutes_and_is_not_read_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [1_000_000]
    monkeypatch.setattr(shared.runtime.clock, "now_ms", lambda: now[0])
    with mock_aws():
        put("acme")
        name = environment("RichpanelWorker")["ACCOUNT_PARAMETER"]
        dynamodb = boto3.client("dynamodb")
        state = Table(dynamodb, create_table(dynamodb, "RichpanelConversationStateTable"))
        stored = StoredAccount(lambda: boto3.client("ssm"), name, {}, state)
        assert stored.value().company == "acme"
        put("globex")

        now[0] += CACHE_MS - 1
        assert stored.value().company == "acme"
        now[0] += 1
        assert stored.value().company == "globex"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_large_account_does_not_change_the_environment_of_a_function(function: str) -> None:
    assert len(LARGEST) > 3_500

    given: dict[str, Any] = environment(function, RichpanelAccount=LARGEST)

    assert given == environment(function)
    assert (
        sum(len(name) + len(text) for name, text in given.items())
        < MOST_BYTES_OF_AN_ENVIRONMENT / 2
    )
