"""Opt-out check of a reply's recipients against the company's consent register."""

from aws_lambda_powertools.metrics import MetricUnit
from botocore.exceptions import BotoCoreError, ClientError
from pydantic import ValidationError

from richpanel.clients.tickets import Comment, Ticket
from richpanel.guards import identity
from richpanel.inbound.channels import Channel
from shared.policy.consent.records import Consents
from shared.runtime.failures import Permanent, Transient
from shared.runtime.observability import describe, logger, metrics

OPTED_OUT = "opted_out"
UNREADABLE = "consents_unreadable"
RECIPIENT_UNKNOWN = "recipient_unknown"


def refusal(
    consents: Consents | None,
    company: str | None,
    ticket: Ticket,
    target: Comment | None,
    channel: Channel,
) -> str | None:
    """
    Return why an automatic reply is not allowed; None if no opt-out is on record or no register is set up.

    One strongly consistent read. If the register cannot be read, or the help desk gives no recipient of a mail, no
    reply is allowed. A chat without an address is allowed: the reply goes to its participant.
    """
    if consents is None or company is None:
        return None
    addresses = identity.reached_by(ticket, target)
    if not addresses:
        return None if channel is Channel.LIVECHAT else RECIPIENT_UNKNOWN
    try:
        standing = consents.standing(company, addresses, channel)
    except (ClientError, BotoCoreError, Permanent, Transient, ValidationError) as failure:
        metrics.add_metric("ConsentsUnreadable", MetricUnit.Count, 1)
        logger.error("consents unreadable: reply blocked", extra=describe(failure))
        return UNREADABLE
    return OPTED_OUT if standing.is_opted_out else None
