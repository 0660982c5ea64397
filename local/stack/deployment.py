"""Deploys the built template into an AWS emulator and returns the names of its resources."""

import dataclasses
import json
from typing import TYPE_CHECKING, Any, Final, Literal, overload

import boto3
from botocore.config import Config

from events.conversations.twilio import PUBLIC_URL
from events.richpanel.sample_data import ACCOUNT
from local.stack.builds import build
from local.stack.emulator import ministack
from local.stack.processes import follow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_secretsmanager import SecretsManagerClient
    from mypy_boto3_sqs import SQSClient

STACK_NAME = "parley-local"
# samconfig.toml names it too. The CLI's own bucket is a stack, whose creation it looks at every 15 seconds only.
ARTIFACTS = "parley-local-artifacts"
_STAGE = "local"
_ANSWERS_WITHIN_SECONDS = 180
# Outputs of the template by the names of tables, queues and so on in `Stack`.
OUTPUTS: Final[dict[str, dict[str, str]]] = {
    "tables": {
        "inbox": "InboxTableName",
        "live": "LiveTableName",
        "whatsapp": "WhatsAppTableName",
        "api_keys": "ApiKeysTableName",
        "richpanel_idempotency": "RichpanelIdempotencyTableName",
        "richpanel_conversation_state": "RichpanelConversationStateTableName",
        "richpanel_audit_actions": "RichpanelAuditActionsTableName",
        "conversations": "ConversationsTableName",
        "conversation_log": "ConversationLogTableName",
        "company_data": "CompanyDataTableName",
        "email_threads": "EmailThreadsTableName",
        "newsletters": "NewslettersTableName",
    },
    "queues": {
        "inbox_feed_dead_letters": "InboxFeedDeadLettersUrl",
        "whatsapp": "WhatsAppQueueUrl",
        "whatsapp_jobs": "WhatsAppJobsQueueUrl",
        "whatsapp_jobs_dead_letters": "WhatsAppJobsDeadLettersUrl",
        "whatsapp_campaigns": "WhatsAppCampaignsQueueUrl",
        "whatsapp_campaigns_dead_letters": "WhatsAppCampaignsDeadLettersUrl",
        "whatsapp_dead_letters": "WhatsAppDeadLettersUrl",
        "whatsapp_social_dead_letters": "WhatsAppSocialDeadLettersUrl",
        "richpanel": "RichpanelQueueUrl",
        "richpanel_live": "RichpanelLiveQueueUrl",
        "richpanel_dead_letters": "RichpanelDeadLettersUrl",
        "conversations_inbound": "ConversationsInboundQueueUrl",
        "conversations_whatsapp": "ConversationsWhatsAppQueueUrl",
        "conversations_sms": "ConversationsSmsQueueUrl",
        "conversations_email": "ConversationsEmailQueueUrl",
        "conversations_agents": "ConversationsAgentsQueueUrl",
        "conversations_replies": "ConversationsRepliesQueueUrl",
        "conversations_statuses": "ConversationsStatusesQueueUrl",
        "conversations_media": "ConversationsMediaQueueUrl",
        "conversations_dead_letters": "ConversationsDeadLettersUrl",
        "conversations_media_dead_letters": "ConversationsMediaDeadLettersUrl",
        "sms_topics_dead_letters": "SmsTopicsDeadLettersUrl",
        "email_inbound": "EmailInboundQueueUrl",
        "email_inbound_dead_letters": "EmailInboundDeadLettersUrl",
        "email_threads": "EmailThreadsQueueUrl",
        "email_threads_dead_letters": "EmailThreadsDeadLettersUrl",
        "newsletter_steps": "NewsletterStepsQueueUrl",
        "newsletter_steps_dead_letters": "NewsletterStepsDeadLettersUrl",
        "newsletter_exports": "NewsletterExportsQueueUrl",
        "newsletter_exports_dead_letters": "NewsletterExportsDeadLettersUrl",
    },
    "buckets": {
        "media": "MediaBucketName",
        "email": "EmailBucketName",
        "newsletters": "NewslettersBucketName",
    },
    "secrets": {
        "whatsapp_apps": "WhatsAppAppSecretsId",
        "whatsapp_tokens": "WhatsAppAccessTokensId",
        "api_seal": "ApiSealSecretId",
        "identifier_keys": "IdentifierKeysSecretId",
        "richpanel_webhook": "RichpanelWebhookSecretId",
        "richpanel_keys": "RichpanelKeysId",
        "twilio_webhook": "TwilioWebhookSecretId",
    },
    "topics": {
        "whatsapp_social": "WhatsAppSocialTopicArn",
        "sms_inbound": "SmsInboundTopicArn",
        "sms_events": "SmsEventsTopicArn",
        "email_events": "EmailEventsTopicArn",
    },
}


