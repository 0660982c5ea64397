"""
Queue entries for the events of the conversations context: message groups and deduplication ids.

Several contexts send these events, and the messages of one customer must share a group regardless of the sender.
Group and deduplication ids are digests, so they reveal no address.
"""

from shared.aws.sqs_fifo import Entry, digest
from shared.events import DeliveryStatus, FileStored, InboundMessage, body_of


def inbound_entry(message: InboundMessage) -> Entry:
    """Build the entry of a message on `conversations-inbound.fifo`; one group per pair of addresses."""
    customer = message.customer_address or message.customer_user_id or ""
    return Entry(
        body=body_of(message),
        group=digest(message.channel_method, message.business_address, customer),
        # With the account, so that a forged message cannot suppress another account's message. With the content, so
        # that one id with two contents reaches intake, which parks the second.
        deduplication=digest(
            message.type,
            message.provider,
            message.account,
            message.provider_message_id,
            customer,
            message.text or "",
            str(len(message.media)),
        ),
    )


def file_entry(stored: FileStored) -> Entry:
    """
    Build the entry of a file on `conversations-inbound.fifo`, one per storage location.

    Files have their own group: messages do not wait for files, and the two may arrive in either order.
    """
    return Entry(
        body=body_of(stored),
        group=digest(stored.type, stored.provider, stored.provider_message_id),
        deduplication=digest(
            stored.type,
            stored.provider,
            stored.account,
            stored.business_address,
            stored.provider_message_id,
            stored.file.url or "",
        ),
    )


def status_entry(status: DeliveryStatus) -> Entry:
    """
    Build the entry of a delivery status on `conversations-statuses.fifo`.

    All statuses of a message share its id, so *status* and error code are part of the deduplication id. Account and
    business address are too: a status that the worker refuses because of them must not suppress the correct one.
    """
    return Entry(
        body=body_of(status),
        group=digest(status.provider_message_id),
        deduplication=digest(
            status.provider,
            status.account,
            status.business_address or "",
            status.provider_message_id,
            status.status,
            status.error_code or "",
        ),
    )
