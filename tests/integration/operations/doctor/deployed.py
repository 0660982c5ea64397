"""A deployment for the doctor: the template's data resources on moto, and its webhooks on an HTTP server."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import boto3

from operations.doctor import capacity
from tests.template import (
    ACCOUNT,
    REGION,
    create_queue,
    create_table,
    exists,
    parameters,
    properties,
    resolved,
    resources,
    template,
)

STACK = "parley-dev"
PARAMETERS = {"RichpanelAuthMode": "token"} | {
    name: parameters({})[name] for name in capacity.SOURCES
}
TOKEN = "the-verify-token-of-the-tests"
SECRETS: dict[str, dict[str, Any]] = {
    "whatsapp-apps": {"verify_token": TOKEN, "apps": {}},
    "whatsapp-access-tokens": {},
    "whatsapp-canary": {"app_secret": "x"},
    "twilio-webhook": {"accounts": {}},
    "api-seal": {"seal_key": "x"},
    "identifier-keys": {"identifier_key": "x"},
    "richpanel-webhook": {"active_tokens": "x", "active_hmac_keys": []},
    "richpanel-keys": {"salt": "x"},
}


@dataclass
class Webhooks:
    """The responses of the server; *url* is its address."""

    url: str = ""
    verify_token: str = TOKEN
    unsigned: dict[str, int] = field(
        default_factory=lambda: {"whatsapp": 403, "richpanel": 401, "twilio": 403}
    )


class CloudFormation:
    """A fake CloudFormation client; *stacks* has the resources of each stack: (type, logical id, physical id)."""

    def __init__(self) -> None:
        self.stacks: dict[str, list[tuple[str, str, str]]] = {STACK: []}
        self.outputs: dict[str, str] = {}

    def describe_stacks(self, StackName: str) -> dict[str, Any]:
        outputs = [{"OutputKey": name, "OutputValue": v} for name, v in self.outputs.items()]
        parameters = [{"ParameterKey": n, "ParameterValue": v} for n, v in PARAMETERS.items()]
        return {"Stacks": [{"Outputs": outputs, "Parameters": parameters}]}

    def get_paginator(self, operation: str) -> CloudFormation:
        assert operation == "list_stack_resources"
        return self

    def paginate(self, StackName: str) -> Iterator[dict[str, Any]]:
        names = ("ResourceType", "LogicalResourceId", "PhysicalResourceId")
        for resource in self.stacks[StackName]:
            yield {"StackResourceSummaries": [dict(zip(names, resource, strict=True))]}


def create_stack(webhooks: Webhooks) -> CloudFormation:
    """Create the template's data resources, a worker with its alias, and a confirmed recipient of the alarms."""
    made: dict[str, tuple[str, str]] = {}
    dynamodb, sqs = boto3.client("dynamodb"), boto3.client("sqs")
    for name in resources("AWS::DynamoDB::Table"):
        made[name] = ("AWS::DynamoDB::Table", create_table(dynamodb, name))
    for name in resources("AWS::SQS::Queue"):
        made[name] = ("AWS::SQS::Queue", create_queue(sqs, name))
    for name in filter(exists, resources("AWS::SSM::Parameter")):
        wanted = properties(name)
        boto3.client("ssm").put_parameter(Name=wanted["Name"], Value=wanted["Value"], Type="String")
    for kind, content in SECRETS.items():
        boto3.client("secretsmanager").create_secret(
            Name=f"parley-dev-{kind}", SecretString=json.dumps(content)
        )
    alias, mapping = _worker()
    made["WorkerAliaslive"] = ("AWS::Lambda::Alias", alias)
    made["ReadsQueue"] = ("AWS::Lambda::EventSourceMapping", mapping)
    sns = boto3.client("sns")
    topic = sns.create_topic(Name="parley-dev-alarms")["TopicArn"]
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=f"arn:aws:sqs:{REGION}:{ACCOUNT}:alarms")

    stack = CloudFormation()
    stack.stacks[STACK] = [(kind, name, made_name) for name, (kind, made_name) in made.items()]
    for output, entry in template()["Outputs"].items():
        value = entry["Value"]
        name = value.get("Ref")
        stack.outputs[output] = made[name][1] if name in made else str(resolved(value))
    stack.outputs |= {"ApiUrl": webhooks.url, "AlarmTopicArn": topic}
    return stack


def keep(kind: str, content: dict[str, Any]) -> None:
    """Write the whole content of one of the deployment's secrets."""
    boto3.client("secretsmanager").put_secret_value(
        SecretId=f"parley-dev-{kind}", SecretString=json.dumps(content)
    )


@contextmanager
def serving(webhooks: Webhooks) -> Iterator[None]:
    """Serve the webhooks on the loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            query = parse_qs(urlsplit(self.path).query)
            is_right = query["hub.verify_token"] == [webhooks.verify_token]
            self._answer(200 if is_right else 403, query["hub.challenge"][0] if is_right else "")

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self._answer(webhooks.unsigned[self.path.rsplit("/", 1)[-1]], "")

        def _answer(self, status: int, text: str) -> None:
            self.send_response(status)
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    webhooks.url = f"http://127.0.0.1:{server.server_port}/dev"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


def _worker() -> tuple[str, str]:
    """Create a worker of the WhatsApp queue; return the ARN of its alias and the id of its event source mapping."""
    role = boto3.client("iam").create_role(RoleName="worker", AssumeRolePolicyDocument="{}")
    functions = boto3.client("lambda")
    functions.create_function(
        FunctionName="worker",
        Role=role["Role"]["Arn"],
        Runtime="python3.13",
        Handler="worker.handler",
        Code={"ZipFile": b"PK\x05\x06" + bytes(18)},
    )
    version = functions.publish_version(FunctionName="worker")["Version"]
    alias = functions.create_alias(FunctionName="worker", Name="live", FunctionVersion=version)
    queue = properties("WhatsAppQueue")["QueueName"]
    mapping = functions.create_event_source_mapping(
        FunctionName=alias["AliasArn"], EventSourceArn=f"arn:aws:sqs:{REGION}:{ACCOUNT}:{queue}"
    )
    return alias["AliasArn"], str(mapping["UUID"])
