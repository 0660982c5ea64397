"""
How events enter the queues of conversations: what has to stay in order, and what counts as the same.

Several contexts put events there, and one customer's messages must meet in one group whoever took them in. Group and
deduplication ids are digests: no address shows in them.
"""

from shared.aws.sqs_fifo import Entry, digest
from shared.events import DeliveryStatus, FileStored, InboundMessage, body_of


def inbound_entry(message: InboundMessage) -> Entry:
    """A message on `conversations-inbound.fifo`, in order with the others between these two addresses."""
    customer = message.customer_address or message.customer_user_id or ""
    return Entry(
        body=body_of(message),
        group=digest(message.channel_method, message.business_address, customer),
        # With the account, so that nobody's made-up message can hide another's; and with what it says, so that one id
        # with two contents reaches intake, which parks the second.
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
    A file on `conversations-inbound.fifo`, once for each place where it lies.

    It has a group of its own: messages do not wait for files, and each finds the other in any order.
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
    A delivery status on `conversations-statuses.fifo`: those of one message share its id, so their words count.

    So do account and business address: a status that the reader refuses for them must not hide the right one.
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
