"""What functions may do on AWS by their roles in the template, and what they do: the two must be the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from tests.template import ACCOUNT, REGION, exists, properties, resolved, resources


@dataclass(frozen=True)
class Use:
    """One action on one resource. *context* are the facts that conditions of policies ask for."""

    action: str
    resource: str
    context: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Grant:
    """One action on one resource, or on a pattern of them, under conditions: (key, pattern)."""

    action: str
    resource: str
    conditions: tuple[tuple[str, str], ...] = ()

    def permits(self, use: Use) -> bool:
        """Whether IAM would allow this use by this grant."""
        context = dict(use.context)
        return (
            self.action == use.action
            and fnmatchcase(use.resource, self.resource)
            and all(fnmatchcase(context.get(key, ""), wanted) for key, wanted in self.conditions)
        )


def needless(grants: set[Grant], uses: set[Use]) -> list[Grant]:
    """Grants that nobody makes use of."""
    return [grant for grant in grants if not any(grant.permits(use) for use in uses)]


def missing(grants: set[Grant], uses: set[Use]) -> list[Use]:
    """Uses that AWS would refuse."""
    return [use for use in uses if not any(grant.permits(use) for grant in grants)]


# Granted


def grants_of(function: str, **given: str) -> set[Grant]:
    """Everything that the template lets a function do on AWS, under these parameters."""
    role = resolved(properties(function, **given)["Role"])
    return {
        Grant(action, resource, _conditions(statement))
        for statement in _statements(str(role), given)
        for action in _listed(statement["Action"])
        for resource in _listed(statement["Resource"])
    }


def granted_for_lambda(function: str, **given: str) -> set[Grant]:
    """
    What Lambda itself does under the role of a function, so that no call of ours shows it.

    - The runtime writes what the function prints to its log group.
    - The poller of a queue takes messages and deletes them (Lambda, "Using Lambda with Amazon SQS": the three actions).
    - An event of an asynchronous invocation that failed for good goes to the destination for failures.
    """
    wanted = properties(function, **given)
    grants = {
        Grant(action, properties_arn(f"{function}Logs", **given))
        for action in ("logs:CreateLogStream", "logs:PutLogEvents")
    }
    for event in wanted.get("Events", {}).values():
        if event["Type"] == "SQS":
            for name in ("ReceiveMessage", "DeleteMessage", "GetQueueAttributes"):
                grants.add(Grant(f"sqs:{name}", event["Properties"]["Queue"]))
    failures = wanted.get("EventInvokeConfig", {}).get("DestinationConfig", {}).get("OnFailure")
    if failures:
        grants.add(Grant("sqs:SendMessage", failures["Destination"]))
    return grants


def properties_arn(logical_id: str, **given: str) -> str:
    """The ARN of a resource of the template."""
    return str(resolved({"Fn::GetAtt": f"{logical_id}.Arn"}, **given))


def _statements(role: str, given: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    (name,) = (r for r in resources("AWS::IAM::Role") if properties_arn(r, **given) == role)
    for policy in properties(name, **given).get("Policies", []):
        yield from policy["PolicyDocument"]["Statement"]
    for other in resources("AWS::IAM::Policy"):
        # What exists on the emulator only is no right on AWS.
        if exists(other, Stage="prod") and name in properties(other, **given)["Roles"]:
            yield from properties(other, **given)["PolicyDocument"]["Statement"]


def _conditions(statement: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    conditions = dict(statement.get("Condition", {}))
    like = conditions.pop("StringLike", {})
    assert not conditions, f"teach `Grant.permits` about {conditions}"
    return tuple(like.items())


def _listed(value: str | list[str]) -> list[str]:
    return value if isinstance(value, list) else [value]


# Used


@dataclass
class Witness:
    """Notes what each function does on AWS, from the operations that its clients are asked for."""

    running: str | None = None
    uses: dict[str, set[Use]] = field(default_factory=dict)

    def note(self, operation: str, parameters: dict[str, Any]) -> None:
        """One operation of the SDK (`dynamodb.PutItem`) of the function that is running."""
        assert self.running, f"{operation} outside of any function"
        assert operation in USES, f"say in `USES` which IAM action {operation} needs"
        self.uses.setdefault(self.running, set()).update(USES[operation](parameters))

    def watching[**P, R](self, function: str, handler: Callable[P, R]) -> Callable[P, R]:
        """The handler, with what it does noted under its function."""

        def watched(*args: P.args, **options: P.kwargs) -> R:
            self.running = function
            try:
                return handler(*args, **options)
            finally:
                self.running = None

        return watched


def _on_table(action: str) -> Callable[[dict[str, Any]], set[Use]]:
    def use(parameters: dict[str, Any]) -> set[Use]:
        index = f"/index/{parameters['IndexName']}" if "IndexName" in parameters else ""
        return {Use(action, _table(parameters["TableName"]) + index)}

    return use


def _on_tables(parameters: dict[str, Any]) -> set[Use]:
    return {Use("dynamodb:BatchGetItem", _table(name)) for name in parameters["RequestItems"]}


def _table(name: str) -> str:
    return f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{name}"


def _on_object(action: str) -> Callable[[dict[str, Any]], set[Use]]:
    return lambda parameters: {Use(action, _object(parameters["Bucket"], parameters["Key"]))}


def _object(bucket: str, key: str) -> str:
    return f"arn:aws:s3:::{bucket}/{key}"


def _listing(parameters: dict[str, Any]) -> set[Use]:
    prefix = parameters.get("Prefix", "")
    return {Use("s3:ListBucket", f"arn:aws:s3:::{parameters['Bucket']}", (("s3:prefix", prefix),))}


def _to_queue(parameters: dict[str, Any]) -> set[Use]:
    *_, account, name = parameters["QueueUrl"].split("/")
    return {Use("sqs:SendMessage", f"arn:aws:sqs:{REGION}:{account}:{name}")}


def _reads_secret(parameters: dict[str, Any]) -> set[Use]:
    return {Use("secretsmanager:GetSecretValue", parameters["SecretId"])}


def _with_number(action: str) -> Callable[[dict[str, Any]], set[Use]]:
    def use(parameters: dict[str, Any]) -> set[Use]:
        number = parameters["originationPhoneNumberId"].removeprefix("phone-number-id-")
        arn = f"arn:aws:social-messaging:{REGION}:{ACCOUNT}:phone-number-id/{number}"
        found = {Use(f"social-messaging:{action}", arn)}
        if copy := parameters.get("destinationS3File"):
            # The service writes the object with the rights of its caller.
            found.add(Use("s3:PutObject", _object(copy["bucketName"], copy["key"])))
        return found

    return use


# Operations of the SDK, and the actions that IAM asks for: not always of the same name, and batches have none.
USES: dict[str, Callable[[dict[str, Any]], set[Use]]] = {
    "dynamodb.GetItem": _on_table("dynamodb:GetItem"),
    "dynamodb.PutItem": _on_table("dynamodb:PutItem"),
    "dynamodb.UpdateItem": _on_table("dynamodb:UpdateItem"),
    "dynamodb.DeleteItem": _on_table("dynamodb:DeleteItem"),
    "dynamodb.Query": _on_table("dynamodb:Query"),
    "dynamodb.BatchGetItem": _on_tables,
    "s3.GetObject": _on_object("s3:GetObject"),
    "s3.HeadObject": _on_object("s3:GetObject"),
    "s3.PutObject": _on_object("s3:PutObject"),
    "s3.CreateMultipartUpload": _on_object("s3:PutObject"),
    "s3.UploadPart": _on_object("s3:PutObject"),
    "s3.CompleteMultipartUpload": _on_object("s3:PutObject"),
    "s3.AbortMultipartUpload": _on_object("s3:AbortMultipartUpload"),
    "s3.DeleteObject": _on_object("s3:DeleteObject"),
    "s3.ListObjectsV2": _listing,
    "sqs.SendMessage": _to_queue,
    "sqs.SendMessageBatch": _to_queue,
    "secrets-manager.GetSecretValue": _reads_secret,
    "socialmessaging.SendWhatsAppMessage": _with_number("SendWhatsAppMessage"),
    "socialmessaging.GetWhatsAppMessageMedia": _with_number("GetWhatsAppMessageMedia"),
}
