"""
The queues, functions and indexes of a deployment, by their names without the stage.

A test compares them with the template: metrics and log groups are found by name only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue of a context: `parley-{stage}-{name}`."""

    context: str
    name: str

    @property
    def is_dead_letters(self) -> bool:
        """Whether it holds messages that no worker could handle."""
        return "dead-letters" in self.name


QUEUES: Final = (
    Queue("whatsapp", "whatsapp.fifo"),
    Queue("whatsapp", "whatsapp-jobs"),
    Queue("whatsapp", "whatsapp-campaigns"),
    Queue("whatsapp", "whatsapp-dead-letters.fifo"),
    Queue("whatsapp", "whatsapp-jobs-dead-letters"),
    Queue("whatsapp", "whatsapp-campaigns-dead-letters"),
    Queue("whatsapp", "whatsapp-social-dead-letters"),
    Queue("conversations", "conversations-inbound.fifo"),
    Queue("conversations", "conversations-whatsapp.fifo"),
    Queue("conversations", "conversations-sms.fifo"),
    Queue("conversations", "conversations-email.fifo"),
    Queue("conversations", "conversations-replies.fifo"),
    Queue("conversations", "conversations-agents.fifo"),
    Queue("conversations", "conversations-statuses.fifo"),
    Queue("conversations", "conversations-media"),
    Queue("conversations", "conversations-dead-letters.fifo"),
    Queue("conversations", "conversations-media-dead-letters"),
    Queue("conversations", "sms-topics-dead-letters"),
    Queue("richpanel", "richpanel.fifo"),
    Queue("richpanel", "richpanel-live.fifo"),
    Queue("richpanel", "richpanel-dead-letters.fifo"),
    Queue("email_threads", "email-inbound"),
    Queue("email_threads", "email-threads.fifo"),
    Queue("email_threads", "email-inbound-dead-letters"),
    Queue("email_threads", "email-threads-dead-letters.fifo"),
    Queue("newsletters", "newsletter-steps.fifo"),
    Queue("newsletters", "newsletter-exports.fifo"),
    Queue("newsletters", "newsletter-steps-dead-letters.fifo"),
    Queue("newsletters", "newsletter-exports-dead-letters.fifo"),
    Queue("console", "inbox-feed-dead-letters"),
)

# Memory in MB of each function, `parley-{stage}-{name}`: Lambda bills it with the duration.
MEMORY_MB: Final = {
    "whatsapp-webhook": 256,
    "whatsapp-social": 256,
    "whatsapp-worker": 512,
    "whatsapp-jobs": 512,
    "whatsapp-api": 512,
    "whatsapp-sending": 512,
    "whatsapp-actions": 512,
    "whatsapp-flows": 512,
    "whatsapp-payments": 512,
    "whatsapp-admin": 512,
    "whatsapp-scheduled": 512,
    "whatsapp-inbox-feed": 512,
    "whatsapp-canary": 256,
    "richpanel-webhook": 256,
    "richpanel-worker": 512,
    "richpanel-sweep": 256,
    "richpanel-admin": 256,
    "conversations-router": 256,
    "conversations-twilio": 256,
    "conversations-aws-sms": 256,
    "conversations-intake": 512,
    "conversations-media": 512,
    "conversations-processor-whatsapp": 512,
    "conversations-processor-sms": 512,
    "conversations-processor-email": 512,
    "conversations-replies": 512,
    "conversations-statuses": 512,
    "conversations-sweeper": 512,
    "conversations-admin": 512,
    "conversations-inbox-feed": 512,
    "email-threads-ingest": 256,
    "email-threads-worker": 512,
    "email-threads-scheduled": 256,
    "email-threads-api": 512,
    "email-threads-inbox-feed": 512,
    "newsletters-api": 512,
    "newsletters-worker": 1024,
    "newsletters-exports": 1536,
    "newsletters-scheduled": 256,
    "console": 256,
    "inbox-api": 512,
    "console-live": 512,
    "operations-api": 512,
    "api-authorizer": 256,
}

# The global indexes of each table, in the order of the setting `tables`: CloudWatch counts their units apart.
INDEXES: Final = {
    "whatsapp": (
        "gsi_direction",
        "gsi_from",
        "gsi_inbox",
        "gsi_conversation",
        "gsi_status",
        "gsi_waba_itemtype",
        "gsi_customer_phone",
        "gsi_group",
        "gsi_catalog",
        "gsi_order",
        "gsi_tenant",
        "gsi_payment_status",
        "gsi_template_waba",
        "gsi_template_name",
        "gsi_campaign",
        "gsi_webhook_event",
        "gsi_inbox_list",
        "gsi_inbox_assignee",
    ),
    "conversations": (
        "company-id-project-id-index",
        "company-whatsapp-number-recipient-tel-index",
        "company-sms-number-recipient-tel-index",
        "company-email-recipient-email-index",
    ),
    "conversation_log": ("due-index",),
    "company_data": (),
    "richpanel_idempotency": (),
    "richpanel_state": (),
    "richpanel_audit": (),
    "email_threads": ("StatusIndex", "ParticipantIndex", "TTLIndex", "CompanyIndex"),
    "newsletters": ("GSI1",),
    "contacts": ("gsi_company_activity",),
    "inbox": ("gsi_contact", "gsi_list", "gsi_assignee"),
    "live": ("gsi_connection", "gsi_principal"),
    "audit_log": (),
    "api_keys": (),
    "spending": (),
    "attempts": (),
}

# The switches below `/parley/{stage}/{path}/` of each context. Switches of the help desk have a separate API, too.
SWITCHES: Final = {
    "whatsapp": ("whatsapp", ("safe_mode",)),
    "conversations": ("conversations", ("safe_mode", "automation_enabled")),
    "email_threads": ("email-threads", ("safe_mode", "automation_enabled")),
}
