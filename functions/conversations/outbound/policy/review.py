"""Decides whether an agent reviews a message before it is sent: the company's flags and their contact lists."""

from conversations.lifecycle.conversation import OpenConversation
from conversations.store.items.conversation import ChannelMethod
from shared.identity import addresses


def must_be_reviewed(opened: OpenConversation, *, is_reply: bool) -> bool:
    """
    Return whether the flag is set and its contact list is empty or names the customer. A list requires its flag.

    Reads the conversation's own copy of the settings: changes to a project affect new conversations only.
    """
    conversation = opened.conversation
    if is_reply:
        flag = conversation.auto_queue_reply_message
        numbers = conversation.auto_queue_reply_message_from_number
        mails = conversation.auto_queue_reply_message_from_email
    else:
        flag = conversation.auto_queue_initial_message
        numbers = conversation.auto_queue_initial_message_from_number
        mails = conversation.auto_queue_initial_message_from_email
    if not flag:
        return False
    by_mail = conversation.channel_method is ChannelMethod.EMAIL
    listed = (mails if by_mail else numbers) or []
    region = opened.company.default_region
    customer = addresses.normal_form(opened.customer)
    return not listed or customer in {_normal(entry, region) for entry in listed}


def _normal(contact: str, region: str | None) -> str | None:
    try:
        if "@" in contact:
            return addresses.email_address(contact)
        return addresses.normal_form(addresses.phone_number(contact, region))
    except addresses.AddressInvalid:
        return None
