"""Asks the model within the bounds on costs that mails cause: reserved before a call, settled after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from email_threads.analysis import model_call, prompt
from email_threads.analysis.model_call import NoAnswer
from email_threads.configuration.model_limits import FEWEST_TOKENS
from email_threads.parsing.trust import Trust
from shared.ai.spending import prices
from shared.ai.spending.bounds import Kind
from shared.ai.spending.budget import REASON, Cause, Reached, Reservation
from shared.ai.spending.senders import sender_hash

if TYPE_CHECKING:
    from email_threads.analysis.model_call import ModelAnswer
    from email_threads.configuration.requirements_schema import RequirementsSchema
    from email_threads.configuration.resources import SendingResources
    from email_threads.store.items import Mail, Mailbox
    from shared.ai import port as ai


def answer(
    resources: SendingResources,
    mailbox: Mailbox,
    newest: Mail,
    content: str,
    fields: RequirementsSchema,
    *,
    is_bounded: bool,
) -> tuple[ModelAnswer, Reservation | None]:
    """
    Ask the model about *newest*, within the bounds unless a person has asked for it: then only the company's ceilings
    hold. Return the answer, and the reservation to settle once the answer is stored. Raises NoAnswer.
    """
    if not is_bounded:
        return model_call.answer(resources, mailbox, content, fields, is_reserved=False), None
    reservation = _reserve(resources, mailbox, newest, content)
    try:
        answered = model_call.answer(resources, mailbox, content, fields, is_reserved=True)
    except NoAnswer as failure:
        if failure.usage is not None:
            settle(resources, mailbox, reservation, failure.usage)
        raise
    return answered, reservation


def settle(
    resources: SendingResources, mailbox: Mailbox, reservation: Reservation, usage: ai.Usage
) -> None:
    """Count the real price of an answered call; without this the estimate stays."""
    model = (mailbox.ai or {}).get("model")
    resources.spending.settle(reservation, prices.price_of(model, usage))


def _reserve(
    resources: SendingResources, mailbox: Mailbox, newest: Mail, content: str
) -> Reservation:
    """
    Reserve the analysis of a mail, whose answer may be sent too. Raises NoAnswer (`spending_limit`).

    The estimate covers one attempt with the longest answer.
    """
    settings = mailbox.ai or {}
    most_tokens = max(FEWEST_TOKENS, int(settings.get("max_output_tokens") or 0))
    reasoning = int((settings.get("reasoning") or {}).get("max_tokens") or 0)
    price = prices.price_for(model_call.settings_of(mailbox))
    size = len(content.encode("utf-8", "surrogatepass")) + len(prompt.SYSTEM)
    cause = Cause(
        company=mailbox.company_id,
        address=mailbox.address,
        sender=sender_hash(mailbox.company_id, newest.sender or newest.fingerprint),
        event=newest.email_id,
        is_proven=newest.trust is Trust.VERIFIED,
    )
    reserved = resources.spending.reserve(
        Kind.MAIL_ANALYSIS,
        cause,
        price.estimate(size, most_tokens + reasoning),
    )
    if isinstance(reserved, Reached):
        raise NoAnswer(REASON, may_repeat=False)
    return reserved
