"""Events per second from HTTP to a durable item, for Parley and for a plain handler deployed beside it."""

from __future__ import annotations

import io
import json
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import urllib3

from local.bench.fresh import HERE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from events.whatsapp.sample_builder import Sample
    from local.stack.cli import Stack

SENDERS = 4
_NAME = "parley-bench-plain"
_PATIENCE_SECONDS = 120
_KEYS_PER_CALL = 100
_OK, _BUSY = 200, 429


@dataclass(frozen=True)
class Rate:
    """Events per second: answered with 200, and durable."""

    answered: float
    durable: float


def rate_of(
    url: str, posts: Sequence[Sample], count_durable: Callable[[Sequence[str]], int]
) -> Rate:
    """
    Post one message per sample, four at a time, and wait until all are items.

    Throttled posts (429) are sent again, as a provider does. Raises RuntimeError if one gets any other status than 200,
    or is not durable within two minutes.
    """
    ids = [message["id"] for post in posts for message in post.items("messages")]
    http = urllib3.PoolManager(maxsize=SENDERS, retries=False, timeout=30)

    def send(post: Sample) -> int:
        while True:
            answer = http.request("POST", url, body=post.raw_body, headers=post.signed_headers)
            if answer.status != _BUSY:
                return answer.status
            time.sleep(0.02)

    began = time.perf_counter()
    with ThreadPoolExecutor(SENDERS) as pool:
        statuses = set(pool.map(send, posts))
    answered = time.perf_counter() - began
    if statuses != {_OK}:
        raise RuntimeError(f"answered with {sorted(statuses)}")
    while (there := count_durable(ids)) < len(ids):
        if time.perf_counter() - began > _PATIENCE_SECONDS:
            raise RuntimeError(f"{there} of {len(ids)} are durable")
        time.sleep(0.02)
    durable = time.perf_counter() - began
    return Rate(len(ids) / answered, len(ids) / durable)


def counter(stack: Stack, table: str, prefix: str) -> Callable[[Sequence[str]], int]:
    """Return a function that counts how many of the given messages a table holds."""
    client = stack.client("dynamodb")

    def count(ids: Sequence[str]) -> int:
        keys = [{"pk": {"S": prefix + message}} for message in ids]
        chunks = [keys[at : at + _KEYS_PER_CALL] for at in range(0, len(keys), _KEYS_PER_CALL)]
        asked = ({table: {"Keys": chunk, "ProjectionExpression": "pk"}} for chunk in chunks)
        answers = (client.batch_get_item(RequestItems=request) for request in asked)  # type: ignore[arg-type] # no such TypedDict by hand
        return sum(len(answer["Responses"].get(table, [])) for answer in answers)

    return count


@contextmanager
def plain_handler(stack: Stack) -> Iterator[tuple[str, str]]:
    """Deploy the plain handler behind its own REST API for the duration of the block; yields its URL and its table."""
    dynamodb, iam = stack.client("dynamodb"), stack.client("iam")
    functions, api = stack.client("lambda"), stack.client("apigateway")
    with ExitStack() as undo:
        dynamodb.create_table(
            TableName=_NAME,
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
        undo.callback(dynamodb.delete_table, TableName=_NAME)
        role = iam.create_role(RoleName=_NAME, AssumeRolePolicyDocument=_policy(_ASSUME))
        undo.callback(iam.delete_role, RoleName=_NAME)
        iam.put_role_policy(RoleName=_NAME, PolicyName=_NAME, PolicyDocument=_policy(_WRITE))
        undo.callback(iam.delete_role_policy, RoleName=_NAME, PolicyName=_NAME)
        function = functions.create_function(
            FunctionName=_NAME,
            Runtime="python3.13",
            Handler="plain.handler",
            Role=role["Role"]["Arn"],
            MemorySize=256,
            Timeout=10,
            Layers=_layers(stack),
            Environment={"Variables": {"TABLE_NAME": _NAME}},
            Code={"ZipFile": _zipped()},
        )
        undo.callback(_delete, functions)
        made = api.create_rest_api(name=_NAME)["id"]
        undo.callback(api.delete_rest_api, restApiId=made)
        _route(stack, api, made, function["FunctionArn"])
        functions.add_permission(
            FunctionName=_NAME,
            StatementId="api",
            Action="lambda:InvokeFunction",
            Principal="apigateway.amazonaws.com",
        )
        yield f"{stack.aws_endpoint}/restapis/{made}/bench/_user_request_/plain", _NAME


def _delete(functions: Any) -> None:  # noqa: ANN401 - an untyped client
    # The SDK retries if the response is late; the retry then finds the function already deleted.
    with suppress(functions.exceptions.ResourceNotFoundException):
        functions.delete_function(FunctionName=_NAME)


_ASSUME = {"Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}
_WRITE = {
    "Action": ["dynamodb:PutItem", "logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"],
    "Resource": "*",
}  # fmt: skip


def _policy(statement: Mapping[str, object]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **statement}]})


def _layers(stack: Stack) -> list[str]:
    """Return the layer of Parley's own functions, for the same boto3."""
    name = "parley-local-whatsapp-webhook"
    found = stack.client("lambda").get_function_configuration(FunctionName=name)["Layers"]
    return [layer["Arn"] for layer in found]


def _zipped() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(HERE / "plain" / "plain.py", "plain.py")
    return packed.getvalue()


def _route(stack: Stack, api: Any, made: str, function_arn: str) -> None:  # noqa: ANN401 - an untyped client
    (root,) = [entry["id"] for entry in api.get_resources(restApiId=made)["items"]]
    resource = api.create_resource(restApiId=made, parentId=root, pathPart="plain")["id"]
    where = {"restApiId": made, "resourceId": resource, "httpMethod": "POST"}
    api.put_method(**where, authorizationType="NONE")
    path = f"lambda:path/2015-03-31/functions/{function_arn}/invocations"
    uri = f"arn:aws:apigateway:{stack.region}:{path}"
    api.put_integration(**where, type="AWS_PROXY", integrationHttpMethod="POST", uri=uri)
    api.create_deployment(restApiId=made, stageName="bench")
