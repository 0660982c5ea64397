"""Records the uses of AWS by functions: which IAM actions their operations need, on which resources."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from tests.template import ACCOUNT, REGION

# The first one that an item has is its key: other rows have conversation or company as a plain attribute.
PARTITION_KEYS = (
    "PK",
    "pk",
    "key_id",
    "message_id",
    "event_id",
    "primary_channel",
    "conversation_id",
    "company_id",
)


@dataclass(frozen=True)
class Use:
    """One action on one resource. *context*: the keys and values that conditions of policies test."""

    action: str
    resource: str
    context: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass
class CallObserver:
    """Records each function's uses of AWS from the operations of its clients."""

    running: str | None = None
    uses: dict[str, set[Use]] = field(default_factory=dict)

    def note(self, operation: str, parameters: dict[str, Any]) -> None:
        """One operation of the SDK (`dynamodb.PutItem`) of the function that is running."""
        assert self.running, f"{operation} outside of any function"
        service, _, action = operation.partition(".")
        if service == "socialmessaging":
            found = _at_social_messaging(action, parameters)
        else:
            assert operation in USES, f"say in `USES` which IAM action {operation} needs"
            found = USES[operation](parameters)
        self.uses.setdefault(self.running, set()).update(found)

    def watching[**P, R](self, function: str, handler: Callable[P, R]) -> Callable[P, R]:
        """Wrap the handler; its operations are recorded for its function."""

        def watched(*args: P.args, **options: P.kwargs) -> R:
            before, self.running = self.running, function
            try:
                return handler(*args, **options)
            finally:
                self.running = before

        return watched


def _on_item(action: str) -> Callable[[dict[str, Any]], set[Use]]:
    def use(parameters: dict[str, Any]) -> set[Use]:
        return {Use(action, _table(parameters["TableName"]), _leading(parameters))}

    return use


def _on_items(parameters: dict[str, Any]) -> set[Use]:
    return {
        Use("dynamodb:BatchGetItem", _table(table), _leading({"Key": key}))
        for table, request in parameters["RequestItems"].items()
        for key in request["Keys"]
    }


def _on_batch(parameters: dict[str, Any]) -> set[Use]:
    return {
        Use("dynamodb:BatchWriteItem", _table(table), _leading(write["PutRequest"]))
        for table, writes in parameters["RequestItems"].items()
        for write in writes
    }


def _in_transaction(parameters: dict[str, Any]) -> set[Use]:
    """IAM knows the actions of the writes only."""
    return {
        Use(f"dynamodb:{operation}Item", _table(write["TableName"]), _leading(write))
        for item in parameters["TransactItems"]
        for operation, write in item.items()
    }


