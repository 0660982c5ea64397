"""The IAM actions of operations: most have the name of their operation, in a namespace that has a name of its own."""

from __future__ import annotations

from functools import cache
from typing import Final

from botocore.session import Session

# Service of the SDK: namespace in IAM.
NAMESPACES: Final = {
    "apigatewaymanagementapi": "execute-api",
    "bedrock-agent-runtime": "bedrock",
    "bedrock-runtime": "bedrock",
    "cloudwatch": "cloudwatch",
    "cognito-idp": "cognito-idp",
    "dynamodb": "dynamodb",
    "dynamodbstreams": "dynamodb",
    "lambda": "lambda",
    "logs": "logs",
    "pinpoint-sms-voice-v2": "sms-voice",
    "s3": "s3",
    "secretsmanager": "secretsmanager",
    "sesv2": "ses",
    "sns": "sns",
    "socialmessaging": "social-messaging",
    "sqs": "sqs",
    "ssm": "ssm",
    "sts": "sts",
    "xray": "xray",
}
# Operations whose actions have other names, from the service authorization reference of AWS. Some need several, and
# batches of SQS none of their own. The actions of a transaction depend on its writes.
OTHER_NAMES: Final[dict[tuple[str, str], frozenset[str]]] = {
    ("apigatewaymanagementapi", "PostToConnection"): frozenset({"execute-api:ManageConnections"}),
    ("apigatewaymanagementapi", "DeleteConnection"): frozenset({"execute-api:ManageConnections"}),
    ("apigatewaymanagementapi", "GetConnection"): frozenset({"execute-api:ManageConnections"}),
    ("bedrock-runtime", "Converse"): frozenset({"bedrock:InvokeModel"}),
    ("dynamodb", "TransactWriteItems"): frozenset(
        f"dynamodb:{one}" for one in ("ConditionCheckItem", "DeleteItem", "PutItem", "UpdateItem")
    ),
    ("lambda", "Invoke"): frozenset({"lambda:InvokeFunction"}),
    ("s3", "HeadObject"): frozenset({"s3:GetObject"}),
    ("s3", "ListObjectsV2"): frozenset({"s3:ListBucket"}),
    ("s3", "CopyObject"): frozenset({"s3:GetObject", "s3:PutObject"}),
    ("s3", "CreateMultipartUpload"): frozenset({"s3:PutObject"}),
    ("s3", "UploadPart"): frozenset({"s3:PutObject"}),
    ("s3", "CompleteMultipartUpload"): frozenset({"s3:PutObject"}),
    ("s3", "DeleteObjects"): frozenset({"s3:DeleteObject"}),
    ("s3", "GetBucketLifecycleConfiguration"): frozenset({"s3:GetLifecycleConfiguration"}),
    ("sqs", "SendMessageBatch"): frozenset({"sqs:SendMessage"}),
    ("sqs", "DeleteMessageBatch"): frozenset({"sqs:DeleteMessage"}),
    ("sqs", "ChangeMessageVisibilityBatch"): frozenset({"sqs:ChangeMessageVisibility"}),
}


def actions_of(service: str, operation: str) -> frozenset[str]:
    """The IAM actions that an operation may need."""
    same = frozenset({f"{NAMESPACES[service]}:{operation}"})
    return OTHER_NAMES.get((service, operation), same)


@cache
def operations_of(service: str) -> frozenset[str]:
    """The operations in the model of a service."""
    return frozenset(Session().get_service_model(service).operation_names)


@cache
def known_actions() -> frozenset[str]:
    """The actions of all operations in the models of the services above."""
    return frozenset(
        action
        for service in NAMESPACES
        for operation in operations_of(service)
        for action in actions_of(service, operation)
    )
