"""Sample events through `sam local invoke`: the built functions in Lambda's container image, on the local stack."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from events.whatsapp.direct import direct_event
from events.whatsapp.samples import sample
from local.invoke import sam_container
from tests.e2e.apart import Apart, apart
from tests.e2e.conftest import Deployed

pytestmark = pytest.mark.e2e
# One event for each function: a container takes seconds, and what the other samples show needs none.
DIRECT: dict[str, dict[str, object] | None] = {
    "queue_text": {"batchItemFailures": []},
    "api_conversations": {"statusCode": 200},
    "admin_parked": {"statusCode": 200},
    "authorizer_unknown_key": {"errorMessage": "Unauthorized"},
    "scheduled_minute": None,
    "canary_run": None,
}


@pytest.fixture(scope="module")
def resources(request: pytest.FixtureRequest) -> Iterator[Apart]:
    if why := sam_container.missing_engine():
        pytest.skip(f"sam local invoke needs a container engine, and none answers: {why}")
    deployed: Deployed = request.getfixturevalue("deployed")
    with apart(deployed.stack) as found:
        yield found


@pytest.mark.parametrize("name", ["text", "sns_text"])
def test_a_sample_is_answered_and_put_on_the_queue_as_expected(resources: Apart, name: str) -> None:
    told = sample(name)

    answer = sam_container.invoke(resources.stack, resources.functions[told.function], told.path)

    assert (answer["statusCode"] if answer else None) == told.expects.status
    assert sum(len(batch["Records"]) for batch in resources.batches()) == told.expects.accepted


@pytest.mark.parametrize("name", DIRECT)
def test_a_function_without_a_provider_takes_its_event(resources: Apart, name: str) -> None:
    direct, expected = direct_event(name), DIRECT[name]

    answer = sam_container.invoke(
        resources.stack, resources.functions[direct.function], direct.path
    )

    shown = {part: answer[part] for part in expected} if expected else answer
    assert shown == expected, answer
