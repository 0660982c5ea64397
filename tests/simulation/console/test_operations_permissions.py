"""The role of the operations API permits exactly what the function does."""

from __future__ import annotations

from typing import Any

import boto3
import pytest
from moto import mock_aws

from tests.integration.console.operations import ADMIN, OPERATOR, STAGE, operations_on_moto
from tests.simulation.permissions import CallObserver, Use
from tests.simulation.role_checks import check

FUNCTION = "OperationsApi"
ROUTES = ("queues", "alarms", "conservation", "cost", "spending", "switches")


@pytest.fixture(scope="module")
def uses() -> dict[str, set[Use]]:
    observer = CallObserver()

    def note(params: dict[str, Any], model: Any, **_: Any) -> None:
        if observer.running:
            service = model.service_model.service_id.hyphenize()
            observer.note(f"{service}.{model.name}", params)

    with mock_aws(), pytest.MonkeyPatch.context() as patch:
        session = boto3.Session()
        session.events.register("provide-client-params", note)
        patch.setattr(boto3, "DEFAULT_SESSION", session)
        with operations_on_moto() as system:
            watched = observer.watching(FUNCTION, system.module.handler)
            patch.setattr(system.module, "handler", watched)
            for name in ROUTES:
                assert system.get(name, OPERATOR).status == 200, name
            assert system.get("actions", ADMIN).status == 200
    return observer.uses


def test_the_role_permits_exactly_the_calls_of_the_function(uses: dict[str, set[Use]]) -> None:
    check(FUNCTION, uses, {"Stage": STAGE})
