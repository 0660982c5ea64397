"""A feed that makes contacts may be killed at any call, or any call may fail: its retry ends in the same contacts."""

from __future__ import annotations

from typing import Any

import pytest

from shared.identity.contacts.items import Profile
from tests.simulation.console.test_inbox_feed import Fed, _fed
from tests.simulation.interceptor import Fault, When
from tests.simulation.whatsapp.conftest import _system
from tests.template import properties

__all__ = ["_fed", "_system"]  # fixtures


@pytest.fixture
def fed(_fed: Fed) -> Fed:
    _fed.before = []
    return _fed


def contacts(fed: Fed) -> list[dict[str, Any]]:
    name = str(properties("ContactsTable", Stage="local")["TableName"])
    return sorted(map(dict, fed.system.dynamodb.scan(TableName=name)["Items"]), key=str)


def begin(fed: Fed) -> None:
    """No entries and no contacts, and a new process."""
    name = str(properties("ContactsTable", Stage="local")["TableName"])
    for item in contacts(fed):
        fed.system.dynamodb.delete_item(TableName=name, Key={"pk": item["pk"], "sk": item["sk"]})
    fed.reset()


def undisturbed(fed: Fed) -> tuple[Any, int]:
    begin(fed)
    fed.run()
    calls = len(fed.system.interceptor.calls)
    return (contacts(fed), fed.entries()), calls


@pytest.mark.parametrize("when", When)
def test_a_run_that_makes_a_contact_and_is_killed_is_completed_by_the_next(
    fed: Fed, when: When
) -> None:
    expected, calls = undisturbed(fed)
    profiles = [item for item in expected[0] if item["sk"]["S"] == Profile.sk_pattern]
    assert len(profiles) == 1
    assert [entry["pk"].partition("#")[0] for entry in expected[1]] == ["ENTRY", "REPORT"]

    for number in range(1, calls + 1):
        begin(fed)
        fed.system.interceptor.die_at = (number, when)
        fed.run()
        assert (contacts(fed), fed.entries()) == expected


@pytest.mark.parametrize("fault", Fault)
def test_a_call_for_a_contact_that_fails_is_repeated(fed: Fed, fault: Fault) -> None:
    expected, calls = undisturbed(fed)

    for number in range(1, calls + 1):
        begin(fed)
        fed.system.interceptor.fault_at = (number, fault)
        fed.run()
        assert (contacts(fed), fed.entries()) == expected
