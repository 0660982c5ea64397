"""
The template deployed with functions that do nothing, in another account and region of the running emulator.

A deployment of this kind takes half a second, and shares no resource with the stack of the other tests: roles are
shared by all regions of an account.
"""

from __future__ import annotations

import io
import json
import time
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.exceptions import ClientError

from local.stack.cli import Stack
from tests.template import file, stacks

REGION = "eu-central-1"
# MiniStack takes an access key of twelve digits for the id of an account.
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "210987654321", "AWS_SECRET_ACCESS_KEY": "test"}
NAME = "parley-local"  # the stage is `local`: MiniStack has no TLS
_BUCKET = "artefacts-of-bare-stacks"
_DOES_NOTHING = "def handler(event, context):\n    return {}\n"
_WITHIN_SECONDS = 60


@dataclass(frozen=True)
class BareStack:
    """Deploys and deletes the stack in an emulator."""

    endpoint: str
    sandbox_url: str

    def client(self, service: str) -> Any:
        make: Any = boto3.client  # its own type accepts only literal service names
        return make(
            service,
            endpoint_url=self.endpoint,
            region_name=REGION,
            aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
        )

    def create(self, **given: str) -> tuple[str, list[str]]:
        """Create the stack; return its final state and the errors of its resources."""
        own = {"Stage": "local", "EmulatorUrl": self.endpoint, "SandboxUrl": self.sandbox_url}
        self.client("cloudformation").create_stack(
            StackName=NAME,
            TemplateURL=f"{self.endpoint}/{_BUCKET}/template.json",
            Parameters=[
                {"ParameterKey": name, "ParameterValue": value}
                for name, value in (own | given).items()
            ],
            Capabilities=["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"],
        )
        return self.settled(), self._errors()

    def delete(self) -> None:
        """Delete the stack and the objects in its buckets; nothing if there is no stack."""
        if self.settled() == "":
            return
        for bucket in self.buckets():
            for entry in self.client("s3").list_objects_v2(Bucket=bucket).get("Contents", []):
                self.client("s3").delete_object(Bucket=bucket, Key=entry["Key"])
        self.client("cloudformation").delete_stack(StackName=NAME)
        assert self.settled() == ""

    def buckets(self) -> list[str]:
        names = [one["Name"] for one in self.client("s3").list_buckets()["Buckets"]]
        return [name for name in names if name.startswith("parley-") and name.endswith(REGION)]

    def settled(self) -> str:
        """Wait for the end of an operation; return the state of the stack, empty if there is none."""
        cloudformation, deadline = self.client("cloudformation"), time.monotonic() + _WITHIN_SECONDS
        while time.monotonic() < deadline:
            try:
                (found,) = cloudformation.describe_stacks(StackName=NAME)["Stacks"]
            except ClientError:
                return ""
            if not found["StackStatus"].endswith("_IN_PROGRESS"):
                return "" if found["StackStatus"] == "DELETE_COMPLETE" else found["StackStatus"]
            time.sleep(0.05)
        raise TimeoutError(NAME)

    def _errors(self) -> list[str]:
        events = self.client("cloudformation").describe_stack_events(StackName=NAME)["StackEvents"]
        return [
            f"{event['LogicalResourceId']}: {event.get('ResourceStatusReason', '')}"
            for event in events
            if event["ResourceStatus"].endswith("_FAILED")
        ]


def bare_stack(stack: Stack) -> BareStack:
    """Upload the templates and the code to the emulator of *stack*."""
    bare = BareStack(stack.aws_endpoint, stack.sandbox_url)
    s3 = bare.client("s3")
    with suppress(s3.exceptions.BucketAlreadyOwnedByYou):  # of another module's tests
        s3.create_bucket(Bucket=_BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
    root = json.loads(json.dumps(file("template.yaml"), default=str))
    functions = [one for one in root["Resources"].values() if one["Type"].endswith("::Function")]
    modules = {one["Properties"]["Handler"].rpartition(".")[0] for one in functions}
    s3.put_object(Bucket=_BUCKET, Key="code.zip", Body=_archive(modules))
    root["Globals"]["Function"]["CodeUri"] = f"s3://{_BUCKET}/code.zip"
    for resource in root["Resources"].values():
        if resource["Type"] == "AWS::Serverless::LayerVersion":
            resource["Properties"]["ContentUri"] = f"s3://{_BUCKET}/code.zip"
    for name, nested in stacks().items():
        path = nested["TemplateURL"]
        s3.put_object(Bucket=_BUCKET, Key=path, Body=json.dumps(file(path), default=str))
        url = f"{bare.endpoint}/{_BUCKET}/{path}"
        root["Resources"][name]["Properties"]["TemplateURL"] = url
    s3.put_object(Bucket=_BUCKET, Key="template.json", Body=json.dumps(root))
    return bare


def _archive(modules: set[str]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for module in sorted(modules):
            archive.writestr(f"{module.replace('.', '/')}.py", _DOES_NOTHING)
    return made.getvalue()
