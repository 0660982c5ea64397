"""The help desk of a deployment, as its admin function sees it."""

import os
from collections.abc import Callable

import boto3

from operations.command_line import arguments
from operations.command_line.arguments import Refused
from richpanel.api.access import ApiDependencies
from richpanel.api.bootstrap import AdminSettings, dependencies
from shared.runtime import clock
from shared.runtime.failures import Transient
from shared.runtime.settings import SettingInvalid

FUNCTION = "parley-{stage}-richpanel-admin"
# For the work on one ticket.
WITHIN_MS = 60 * clock.SECOND_MS
# Failures in a row after which a command gives up.
ATTEMPTS = 5
_WAIT_MS = 5 * clock.SECOND_MS


def of_stack(stack: str) -> ApiDependencies:
    """Return the dependencies of the admin API, from the environment of its function. Raises Refused."""
    name = FUNCTION.format(stage=arguments.stage_of(stack))
    found = boto3.client("lambda").get_function_configuration(FunctionName=name)
    environment = found.get("Environment", {}).get("Variables", {})
    # In the local stack the model is in the sandbox.
    os.environ.update(
        {name: value for name, value in environment.items() if name.startswith("AWS_ENDPOINT_URL_")}
    )
    try:
        return dependencies(AdminSettings.load(environment))
    except SettingInvalid as invalid:
        raise Refused(f"--stack: {name}: {invalid}") from None


def deadline_ms() -> int:
    """Return the time by which the work on one ticket must end (ms since 1970)."""
    return clock.now_ms() + WITHIN_MS


def with_retries[Result](work: Callable[[], Result]) -> Result:
    """Return the result of *work*, repeated after a wait while it raises Transient. Raises its fifth failure."""
    for _ in range(ATTEMPTS - 1):
        try:
            return work()
        except Transient as failure:
            clock.sleep_ms(failure.wait_ms or _WAIT_MS)
    return work()


def caller() -> str:
    """Return the identity that AWS authenticated, for the audit."""
    return str(boto3.client("sts").get_caller_identity()["Arn"])