@dataclasses.dataclass(frozen=True)
class Stack:
    """
    Addresses and resource names of a running stack; `.local/stack.json` holds the same.

    `api_url` and `console_url` have no slash at their end; `trace_daemon` is host:port (UDP), as
    AWS_XRAY_DAEMON_ADDRESS has it. People log in to the user pool as users of the console's client.
    `OUTPUTS` has the keys of `tables`, `queues` and so on.
    """

    stack_name: str
    api_url: str
    console_url: str
    user_pool_id: str
    console_client_id: str
    aws_endpoint: str
    region: str
    access_key_id: str
    secret_access_key: str
    sandbox_url: str
    trace_daemon: str
    tables: dict[str, str]
    queues: dict[str, str]
    buckets: dict[str, str]
    secrets: dict[str, str]
    topics: dict[str, str]

    @overload
    def client(self, service: Literal["dynamodb"]) -> "DynamoDBClient": ...
    @overload
    def client(self, service: Literal["s3"]) -> "S3Client": ...
    @overload
    def client(self, service: Literal["secretsmanager"]) -> "SecretsManagerClient": ...
    @overload
    def client(self, service: Literal["sqs"]) -> "SQSClient": ...
    @overload
    def client(self, service: str) -> Any: ...  # noqa: ANN401 - there are types for the services above only

    def client(self, service: str) -> Any:
        """Return a boto3 client that acts as the account's root user, which no policy restricts."""
        return _client(self.aws_endpoint, service)

    def secret(self, name: str) -> dict[str, Any]:
        """Return the current content of one of `secrets`."""
        held = self.client("secretsmanager").get_secret_value(SecretId=self.secrets[name])
        content: dict[str, Any] = json.loads(held["SecretString"])
        return content

    def messages_on(self, queues: "Iterable[str]") -> int:
        """Return the number of messages that wait in these `queues` or are in flight."""
        sqs = self.client("sqs")
        return sum(
            int(count)
            for name in queues
            for count in sqs.get_queue_attributes(
                QueueUrl=self.queues[name],
                AttributeNames=[
                    "ApproximateNumberOfMessages",
                    "ApproximateNumberOfMessagesNotVisible",
                ],
            )["Attributes"].values()
        )


def deploy(endpoint: str, sandbox_url: str, trace_daemon: str) -> Stack:
    """Run `sam deploy` with the result of `build`; StackError if CloudFormation refuses it."""
    _client(endpoint, "s3").create_bucket(Bucket=ARTIFACTS)
    # Parameters that are the same on every machine are in samconfig.toml.
    command = build.sam_command(
        *("deploy", "--config-env", "local", "--no-progressbar"),
        *("--stack-name", STACK_NAME, "--region", ministack.REGION),
        *(
            "--parameter-overrides",
            *(
                f"{name}={_quoted(text)}"
                for name, text in parameters(endpoint, sandbox_url).items()
            ),
        ),
    )
    # Bypass any proxy of the shell: the emulator is on the loopback.
    environment = {"AWS_ENDPOINT_URL": endpoint, "NO_PROXY": "*", "no_proxy": "*"}
    follow({"sam-deploy": command}, {**build.sam_environment(), **environment})
    return _describe(endpoint, sandbox_url, trace_daemon)


def parameters(endpoint: str, sandbox_url: str) -> dict[str, str]:
    """Return the template's parameters on this machine."""
    return {
        "Stage": _STAGE,
        "Architecture": build.host_architecture(),
        "SandboxUrl": sandbox_url,  # replaces the base URLs of all providers
        "EmulatorUrl": endpoint,
        "RichpanelAuthMode": "either",
        "RichpanelAccount": json.dumps(ACCOUNT),
        "PublicBaseUrls": PUBLIC_URL,
        "Tracing": "Active",
    }


def _quoted(text: str) -> str:
    """Quote a value for the SAM CLI's command line, which splits it at spaces."""
    return '"' + text.replace('"', '\\"') + '"'


def _describe(endpoint: str, sandbox_url: str, trace_daemon: str) -> Stack:
    """Build the description of the deployed stack from its outputs."""
    stacks = _client(endpoint, "cloudformation").describe_stacks(StackName=STACK_NAME)["Stacks"]
    outputs = {output["OutputKey"]: output["OutputValue"] for output in stacks[0]["Outputs"]}
    api_url = f"{endpoint}/restapis/{outputs['ApiId']}/{_STAGE}/_user_request_"
    return Stack(
        stack_name=STACK_NAME,
        api_url=api_url,
        console_url=f"{api_url}/console",
        user_pool_id=outputs["UserPoolId"],
        console_client_id=outputs["ConsoleClientId"],
        aws_endpoint=endpoint,
        region=ministack.REGION,
        access_key_id=ministack.CREDENTIALS["AWS_ACCESS_KEY_ID"],
        secret_access_key=ministack.CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
        sandbox_url=sandbox_url,
        trace_daemon=trace_daemon,
        **{
            kind: {name: outputs[output] for name, output in of.items()}
            for kind, of in OUTPUTS.items()
        },
    )


def _client(endpoint: str, service: str) -> Any:  # noqa: ANN401 - any service's client
    make: Callable[..., Any] = boto3.client  # its own type accepts only literal service names
    return make(
        service,
        endpoint_url=endpoint,
        region_name=ministack.REGION,
        aws_access_key_id=ministack.CREDENTIALS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=ministack.CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
        # An invocation of a function takes minutes on a busy machine.
        config=Config(read_timeout=_ANSWERS_WITHIN_SECONDS),
    )
