"""
SES's events of sent e-mails, published to a topic in the format of event publishing.

The events of a recipient are `Send` and the configured ending (see `mail_routes.py`), else the address's ending:
SES's mailbox simulator bounces and complains, every other address has a `Delivery`. (SES Developer Guide, "Contents of
event data that Amazon SES publishes to Amazon SNS"; "Using the mailbox simulator".)
"""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parseaddr
from typing import TYPE_CHECKING, Any

from local.sandbox.accounts.mail.mail_endings import MailEnding
from local.sandbox.providers.sms.aws_sms import publish

if TYPE_CHECKING:
    from local.sandbox.accounts.mail.accepted_mails import AcceptedMail
    from local.sandbox.state import Sandbox

ACCOUNT = "123456789012"
_SIMULATOR = "@simulator.amazonses.com"


async def report(sandbox: Sandbox, mail: AcceptedMail) -> None:
    """Publish the events of an e-mail, for each recipient."""
    await _publish(sandbox, mail, "Send", {})
    for recipient in mail.request.Destination.all_addresses:
        address = parseaddr(recipient)[1]
        ending = sandbox.mail_endings.get(address) or _simulated(address)
        if ending.event == "Complaint":  # The person has the mail.
            delivered = MailEnding(to=address)
            await _publish(sandbox, mail, "Delivery", _detail(sandbox, mail, address, delivered))
        await _publish(sandbox, mail, ending.event, _detail(sandbox, mail, address, ending))


def _simulated(address: str) -> MailEnding:
    """Return the ending of an address of SES's mailbox simulator; `Delivery` for any other."""
    name, is_simulator, _ = address.partition(_SIMULATOR)
    match name.partition("+")[0] if is_simulator else "":
        case "bounce" | "suppressionlist":
            return MailEnding(to=address, event="Bounce")
        case "complaint":
            return MailEnding(to=address, event="Complaint")
        case _:
            return MailEnding(to=address)


async def _publish(
    sandbox: Sandbox, mail: AcceptedMail, event: str, detail: dict[str, Any]
) -> None:
    request = mail.request
    tags = {tag.Name: [tag.Value] for tag in request.EmailTags}
    mail_json = {
        "timestamp": sandbox.timestamp(),
        "source": request.FromEmailAddress,
        "sendingAccountId": ACCOUNT,
        "messageId": mail.ses_id,
        "destination": request.Destination.all_addresses,
        "headersTruncated": False,
        "headers": [{"name": n, "value": str(v)} for n, v in mail.message.items()],
        "commonHeaders": _common_headers(mail),
        "tags": {**tags, "ses:configuration-set": [str(request.ConfigurationSetName)]},
    }
    part = event[0].lower() + event[1:] if event != "Rendering Failure" else "failure"
    message = {"eventType": event, "mail": mail_json, part: detail}
    await publish(sandbox, sandbox.config.ses_topic_arn, message)


def _common_headers(mail: AcceptedMail) -> dict[str, object]:
    """Return the fields that every reader needs. Their `messageId` is the SES id, as in the examples of the guide."""
    request = mail.request
    lists = {
        "from": [request.FromEmailAddress],
        "replyTo": request.ReplyToAddresses,
        "to": request.Destination.ToAddresses,
        "cc": request.Destination.CcAddresses,
    }
    return {
        **{name: addresses for name, addresses in lists.items() if addresses},
        "date": mail.message["Date"],
        "messageId": mail.ses_id,
        "subject": request.Content.Simple.Subject.Data,
    }


def _detail(
    sandbox: Sandbox, mail: AcceptedMail, address: str, ending: MailEnding
) -> dict[str, Any]:
    now = datetime.fromtimestamp(sandbox.clock.now(), UTC).isoformat(timespec="milliseconds")
    at = {"timestamp": now.replace("+00:00", "Z")}
    feedback = {"feedbackId": f"{mail.ses_id}-feedback"}
    person = {"emailAddress": address}
    match ending.event:
        case "Bounce":
            failed = {
                **person,
                "action": "failed",
                "status": "5.1.1",
                "diagnosticCode": "smtp; 550 5.1.1",
            }
            kind = {"bounceType": ending.bounce_type, "bounceSubType": "General"}
            return {**kind, "bouncedRecipients": [failed], **at, **feedback}
        case "Complaint":
            kind = {"complaintFeedbackType": ending.complaint_type}
            return {"complainedRecipients": [person], **kind, **at, **feedback}
        case "Reject":
            return {"reason": "Bad content"}
        case "DeliveryDelay":
            delayed = {**person, "status": "4.4.1", "diagnosticCode": "smtp; 421 4.4.1"}
            return {
                "delayType": "General",
                "delayedRecipients": [delayed],
                "expirationTime": at["timestamp"],
                **at,
            }
        case "Rendering Failure":
            return {"errorMessage": "Simulated by the sandbox", "templateName": "-"}
        case _:
            answer = {"processingTimeMillis": 500, "smtpResponse": "250 2.6.0 Message received"}
            return {**at, **answer, "recipients": [address], "reportingMTA": "mta.example.com"}
