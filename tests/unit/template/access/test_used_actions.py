"""Calls of handlers that their roles do not permit are found; each granted action is reachable in the code."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore import xform_name
from moto import mock_aws

from tests.aws import used_actions
from tests.aws.iam_actions import NAMESPACES, actions_of, operations_of
from tests.cases import each
from tests.simulation.permissions.role_checks import granted_for_lambda, grants_of
from tests.template import ROOT, properties, resources

if TYPE_CHECKING:
    from collections.abc import Iterator

FUNCTIONS = sorted(resources("AWS::Serverless::Function"))
CODE = (ROOT / "functions", ROOT / "layers" / "shared")
ACTIONS = "whatsapp.actions"  # loaded by the names in its index
# Grants without a call of our code, and why.
WITHOUT_A_CALL = {
    "s3:AbortMultipartUpload": "s3transfer calls it when an upload fails",
    "ssm:GetParametersByPath": "SSMProvider.get_multiple of Powertools",
}


def made_by(handler: str, service: str, operation: str) -> list[str]:
    """What is found after a call in a handler's file."""
    code = f"def handler(client):\n    try:\n        client.{xform_name(operation)}()\n    except Exception: pass\n"
    scope: dict[str, object] = {}
    exec(compile(code, str(ROOT / "functions" / handler), "exec"), scope)  # noqa: S102 - our own code, in that file
    with mock_aws():
        handle = scope["handler"]
        assert callable(handle)
        handle(boto3.client(service, region_name="us-east-1"))  # type: ignore[call-overload] # by its name
    return used_actions.refused()


@pytest.mark.long
def test_a_call_of_a_handler_is_compared_with_the_role_of_its_function() -> None:
    assert made_by("whatsapp/handlers/api.py", "dynamodb", "ListTables") == [
        "whatsapp.handlers.api: ListTables of dynamodb"
    ]
    assert made_by("whatsapp/handlers/webhooks/graph.py", "ec2", "DescribeRegions") == [
        "whatsapp.handlers.webhooks.graph: DescribeRegions of ec2"
    ]
    assert made_by("whatsapp/handlers/worker.py", "dynamodb", "PutItem") == []
    assert made_by("whatsapp/sending/api.py", "dynamodb", "ListTables") == []  # no handler


@cache
def modules() -> dict[str, Path]:
    """The files of our code by module."""
    found = {}
    for folder in CODE:
        for file in folder.rglob("*.py"):
            parts = file.relative_to(folder).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


@cache
def contents(module: str) -> tuple[frozenset[str], frozenset[str]]:
    """The modules that one imports, also within functions; and its attributes and strings."""
    imported: set[str] = set()
    names: set[str] = set()
    for node in ast.walk(ast.parse(modules()[module].read_bytes())):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.add(node.value)
            imported |= {node.value, f"{ACTIONS}.{node.value}"}  # loaded by its name
    return frozenset(imported & modules().keys()), frozenset(names)


def reachable(module: str) -> Iterator[str]:
    """All modules that one may load."""
    seen, waiting = {module}, [module]
    while waiting:
        one = waiting.pop()
        yield one
        packages = {one.rsplit(".", n)[0] for n in range(1, one.count(".") + 1)} & modules().keys()
        new = (contents(one)[0] | packages) - seen
        seen |= new
        waiting += sorted(new)


@cache
def without_a_call(function: str) -> frozenset[str]:
    """The granted actions that no code calls which the function can reach."""
    module = properties(function)["Handler"].rpartition(".")[0]
    names = {name for one in reachable(module) for name in contents(one)[1]}
    called = {
        action
        for service in NAMESPACES
        for operation in operations_of(service)
        if xform_name(operation) in names or operation in names
        for action in actions_of(service, operation)
    }
    ours = grants_of(function, Stage="local") - granted_for_lambda(function, Stage="local")
    return frozenset(grant.action for grant in ours) - called


@pytest.mark.long
@each("function", FUNCTIONS)
def test_each_granted_action_is_called_by_code_that_the_function_can_reach(function: str) -> None:
    """The simulations compare with recorded calls; this finds grants of paths that no test takes, too."""
    assert without_a_call(function) <= WITHOUT_A_CALL.keys()


@pytest.mark.long
def test_no_exception_is_left_that_has_a_call() -> None:
    assert frozenset().union(*map(without_a_call, FUNCTIONS)) == WITHOUT_A_CALL.keys()
