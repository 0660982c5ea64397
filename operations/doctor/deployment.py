"""The deployment that is checked: outputs, parameters and resources of its stack, and the clients for it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import boto3
from botocore.config import Config

from operations.command_line import arguments
from operations.command_line.arguments import Refused
from operations.secrets.references import StoredSecrets
from operations.stages.stack_resources import Resource, resources_of
from shared.aws.dynamodb import Table

# A check that gets no answer is reported, so that the others follow soon.
_QUICK = Config(connect_timeout=3, read_timeout=10, retries={"total_max_attempts": 3})


@dataclass(frozen=True)
class Deployment:
    """One deployed stack. *target* is the option that selects it; *is_local*: the emulator runs it."""

    stack: str
    target: str
    is_local: bool
    outputs: dict[str, str]
    parameters: dict[str, str]
    api_url: str

    @property
    def stage(self) -> str:
        """The stage, part of the names of all resources."""
        return self.output(arguments.SWITCHES).split("/")[2]

    @cached_property
    def secrets(self) -> StoredSecrets:
        """The secrets, each read once for all checks."""
        return StoredSecrets(self.stage, self.target)

    @cached_property
    def _resources(self) -> list[Resource]:
        return list(resources_of(client("cloudformation"), self.stack))

    def resources(self, kind: str) -> list[Resource]:
        """Return the resources of a type, such as `AWS::SQS::Queue`, sorted by logical id. Raises ClientError."""
        found = [resource for resource in self._resources if resource.kind == kind]
        return sorted(found, key=lambda resource: resource.logical_id)

    def output(self, name: str) -> str:
        """Return an output of the stack. Raises Refused."""
        if name not in self.outputs:
            raise Refused(f"the stack has no output {name}; deploy the current template")
        return self.outputs[name]

    def table(self, output: str) -> Table:
        """Return the table that an output names. Raises Refused."""
        return Table(client("dynamodb"), self.output(output))


def describe(stack: str, target: str, api_url: str | None) -> Deployment:
    """Return a deployment; *api_url* replaces the stack's own for the local stack. Raises Refused and ClientError."""
    description = client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0]
    return Deployment(
        stack=stack,
        target=target,
        is_local=api_url is not None,
        outputs=(outputs := arguments.outputs_of(stack, arguments.SWITCHES, "ApiUrl")),
        parameters={
            entry["ParameterKey"]: entry.get("ParameterValue", "")
            for entry in description.get("Parameters", [])
        },
        api_url=api_url or outputs["ApiUrl"],
    )


def client(service: str) -> Any:  # noqa: ANN401 - any service's client
    """Return a client that gives up soon."""
    make: Any = boto3.client  # its own type accepts only literal service names
    return make(service, config=_QUICK)
