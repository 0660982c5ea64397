"""Detects the keywords STOP, START and HELP and applies their effects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.lifecycle import transitions
from conversations.lifecycle.conversation import addresses_of
from conversations.lifecycle.records import commands
from conversations.lifecycle.status import Status
from conversations.lifecycle.transitions import Cause, move
from shared.identity.authors import is_proven_author
from shared.policy.consent.items import Source, Statement
from shared.policy.consent.keywords import ConsentKeyword, vocabulary
from shared.runtime import clock

if TYPE_CHECKING:
    from conversations.configuration.projects import Company
    from conversations.configuration.resources import Resources
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.store.items.log import Message
    from shared.events.exchange import InboundMessage
    from shared.policy.consent.records import Consents

_PROVIDER_KEYWORDS = {
    "STOP": ConsentKeyword.STOP,
    "START": ConsentKeyword.START,
    "HELP": ConsentKeyword.HELP,
}
CUSTOMER = "customer"


def recognised_keyword(
    consents: Consents, company: Company, event: InboundMessage, addresses: list[str]
) -> ConsentKeyword | None:
    """
    Return the keyword of a message, if any; the provider's own classification takes precedence.

    An e-mail whose author is not proven has none: it may be written in the name of another customer.
    """
    if event.type == "human_reply" or not is_proven_author(event.channel_method, event.extra):
        return None
    if event.opt_out_type in _PROVIDER_KEYWORDS:
        return _PROVIDER_KEYWORDS[event.opt_out_type]
    words = vocabulary(company.policy.opt_out_words)
    keyword = words.keyword_in(event)
    if (
        keyword is None
        and event.channel_method == "sms"
        and words.keyword_in(event, yes_is_start=True)
    ):
        standing = consents.standing(company.company_id, addresses, "sms")
        keyword = ConsentKeyword.START if standing.yes_means_start("sms") else None
    return keyword


def record(
    consents: Consents,
    company_id: str,
    event: InboundMessage,
    addresses: list[str],
    keyword: ConsentKeyword,
) -> None:
    """Record consent: STOP for all addresses and channels, START for the sender's own only. Idempotent."""
    if keyword is ConsentKeyword.HELP:
        return
    statement = Statement(
        source=Source.PROVIDER if event.opt_out_type else Source.WORD,
        at_ms=clock.from_text(event.received_at),
        evidence=_evidence(event),
        channel=event.channel_method,
    )
    if keyword is ConsentKeyword.STOP:
        consents.record_opt_out(company_id, addresses, statement)
    else:
        consents.record_opt_in(
            company_id, addresses[:1], statement, channels=[event.channel_method]
        )


def was_opted_out(
    consents: Consents, company_id: str, event: InboundMessage, addresses: list[str]
) -> bool:
    """Return whether the customer had opted out before this message; records made by this message do not count."""
    standing = consents.standing(company_id, addresses, event.channel_method)
    newest = standing.newest
    return standing.is_opted_out and newest is not None and newest.evidence != _evidence(event)


def is_newest(
    consents: Consents, company_id: str, event: InboundMessage, addresses: list[str]
) -> bool:
    """Return whether this message is the newest consent record of the customer."""
    newest = consents.standing(company_id, addresses, event.channel_method).newest
    return newest is not None and newest.evidence == _evidence(event)


def _evidence(event: InboundMessage) -> str:
    return f"{event.provider}:{event.provider_message_id}"


def act(
    resources: Resources,
    opened: OpenConversation,
    event: InboundMessage,
    message: Message,
    keyword: ConsentKeyword,
    *,
    was_opted_out: bool,
) -> OpenConversation:
    """
    Apply a keyword to the conversation, after its consent is recorded. Idempotent.

    If *was_opted_out* (opted out before), a repeated STOP sends no second confirmation and HELP sends nothing.
    """
    cause = Cause(who=CUSTOMER, what=message.entry_id, reason=f"said_{keyword}")
    is_answered = event.opt_out_type is not None or _provider_answers_keywords(opened)
    if keyword is ConsentKeyword.HELP:
        if not is_answered and not was_opted_out:
            commands.send_notice(resources, opened, "help", message.entry_id)
        return opened
    if keyword is ConsentKeyword.STOP:
        # Consent alone does not distinguish a retry from a second STOP: the first attempt may have recorded it.
        is_opted_out = opened.conversation.conversation_status == Status.OPTED_OUT
        is_repeated_stop = was_opted_out or (
            is_opted_out and opened.state.moved_for != message.entry_id
        )
        moved = move(resources, opened, Status.OPTED_OUT, cause)
        if not is_answered and not is_repeated_stop:
            commands.send_notice(resources, opened, "opt_out_confirmation", message.entry_id)
        return moved
    if opened.conversation.conversation_status != Status.OPTED_OUT:
        return opened
    return move(resources, opened, transitions.status_before(opened), cause, is_return=True)


def _provider_answers_keywords(opened: OpenConversation) -> bool:
    sms = opened.company.channel_config.sms
    is_sms = opened.conversation.channel_method == "sms"
    return is_sms and sms is not None and sms.opt_out_handled_by == "provider"


def known_addresses(opened: OpenConversation | None, customer: str) -> list[str]:
    """Return the customer's addresses: the one of the sender, and the conversation's."""
    stored_addresses = addresses_of(opened) if opened else []
    return list(dict.fromkeys([customer, *stored_addresses]))
