"""Every allowed value of every parameter deploys."""

from __future__ import annotations

import pytest

from tests.e2e.bare_stack import BareStack, bare_stack
from tests.e2e.conftest import Deployed
from tests.values.parameter_values import VALUES, rows_to_deploy


@pytest.fixture(scope="module")
def bare(deployed: Deployed) -> BareStack:
    return bare_stack(deployed.stack)


@pytest.mark.long
def test_every_value_of_every_parameter_is_deployed(bare: BareStack) -> None:
    found = rows_to_deploy()

    refused = {}
    for row in found:
        try:
            state, errors = bare.create(**row)
            if state != "CREATE_COMPLETE":
                refused[str(row)] = errors
        finally:
            bare.delete()
    assert refused == {}
    assert {name: {row[name] for row in found} for name in VALUES} == {
        name: set(values) for name, values in VALUES.items()
    }
