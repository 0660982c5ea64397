"""Whether those whom a reply would reach want none: asked of the register that the company's conversations keep."""

from aws_lambda_powertools.metrics import MetricUnit
from botocore.exceptions import BotoCoreError, ClientError
from pydantic import ValidationError

from richpanel.channels import Channel
from richpanel.clients.tickets import Comment, Ticket
from richpanel.guards import identity
from shared.consent.records import Consents
from shared.failures import Permanent, Transient
from shared.runtime.observability import describe, logger, metrics

OPTED_OUT = "opted_out"
UNREADABLE = "consents_unreadable"
NOBODY_KNOWN = "recipient_unknown"


def refusal(
    consents: Consents | None,
    company: str | None,
    ticket: Ticket,
    target: Comment | None,
    channel: Channel,
) -> str | None:
    """
    Why nobody may be answered by a machine; None where nothing is on record, or no register is set up.

    One strongly consistent read. A register that cannot be read allows nothing; nor does a mail whose recipient the
    help desk does not name, since nobody can be asked about. A chat without an address goes to whoever is in it.
    """
    if consents is None or company is None:
        return None
    addresses = identity.reached_by(ticket, target)
    if not addresses:
        return None if channel is Channel.LIVECHAT else NOBODY_KNOWN
    try:
        standing = consents.standing(company, addresses, channel)
    except (ClientError, BotoCoreError, Permanent, Transient, ValidationError) as failure:
        metrics.add_metric("ConsentsUnreadable", MetricUnit.Count, 1)
        logger.error("consents cannot be read: nobody is answered", extra=describe(failure))
        return UNREADABLE
    return OPTED_OUT if standing.is_opted_out else None
