"""
Compares every call of AWS that a handler makes in any test with the actions that its function's role permits.

The function is known by the handler in the stack of the call, so no test has to say which one it drives. Resources and
conditions are compared by the simulations (`tests/simulation/permissions/`), which have a deployment around them;
here are the rare paths, which have tests of their own. Calls from other threads than the handler's are seen there only.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botocore.client import BaseClient

from tests.aws.iam_actions import NAMESPACES, actions_of
from tests.template import ROOT, resources

if TYPE_CHECKING:
    from types import FrameType

_HANDLERS = f"{ROOT / 'functions'}/"
_TESTS = f"{ROOT / 'tests'}/"
# Parameters with which roles permit what only some deployments use.
_WITH_EVERYTHING = {
    "Stage": "local",
    "KnowledgeBaseArns": "arn:aws:bedrock:us-east-1:123456789012:knowledge-base/ABCDEFGHIJ",
    "ConversationModelArns": "arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-sonnet-4-5",
    "SingleCompany": "acme",
}
_refused: list[str] = []


def install() -> None:
    """Look at the calls of all clients from now on."""
    client: Any = BaseClient  # its types have no internals
    call = client._make_api_call

    def looked_at(self: Any, operation: str, parameters: Any) -> Any:
        module = _handler(sys._getframe(1))
        if module is not None:
            _check(module, self.meta.service_model.service_name, operation)
        return call(self, operation, parameters)

    client._make_api_call = looked_at


def refused() -> list[str]:
    """The calls since the last time that no function with the calling handler may make."""
    found = sorted(set(_refused))
    _refused.clear()
    return found


def _check(module: str, service: str, operation: str) -> None:
    permitted = _permitted(module)
    actions = (
        actions_of(service, operation) if service in NAMESPACES else {f"{service}:{operation}"}
    )
    # Of a transaction, or a copy, the simulations know what it needs; one of its actions must be permitted.
    if permitted is not None and not actions & permitted:
        _refused.append(f"{module}: {operation} of {service}")


def _handler(frame: FrameType | None) -> str | None:
    """The handler's module, such as `whatsapp.handlers.api`, of the outermost frame that is in one."""
    found = None
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(_TESTS):
            break  # what a test does in the middle of a call, as another process, is no call of the function
        if (
            name.startswith(_HANDLERS)
            and "/handlers/" in name
            and frame.f_code.co_name != "<module>"
        ):
            found = name
        frame = frame.f_back
    return _module_of(found) if found else None


@cache
def _module_of(file: str) -> str:
    return ".".join(Path(file.removeprefix(_HANDLERS)).with_suffix("").parts)


@cache
def _permitted(module: str) -> frozenset[str] | None:
    """The actions of all functions with this handler; None if no function of the template has it."""
    from tests.simulation.permissions.role_checks import grants_of  # noqa: PLC0415 - most tests need no grants

    functions = [
        name
        for name, function in resources("AWS::Serverless::Function").items()
        if function["Properties"]["Handler"].rpartition(".")[0] == module
    ]
    if not functions:
        return None
    return frozenset(
        grant.action for name in functions for grant in grants_of(name, **_WITH_EVERYTHING)
    )
