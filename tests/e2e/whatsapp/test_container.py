"""
Sample events through `sam local invoke --config-env local`: the shipped template in Lambda's container image.

It is the command of the documentation, with the files that the local stack has written.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from events.whatsapp.direct import direct_event
from events.whatsapp.samples import sample
from local.stack import containers
from local.stack.builds import build
from local.stack.processes import ROOT
from tests.e2e.apart import Apart, apart
from tests.e2e.conftest import Deployed

pytestmark = pytest.mark.e2e
# One event for each function: a container takes seconds, and other tests cover the other samples.
DIRECT: dict[str, dict[str, object] | None] = {
    "queue_text": {"batchItemFailures": []},
    "api_conversations": {"statusCode": 200},
    "sending_canned_replies": {"statusCode": 200},
    "admin_parked": {"statusCode": 200},
    "authorizer_unknown_key": {"principalId": "unauthenticated"},
    "scheduled_minute": None,
    "canary_run": None,
}


@pytest.fixture(scope="module")
def resources(request: pytest.FixtureRequest) -> Iterator[Apart]:
    if why := containers.missing_engine():
        pytest.skip(f"sam local invoke needs a container engine, and none answers: {why}")
    deployed: Deployed = request.getfixturevalue("deployed")
    with apart(deployed.stack) as found:
        yield found


@pytest.fixture(scope="module")
def variables(resources: Apart, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The variables of `make up`, but with the separate table and queue, where the test can count."""
    path = tmp_path_factory.mktemp("container") / "variables.json"
    functions = resources.functions.values()
    path.write_text(json.dumps(containers.variables_for(functions, containers.address())))
    return path


def invoke(function: str, event: Path, *options: str) -> Any:
    """The function's answer to the event in a file."""
    command = build.sam_command(
        *("local", "invoke", "--config-env", "local", function, "-e", str(event)), *options
    )
    ran = subprocess.run(  # noqa: S603 - our own environment and files
        command, cwd=ROOT, env=build.sam_environment(), capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr[-2_000:]
    return json.loads(ran.stdout or "null")


def test_the_documented_command_invokes_a_function_of_the_shipped_template(
    resources: Apart,
) -> None:
    answer = invoke("WhatsAppWebhook", sample("text").path)

    assert answer["statusCode"] == 200


@pytest.mark.parametrize("name", ["text", "sns_text"])
def test_a_sample_is_answered_and_put_on_the_queue_as_expected(
    resources: Apart, variables: Path, name: str
) -> None:
    chosen = sample(name)

    answer = invoke(chosen.function, chosen.path, "--env-vars", str(variables))

    assert (answer["statusCode"] if answer else None) == chosen.expects.status
    assert sum(len(batch["Records"]) for batch in resources.batches()) == chosen.expects.accepted


@pytest.mark.parametrize("name", DIRECT)
def test_a_function_without_a_provider_accepts_its_event(variables: Path, name: str) -> None:
    direct, expected = direct_event(name), DIRECT[name]

    answer = invoke(direct.function, direct.path, "--env-vars", str(variables))

    shown = {part: answer[part] for part in expected} if expected else answer
    assert shown == expected, answer
