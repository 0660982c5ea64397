"""Detects the keywords STOP, START and HELP and applies their effects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations import commands, transitions
from conversations.conversation import addresses_of
from conversations.lifecycle import Status
from conversations.transitions import Cause, move
from shared import clock
from shared.addresses import other_spellings
from shared.consent.keywords import ConsentKeyword, vocabulary
from shared.consent.records import Source, Statement

if TYPE_CHECKING:
    from conversations.conversation import OpenConversation
    from conversations.projects import Company
    from conversations.resources import Resources
    from conversations.store.items.log import Message
    from shared.consent.records import Consents
    from shared.events import InboundMessage

_PROVIDERS_WORDS = {
    "STOP": ConsentKeyword.STOP,
    "START": ConsentKeyword.START,
    "HELP": ConsentKeyword.HELP,
}
CUSTOMER = "customer"


def heard(
    consents: Consents, company: Company, event: InboundMessage, known: list[str]
) -> ConsentKeyword | None:
    """Return the keyword of a message, if any; the provider's own classification takes precedence."""
    if event.type == "human_reply":
        return None
    if event.opt_out_type in _PROVIDERS_WORDS:
        return _PROVIDERS_WORDS[event.opt_out_type]
    words = vocabulary(company.policy.opt_out_words)
    wish = words.keyword_in(event)
    if (
        wish is None
        and event.channel_method == "sms"
        and words.keyword_in(event, yes_is_start=True)
    ):
        standing = consents.standing(company.company_id, known, "sms")
        wish = ConsentKeyword.START if standing.yes_means_start("sms") else None
    return wish


def record(
    consents: Consents,
    company_id: str,
    event: InboundMessage,
    known: list[str],
    wish: ConsentKeyword,
) -> None:
    """Record consent: STOP for all addresses and channels, START for the sender's own only. Idempotent."""
    if wish is ConsentKeyword.HELP:
        return
    said = Statement(
        source=Source.PROVIDER if event.opt_out_type else Source.WORD,
        at_ms=clock.from_text(event.received_at),
        evidence=_evidence(event),
        channel=event.channel_method,
    )
    if wish is ConsentKeyword.STOP:
        consents.record_opt_out(company_id, known, said)
    else:
        own = [known[0], *other_spellings(known[0])]
        consents.record_opt_in(company_id, own, said, channels=[event.channel_method])


def had_left(consents: Consents, company_id: str, event: InboundMessage, known: list[str]) -> bool:
    """Return whether the customer had opted out before this message; records made by this message do not count."""
    standing = consents.standing(company_id, known, event.channel_method)
    newest = standing.newest
    return standing.is_opted_out and newest is not None and newest.evidence != _evidence(event)


def is_newest(consents: Consents, company_id: str, event: InboundMessage, known: list[str]) -> bool:
    """Return whether this message is the newest consent record of the customer."""
    newest = consents.standing(company_id, known, event.channel_method).newest
    return newest is not None and newest.evidence == _evidence(event)


def _evidence(event: InboundMessage) -> str:
    return f"{event.provider}:{event.provider_message_id}"


def act(
    resources: Resources,
    opened: OpenConversation,
    event: InboundMessage,
    message: Message,
    wish: ConsentKeyword,
    *,
    had_left: bool,
) -> OpenConversation:
    """
    Apply a keyword to the conversation, after its consent is recorded. Idempotent.

    If *had_left* (opted out before), a repeated STOP sends no second confirmation and HELP sends nothing.
    """
    cause = Cause(who=CUSTOMER, what=message.entry_id, reason=f"said_{wish}")
    is_answered = event.opt_out_type is not None or _is_left_to_provider(opened)
    if wish is ConsentKeyword.HELP:
        if not is_answered and not had_left:
            commands.send_notice(resources, opened, "help", message.entry_id)
        return opened
    if wish is ConsentKeyword.STOP:
        # Consent alone cannot tell a retry from a second STOP: the first attempt may have recorded it.
        is_over = opened.conversation.conversation_status == Status.OPTED_OUT
        is_second = had_left or (is_over and opened.state.moved_for != message.entry_id)
        after = move(resources, opened, Status.OPTED_OUT, cause)
        if not is_answered and not is_second:
            commands.send_notice(resources, opened, "opt_out_confirmation", message.entry_id)
        return after
    if opened.conversation.conversation_status != Status.OPTED_OUT:
        return opened
    return move(resources, opened, transitions.status_before(opened), cause, is_return=True)


def _is_left_to_provider(opened: OpenConversation) -> bool:
    sms = opened.company.channel_config.sms
    is_sms = opened.conversation.channel_method == "sms"
    return is_sms and sms is not None and sms.opt_out_handled_by == "provider"


def known_addresses(opened: OpenConversation | None, customer: str) -> list[str]:
    """Return the customer's addresses: the sender address in all spellings, and those of the conversation."""
    found = addresses_of(opened) if opened else []
    return list(dict.fromkeys([customer, *found, *other_spellings(customer)]))