def _leading(parameters: dict[str, Any]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The partition key of an item, as conditions know it."""
    item = parameters.get("Key") or parameters["Item"]
    value = next(item[name] for name in PARTITION_KEYS if name in item)
    keys = ("dynamodb:LeadingKeys", tuple(map(str, value.values())))
    if "UpdateExpression" not in parameters:
        return (keys,)
    named = parameters.get("ExpressionAttributeNames", {}).values()
    return (keys, ("dynamodb:Attributes", tuple(sorted({*item, *named}))))


def _on_index(parameters: dict[str, Any]) -> set[Use]:
    index = f"/index/{parameters['IndexName']}" if "IndexName" in parameters else ""
    return {Use("dynamodb:Query", _table(parameters["TableName"]) + index)}


def _table(name: str) -> str:
    return f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{name}"


def _on_object(action: str) -> Callable[[dict[str, Any]], set[Use]]:
    return lambda parameters: {Use(action, _object(parameters["Bucket"], parameters["Key"]))}


def _copying(parameters: dict[str, Any]) -> set[Use]:
    source_bucket, _, source_key = unquote(parameters["CopySource"]).partition("/")
    return {
        Use("s3:GetObject", _object(source_bucket, source_key)),
        Use("s3:PutObject", _object(parameters["Bucket"], parameters["Key"])),
    }


def _object(bucket: str, key: str) -> str:
    return f"arn:aws:s3:::{bucket}/{key}"


def _listing(parameters: dict[str, Any]) -> set[Use]:
    prefix = parameters.get("Prefix", "")
    return {
        Use("s3:ListBucket", f"arn:aws:s3:::{parameters['Bucket']}", (("s3:prefix", (prefix,)),))
    }


def _on_queue(action: str) -> Callable[[dict[str, Any]], set[Use]]:
    def use(parameters: dict[str, Any]) -> set[Use]:
        *_, account, name = parameters["QueueUrl"].split("/")
        return {Use(action, f"arn:aws:sqs:{REGION}:{account}:{name}")}

    return use


def _on_switches(parameters: dict[str, Any]) -> set[Use]:
    path = parameters["Path"]
    return {Use("ssm:GetParametersByPath", f"arn:aws:ssm:{REGION}:{ACCOUNT}:parameter{path}")}


def _reads_parameter(parameters: dict[str, Any]) -> set[Use]:
    name = parameters["Name"]
    return {Use("ssm:GetParameter", f"arn:aws:ssm:{REGION}:{ACCOUNT}:parameter{name}")}


def _on_identity(action: str) -> Callable[[Mapping[str, Any]], set[Use]]:
    prefix = f"arn:aws:ses:{REGION}:{ACCOUNT}:identity/"
    return lambda parameters: {Use(action, prefix + parameters["EmailIdentity"])}


def _on_tenant(action: str) -> Callable[[Mapping[str, Any]], set[Use]]:
    prefix = f"arn:aws:ses:{REGION}:{ACCOUNT}:tenant/"
    return lambda parameters: {Use(action, f"{prefix}{parameters['TenantName']}/made-up")}


def _on_switch(parameters: dict[str, Any]) -> set[Use]:
    name = parameters["Name"]
    return {Use("ssm:PutParameter", f"arn:aws:ssm:{REGION}:{ACCOUNT}:parameter{name}")}


def _on_secret(action: str) -> Callable[[dict[str, Any]], set[Use]]:
    def use(parameters: dict[str, Any]) -> set[Use]:
        name = parameters["SecretId"]  # its ARN, or the name in a company's data
        arn = f"arn:aws:secretsmanager:{REGION}:{ACCOUNT}:secret:{name}"
        return {Use(action, name if name.startswith("arn:") else arn)}

    return use


def _at_social_messaging(action: str, parameters: dict[str, Any]) -> set[Use]:
    """An operation of AWS End User Messaging Social: on a number, on an account, or on neither."""
    name = parameters.get("originationPhoneNumberId") or parameters.get("id")
    resource = "*"
    if name is not None:
        kind, _, key = str(name).rpartition("-")
        resource = f"arn:aws:social-messaging:{REGION}:{ACCOUNT}:{kind}/{key}"
    found = {Use(f"social-messaging:{action}", resource)}
    if copy := parameters.get("destinationS3File"):
        # The service writes the object with the rights of its caller.
        found.add(Use("s3:PutObject", _object(copy["bucketName"], copy["key"])))
    if source := parameters.get("sourceS3File"):
        found.add(Use("s3:GetObject", _object(source["bucketName"], source["key"])))
    return found


def _mails(parameters: dict[str, Any]) -> set[Use]:
    """SES asks for the identity, verified as an address or as its domain, and for the configuration set."""
    domain = parameters["FromEmailAddress"].rpartition("@")[2].rstrip(">")
    found = {Use("ses:SendEmail", f"arn:aws:ses:{REGION}:{ACCOUNT}:identity/{domain}")}
    if name := parameters.get("ConfigurationSetName"):
        arn = f"arn:aws:ses:{REGION}:{ACCOUNT}:configuration-set/{name}"
        found.add(Use("ses:SendEmail", arn))
    return found


def _texts(parameters: dict[str, Any]) -> set[Use]:
    """End User Messaging knows a number by an id, which stands behind its E.164 form."""
    arn = f"arn:aws:sms-voice:{REGION}:{ACCOUNT}:phone-number/{parameters['OriginationIdentity']}"
    found = {Use("sms-voice:SendTextMessage", arn)}
    if name := parameters.get("ConfigurationSetName"):
        arn = f"arn:aws:sms-voice:{REGION}:{ACCOUNT}:configuration-set/{name}"
        found.add(Use("sms-voice:SendTextMessage", arn))
    return found


# SDK operations and their IAM actions: the names may differ, and batches have no action of their own.
def _on_connection(method: str) -> Callable[[dict[str, Any]], set[Use]]:
    api = f"arn:aws:execute-api:{REGION}:{ACCOUNT}:LiveApi/live/{method}/@connections"
    return lambda parameters: {
        Use("execute-api:ManageConnections", f"{api}/{parameters['ConnectionId']}")
    }


def _on_pool(action: str) -> Callable[[dict[str, Any]], set[Use]]:
    return lambda parameters: {
        Use(action, f"arn:aws:cognito-idp:{REGION}:{ACCOUNT}:userpool/{parameters['UserPoolId']}")
    }


POOL_OPERATIONS = (
    *("ListGroups", "ListUsersInGroup", "ListUsers", "CreateGroup"),
    *("AdminListGroupsForUser", "AdminAddUserToGroup", "AdminRemoveUserFromGroup"),
    *("AdminGetUser", "AdminCreateUser", "AdminSetUserPassword", "AdminUserGlobalSignOut"),
    *("AdminEnableUser", "AdminDisableUser"),
)
USES: dict[str, Callable[[dict[str, Any]], set[Use]]] = {
    "dynamodb.GetItem": _on_item("dynamodb:GetItem"),
    "dynamodb.PutItem": _on_item("dynamodb:PutItem"),
    "dynamodb.UpdateItem": _on_item("dynamodb:UpdateItem"),
    "dynamodb.DeleteItem": _on_item("dynamodb:DeleteItem"),
    "dynamodb.Query": _on_index,
    "dynamodb.BatchGetItem": _on_items,
    "dynamodb.BatchWriteItem": _on_batch,
    "dynamodb.TransactWriteItems": _in_transaction,
    "apigatewaymanagementapi.PostToConnection": _on_connection("POST"),
    "apigatewaymanagementapi.DeleteConnection": _on_connection("DELETE"),
    **{
        f"cognito-identity-provider.{name}": _on_pool(f"cognito-idp:{name}")
        for name in POOL_OPERATIONS
    },
    "lambda.GetAccountSettings": lambda _: {Use("lambda:GetAccountSettings", "*")},
    "lambda.ListEventSourceMappings": lambda _: {Use("lambda:ListEventSourceMappings", "*")},
    "lambda.Invoke": lambda parameters: {
        Use(
            "lambda:InvokeFunction",
            f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{parameters['FunctionName']}",
        )
    },
    "s3.GetObject": _on_object("s3:GetObject"),
    "s3.HeadObject": _on_object("s3:GetObject"),
    "s3.PutObject": _on_object("s3:PutObject"),
    "s3.CopyObject": _copying,
    # Never sent: botocore prepares it to find the address of a signed form (`generate_presigned_post`).
    "s3.CreateBucket": lambda _: set(),
    "s3.CreateMultipartUpload": _on_object("s3:PutObject"),
    "s3.UploadPart": _on_object("s3:PutObject"),
    "s3.CompleteMultipartUpload": _on_object("s3:PutObject"),
    "s3.AbortMultipartUpload": _on_object("s3:AbortMultipartUpload"),
    "s3.DeleteObject": _on_object("s3:DeleteObject"),
    "s3.ListObjectsV2": _listing,
    "s3.GetBucketLifecycleConfiguration": lambda parameters: {
        Use("s3:GetLifecycleConfiguration", f"arn:aws:s3:::{parameters['Bucket']}")
    },
    "sqs.SendMessage": _on_queue("sqs:SendMessage"),
    "sqs.SendMessageBatch": _on_queue("sqs:SendMessage"),
    "sqs.ReceiveMessage": _on_queue("sqs:ReceiveMessage"),
    "sqs.DeleteMessage": _on_queue("sqs:DeleteMessage"),
    "sqs.ChangeMessageVisibility": _on_queue("sqs:ChangeMessageVisibility"),
    "sqs.GetQueueAttributes": _on_queue("sqs:GetQueueAttributes"),
    **{
        f"secrets-manager.{name}": _on_secret(f"secretsmanager:{name}")
        for name in (
            "GetSecretValue",
            "DescribeSecret",
            "PutSecretValue",
            "UpdateSecretVersionStage",
        )
    },
    "sns.Publish": lambda parameters: {Use("sns:Publish", parameters["TopicArn"])},
    "ssm.GetParametersByPath": _on_switches,
    "ssm.GetParameter": _reads_parameter,
    "ssm.PutParameter": _on_switch,
    "ssm.GetParameterHistory": lambda parameters: {
        Use(
            "ssm:GetParameterHistory",
            f"arn:aws:ssm:{REGION}:{ACCOUNT}:parameter{parameters['Name']}",
        )
    },
    # A list of alarms by prefix names none; metrics and query results have no resource.
    "cloudwatch.DescribeAlarms": lambda _: {Use("cloudwatch:DescribeAlarms", "*")},
    "cloudwatch.GetMetricData": lambda _: {Use("cloudwatch:GetMetricData", "*")},
    "cloudwatch-logs.GetQueryResults": lambda _: {Use("logs:GetQueryResults", "*")},
    "cloudwatch-logs.StartQuery": lambda parameters: {
        Use("logs:StartQuery", f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:{group}:*")
        for group in parameters["logGroupNames"]
    },
    **{
        f"sesv2.{call}": _on_identity(f"ses:{call}")
        for call in (
            "GetEmailIdentity",
            "CreateEmailIdentity",
            "PutEmailIdentityMailFromAttributes",
        )
    },
    "sesv2.GetAccount": lambda _: {Use("ses:GetAccount", "*")},
    **{f"sesv2.{call}": _on_tenant(f"ses:{call}") for call in ("GetTenant", "ListTenantResources")},
    "sesv2.ListEmailIdentities": lambda _: {Use("ses:ListEmailIdentities", "*")},
    "sesv2.SendEmail": _mails,
    "pinpoint-sms-voice-v2.SendTextMessage": _texts,
}
