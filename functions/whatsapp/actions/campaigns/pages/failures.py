"""
The recipients of another campaign whose message certainly failed, with the values that it had.

They are read from the company's list of failed messages, between the start of that campaign and the making of this one.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from shared.aws.sqs_fifo import to_json
from shared.identity.addresses import USER_ID_PREFIX
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.messages.resends import resends, stored_drafts
from whatsapp.inbound import provider_errors
from whatsapp.privacy import tombstones
from whatsapp.sending.gate import CHANNEL
from whatsapp.store import ordering
from whatsapp.store.campaigns import campaigns as records
from whatsapp.store.items import Message
from whatsapp.store.sending import failed_messages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whatsapp.actions.calls.call import ActionResources
    from whatsapp.actions.campaigns.pages.recipients import Row
    from whatsapp.store.items.sending.campaigns import AudienceOfCampaign, Campaign

OPTED_OUT: Final = "opted_out"
ERASED: Final = "erased"
FINAL: Final = "error_is_final"
NOT_STORED: Final = "not_stored"


def read(
    resources: ActionResources, campaign: Campaign, of: AudienceOfCampaign, *, limit: int
) -> tuple[list[Message], str | None]:
    """Return failed messages of the first campaign, of the next *limit* of the company, and the position after them."""
    first = records.get(resources.table, of.id)
    if first is None or first.company != campaign.company or first.started_at is None:
        return [], None
    found, last = failed_messages.between(
        resources.table, str(campaign.company), first.started_at, campaign.created_at,
        limit=limit, start=json.loads(of.after) if of.after else None,
    )  # fmt: skip
    ours = [one for one in found if (one.company, one.campaign_id) == (campaign.company, of.id)]
    return ours, to_json(last) if last else None


def rows_of(
    resources: ActionResources, campaign: Campaign, found: list[Message]
) -> Iterator[tuple[str, Row | None, str]]:
    """Yield the id and the row of each message; None for the row, and the reason, of one that is not repeated."""
    for message in found:
        reason = _reason(resources, campaign, message)
        values = _values(resources, message) if reason is None else None
        if values is None:
            yield Message.id_of(message.pk), None, reason or NOT_STORED
            continue
        number = message.sender_phone
        to = {"to": f"+{number}"} if number else {"to": str(message.sender_user_id)}
        yield Message.id_of(message.pk), {**to, **values}, ""


def is_retryable(code: object) -> bool:
    """
    Whether a new attempt can succeed after a failure with this code: the reason passes, or a person can resolve it.

    131049 is not among them: the provider limits the marketing messages to that customer.
    """
    return resends.is_passing(code) or provider_errors.stops_campaign(code)


def _reason(resources: ActionResources, campaign: Campaign, message: Message) -> str | None:
    """Return why a message is not repeated, None if it is."""
    own_id = message.sender_phone or message.sender_user_id
    if message.erased or own_id is None:
        return ERASED
    company = str(campaign.company)
    until = tombstones.erased_until(resources.table, company, [own_id])
    if ordering.moment_of(message.received_at) <= until:
        return ERASED
    if not is_retryable((message.status_error or {}).get("code")):
        return FINAL
    known = [f"+{message.sender_phone}"] if message.sender_phone else []
    known += [f"{USER_ID_PREFIX}{message.sender_user_id}"] if message.sender_user_id else []
    standing = resources.gate.consents.standing(company, known, CHANNEL)
    return OPTED_OUT if standing.is_opted_out else None


def _values(resources: ActionResources, message: Message) -> dict[str, Any] | None:
    """Return the values of a message as a row has them; None if they are not stored any more."""
    try:
        fields = stored_drafts.fields_of(resources.bucket, str(message.company), message)
    except StateConflict:
        return None
    content = fields.get("content") or {}
    if content.get("name"):
        return {"components": content.get("components") or []}
    return {"text": str(fields["textBody"])} if fields.get("textBody") else None
