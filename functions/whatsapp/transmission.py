"""
The providers of a number: who sends its messages, under which token and which action id.

Meta's Graph API and AWS End User Messaging Social accept the same message JSON; the number determines the provider.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shared.identity import addresses, keyed_hashes
from shared.identity.secret_owners import owns_token
from shared.runtime import clock
from shared.runtime.failures import Permanent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from whatsapp.configuration.resources import SendingResources
    from whatsapp.store.items import Conversation, Phone

# One attempt with message JSON; returns the provider's id, None for a receipt. Raises Refused, NotSent or InDoubt.
type Post = Callable[[Mapping[str, Any]], str | None]

ACTION_ID_CHARACTERS = 26
LONGEST_NUMBER = 15
# A secret that lacks a field is read again: it may have been stored since a page has read it, seconds ago.
STORED_LATELY_MS = clock.SECOND_MS
# The paths of Graph below a number that take messages.
MESSAGES, MARKETING = "messages", "marketing_messages"


def post_of(resources: SendingResources, phone: Phone, *, is_marketing: bool = False) -> Post:
    """
    Return the call that sends from a number. Its token is read here, so that without one nothing is attempted and
    nothing is in doubt. *is_marketing*: the messages are marketing templates, for which Graph has a separate API.

    Raises Permanent as `token_of` and `aws_phone_of`.
    """
    if phone.provider == "eum":
        aws_phone = aws_phone_of(phone)
        return lambda message: resources.eum.post_message(aws_phone, message)
    token = token_of(resources, phone)
    edge = MARKETING if is_marketing and phone.marketing_messages else MESSAGES
    return lambda message: resources.graph.post_message(phone.phone, token, message, edge)


def aws_phone_of(phone: Phone) -> str:
    """Return AWS's id of a number. Raises Permanent: `no_aws_phone`, until an operator registers it with one."""
    if not phone.aws_phone:
        raise Permanent("no_aws_phone")
    return phone.aws_phone


def token_of(resources: SendingResources, phone: Phone) -> str:
    """
    Return the Graph access token of a number.

    Raises Permanent: `no_access_token`, parked until there is one, or `token_not_owned` for another company's.
    """
    if phone.token_ref and not owns_token(phone.company, phone.token_ref):
        raise Permanent("token_not_owned")
    named = phone.token_ref or ""
    token = resources.tokens.value().get(named)
    if not token and named and resources.tokens.refreshed(STORED_LATELY_MS):
        token = resources.tokens.value().get(named)  # stored a moment ago
    if not isinstance(token, str) or not token:
        raise Permanent("no_access_token")
    return token


@dataclass(frozen=True, slots=True)
class Recipient:
    """The recipient of a message: the customer's number (digits), else the business-scoped user id, else a group."""

    phone: str | None = None
    user_id: str | None = None
    group_id: str | None = None

    @property
    def address(self) -> str | None:
        """The customer's address, as consent is recorded for it; None for a group."""
        if self.phone:
            return _normalised(f"+{self.phone}")
        return f"{addresses.USER_ID_PREFIX}{self.user_id}" if self.user_id else None

    def fields(self) -> dict[str, str]:
        """
        Return the recipient fields of message JSON.

        Not confirmed by live traffic: that user ids go into `recipient`, as Meta announced.
        """
        if self.phone:
            return {"recipient_type": "individual", "to": f"+{self.phone}"}
        if self.user_id:
            return {"recipient_type": "individual", "recipient": self.user_id}
        return {"recipient_type": "group", "to": str(self.group_id)}


def recipient_of(conversation: Conversation) -> Recipient:
    """
    Return who gets the messages of a conversation: the ids that its customer last wrote from.

    Without them, such as before the customer's first message, the contact key: a possible number (E.164: at most 15
    digits), a user id, or else a group's id.
    """
    contact_key = conversation.from_ or ""
    if conversation.sender_phone or conversation.sender_user_id:
        return Recipient(conversation.sender_phone, conversation.sender_user_id)
    if number := number_in(contact_key):
        return Recipient(phone=number)
    if _is_user_id(contact_key):
        return Recipient(user_id=contact_key)
    return Recipient(group_id=contact_key)


def number_in(contact_key: str | None) -> str | None:
    """Return the digits of a contact key that is a possible number (E.164: at most 15 digits); None of any other."""
    key = contact_key or ""
    is_number = key.isascii() and key.isdecimal() and len(key) <= LONGEST_NUMBER
    return key if is_number else None


def _is_user_id(contact_key: str) -> bool:
    try:
        addresses.user_id(contact_key)
    except addresses.UserIdInvalid:
        return False
    return True


def _normalised(number: str) -> str:
    """Return a number in E.164; unchanged if it is impossible, which no consent record has."""
    try:
        return addresses.phone_number(number)
    except addresses.PhoneInvalid:
        return number


def action_id(resources: SendingResources, *parts: str) -> str:
    """
    Return the id of the action that *parts* identify: the same for every delivery, even across a key rotation.

    The ledger is read only for ids made with older keys.
    """
    newest, *older = (key.base32(*parts)[:ACTION_ID_CHARACTERS] for key in keyed_hashes.all_keys())
    return next(
        (older_id for older_id in older if resources.ledger.action(older_id) is not None), newest
    )
