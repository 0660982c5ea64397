"""The parked events and dead letters of each context, from the outputs of a deployment."""

from collections.abc import Callable
from typing import Any

import boto3

from conversations.recovery import bootstrap as conversations
from conversations.recovery.destinations import Destinations
from conversations.store.items.conversation import ChannelMethod
from email_threads.recovery import bootstrap as email_threads
from newsletters.recovery import bootstrap as newsletters
from operations.command_line import arguments
from richpanel.inbound.webhook import EventQueues
from richpanel.recovery import bootstrap as richpanel
from richpanel.store.items import TTL_ATTRIBUTE
from shared.aws.dead_letters import DeadLetters
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.sqs_fifo import FifoQueue
from shared.aws.sqs_standard import StandardQueue
from shared.events.recovery.port import Recovery
from whatsapp.recovery import bootstrap as whatsapp

# Outputs of template.yaml, by context.
BUCKET = "MediaBucketName"
OUTPUTS = {
    "whatsapp": (
        "WhatsAppTableName", BUCKET, "WhatsAppQueueUrl", "WhatsAppJobsQueueUrl", "WhatsAppDeadLettersUrl",
        "WhatsAppJobsDeadLettersUrl", "WhatsAppCampaignsQueueUrl", "WhatsAppCampaignsDeadLettersUrl",
        "WhatsAppSocialDeadLettersUrl", "WhatsAppSocialTopicArn",
    ),
    "conversations": (
        "ConversationLogTableName", BUCKET, "ConversationsInboundQueueUrl", "ConversationsStatusesQueueUrl",
        "ConversationsRepliesQueueUrl", "ConversationsWhatsAppQueueUrl", "ConversationsSmsQueueUrl",
        "ConversationsEmailQueueUrl", "ConversationsMediaQueueUrl", "ConversationsDeadLettersUrl",
        "ConversationsMediaDeadLettersUrl",
    ),
    "email-threads": (
        "EmailThreadsTableName", "EmailThreadsQueueUrl", "EmailInboundQueueUrl", "EmailThreadsDeadLettersUrl",
        "EmailInboundDeadLettersUrl",
    ),
    "newsletters": (
        "NewslettersTableName", "NewsletterStepsQueueUrl", "NewsletterExportsQueueUrl",
        "NewsletterStepsDeadLettersUrl", "NewsletterExportsDeadLettersUrl",
    ),
    "richpanel": (
        "RichpanelIdempotencyTableName", "RichpanelConversationStateTableName", "RichpanelAuditActionsTableName",
        "RichpanelQueueUrl", "RichpanelLiveQueueUrl", "RichpanelDeadLettersUrl",
    ),
}  # fmt: skip


def of_stack(context: str, stack: str) -> Recovery[Any]:
    """Return the recovery of a context in a deployment. Raises Refused."""
    return _MAKERS[context](_Stack(arguments.outputs_of(stack, *OUTPUTS[context])))


class _Stack:
    """Clients for the resources of a stack, by the names of its outputs."""

    def __init__(self, outputs: dict[str, str]) -> None:
        self.outputs = outputs
        self._sqs = boto3.client("sqs")

    def table(self, output: str, ttl_attribute: str = "ttl") -> Table:
        return Table(boto3.client("dynamodb"), self.outputs[output], ttl_attribute)

    def queue(self, output: str) -> FifoQueue:
        return FifoQueue(lambda: self._sqs, self.outputs[output])

    def standard_queue(self, output: str) -> StandardQueue:
        return StandardQueue(lambda: self._sqs, self.outputs[output])

    def letters(self, output: str) -> DeadLetters:
        return DeadLetters(lambda: self._sqs, self.outputs[output])

    def bucket(self) -> Bucket:
        return Bucket(lambda: boto3.client("s3"), self.outputs[BUCKET])


def _whatsapp(stack: _Stack) -> Recovery[Any]:
    return whatsapp.recovery_of(
        table=stack.table("WhatsAppTableName"),
        bucket=stack.bucket(),
        queue=stack.queue("WhatsAppQueueUrl"),
        files=stack.standard_queue("WhatsAppJobsQueueUrl"),
        campaigns=stack.standard_queue("WhatsAppCampaignsQueueUrl"),
        dead_letters=stack.letters("WhatsAppDeadLettersUrl"),
        media_dead_letters=stack.letters("WhatsAppJobsDeadLettersUrl"),
        campaign_dead_letters=stack.letters("WhatsAppCampaignsDeadLettersUrl"),
        social_dead_letters=stack.letters("WhatsAppSocialDeadLettersUrl"),
        social_topics=(stack.outputs["WhatsAppSocialTopicArn"],),
    )


def _conversations(stack: _Stack) -> Recovery[Any]:
    destinations = Destinations(
        log=stack.table("ConversationLogTableName"),
        inbound=stack.queue("ConversationsInboundQueueUrl"),
        statuses=stack.queue("ConversationsStatusesQueueUrl"),
        replies=stack.queue("ConversationsRepliesQueueUrl"),
        files=stack.standard_queue("ConversationsMediaQueueUrl"),
        channels={
            ChannelMethod.WHATSAPP: stack.queue("ConversationsWhatsAppQueueUrl"),
            ChannelMethod.SMS: stack.queue("ConversationsSmsQueueUrl"),
            ChannelMethod.EMAIL: stack.queue("ConversationsEmailQueueUrl"),
        },
    )
    return conversations.recovery_of(
        destinations,
        stack.bucket(),
        stack.letters("ConversationsDeadLettersUrl"),
        stack.letters("ConversationsMediaDeadLettersUrl"),
    )


def _email_threads(stack: _Stack) -> Recovery[Any]:
    return email_threads.recovery_of(
        table=stack.table("EmailThreadsTableName"),
        queue=stack.queue("EmailThreadsQueueUrl"),
        inbound=stack.standard_queue("EmailInboundQueueUrl"),
        dead_letters=stack.letters("EmailThreadsDeadLettersUrl"),
        inbound_dead_letters=stack.letters("EmailInboundDeadLettersUrl"),
    )


def _newsletters(stack: _Stack) -> Recovery[Any]:
    return newsletters.recovery_of(
        table=stack.table("NewslettersTableName"),
        steps=stack.queue("NewsletterStepsQueueUrl"),
        exports=stack.queue("NewsletterExportsQueueUrl"),
        steps_dead_letters=stack.letters("NewsletterStepsDeadLettersUrl"),
        exports_dead_letters=stack.letters("NewsletterExportsDeadLettersUrl"),
    )


def _richpanel(stack: _Stack) -> Recovery[Any]:
    return richpanel.recovery_of(
        idempotency=stack.table("RichpanelIdempotencyTableName", TTL_ATTRIBUTE),
        state=stack.table("RichpanelConversationStateTableName", TTL_ATTRIBUTE),
        audit=stack.table("RichpanelAuditActionsTableName", TTL_ATTRIBUTE),
        queues=EventQueues(
            mail=stack.queue("RichpanelQueueUrl"), live=stack.queue("RichpanelLiveQueueUrl")
        ),
        dead_letters=stack.letters("RichpanelDeadLettersUrl"),
        company=lambda: None,
    )


_MAKERS: dict[str, Callable[[_Stack], Recovery[Any]]] = {
    "whatsapp": _whatsapp,
    "conversations": _conversations,
    "email-threads": _email_threads,
    "newsletters": _newsletters,
    "richpanel": _richpanel,
}
