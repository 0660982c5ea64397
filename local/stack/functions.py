"""The functions of the running stack: their built code, their handlers, and the environment Lambda would give them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from local.stack.builds.build import BUILT, code_of
from local.stack.deployment import STACK_NAME
from local.stack.emulator import ministack

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from local.stack.deployment import Stack

# By the end of a layer's name: parley-<stage>-shared.
_LAYERS = {
    "shared": BUILT / "SharedLayer" / "python",
    "exports": BUILT / "ExportsLayer" / "python",
    "pages": BUILT / "ConsolePages" / "python",
}
_SHARED = ("shared",)


@dataclass(frozen=True)
class Function:
    """One function. `environment` is its whole environment; the path has the layers and the function's folder."""

    name: str  # logical id
    folder: Path
    handler: str  # such as whatsapp.handlers.webhooks.graph.handler
    environment: dict[str, str]

    @property
    def module(self) -> str:
        """The module of the handler."""
        return self.handler.rpartition(".")[0]


def functions_of(stack: Stack) -> dict[str, Function]:
    """Return every function of the stack by its logical id, with its deployed variables."""
    resources = stack.client("cloudformation").get_paginator("list_stack_resources")
    deployed = {
        resource["LogicalResourceId"]: resource["PhysicalResourceId"]
        for page in resources.paginate(StackName=STACK_NAME)
        for resource in page["StackResourceSummaries"]
        if resource["ResourceType"] == "AWS::Lambda::Function"
    }
    return {name: _function(stack, name, physical) for name, physical in sorted(deployed.items())}


def built(
    stack: Stack,
    name: str,
    folder: Path,
    handler: str,
    variables: Mapping[str, str],
    *,
    layers: Sequence[str] = _SHARED,
) -> Function:
    """
    Build a function from its folder; it acts as the account's root user, and the stack stands in for AWS.

    *layers* are the ends of the names of its layers.
    """
    path = [str(folder), *(str(_LAYERS[layer]) for layer in layers)]
    environment = {
        **ministack.CREDENTIALS,
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "LAMBDA_TASK_ROOT": str(folder),
        "PYTHONPATH": os.pathsep.join(path),
        "AWS_REGION": stack.region,
        "AWS_DEFAULT_REGION": stack.region,
        "AWS_ENDPOINT_URL": stack.aws_endpoint,
        "AWS_LAMBDA_FUNCTION_NAME": name,
        "AWS_XRAY_DAEMON_ADDRESS": stack.trace_daemon,
    }
    return Function(name, folder, handler, {**environment, **variables})


def _function(stack: Stack, name: str, physical: str) -> Function:
    deployed = stack.client("lambda").get_function_configuration(FunctionName=physical)
    lambda_variables = {
        "AWS_LAMBDA_FUNCTION_TIMEOUT": str(deployed["Timeout"]),
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(deployed["MemorySize"]),
    }
    variables = {**lambda_variables, **deployed["Environment"]["Variables"]}
    layers = layers_of(layer["Arn"] for layer in deployed.get("Layers", []))
    return built(stack, name, code_of(BUILT), deployed["Handler"], variables, layers=layers)


def layers_of(arns: Iterable[str]) -> list[str]:
    """Return the ends of the names of layers from the ARNs of their versions (`...:layer:parley-local-shared:1`)."""
    return [arn.rsplit(":", 2)[-2].rpartition("-")[2] for arn in arns]
