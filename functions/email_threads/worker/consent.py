"""
Consent in a customer's mail: STOP and START as its whole text, and the sign that the address is in use.

It counts for its authenticated author only: never about a Reply-To or about an address that SES has not proven. A mail
that was signed for another recipient and sent on to us does not count.

Mail that the AI conversations answer is left to them: they know the keywords of their company.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.parsing.kinds import Kind
from email_threads.parsing.trust import Trust
from email_threads.store.items.threads.thread import Direction
from shared.identity.addresses import without_label
from shared.policy.consent import unreachable
from shared.policy.consent.items import Source, Statement
from shared.policy.consent.keywords import ConsentKeyword, vocabulary
from shared.runtime import clock

if TYPE_CHECKING:
    from email_threads.configuration.resources import Resources
    from email_threads.threading.append import Appended
    from email_threads.threading.incoming_mail import Incoming

CHANNEL: Final = "email"


def note(resources: Resources, incoming: Incoming, appended: Appended) -> ConsentKeyword | None:
    """
    Record the consent or opt-out in a customer's mail, and return its STOP or START. Idempotent.

    The word of an author who is not proven is returned, so that no model answers it, and recorded by people only.
    """
    mail, sender = incoming.mail, incoming.mail.sender
    is_verified = mail.verdicts.trust is Trust.VERIFIED
    if mail.kind is not Kind.MAIL or incoming.direction is not Direction.INBOUND or sender is None:
        return None
    keyword = vocabulary().keyword_of(mail.new_text)
    is_heard = is_verified and appended.counts and _is_to(incoming)
    if is_heard and keyword in {ConsentKeyword.STOP, ConsentKeyword.START}:
        statement = Statement(
            source=Source.WORD,
            at_ms=incoming.received_ms,
            evidence=f"{appended.conversation_id}#{appended.n}",
            channel=CHANNEL,
        )
        company = incoming.company_id
        if keyword is ConsentKeyword.STOP:
            resources.consents.record_opt_out(company, [sender], statement)
        else:
            resources.consents.record_opt_in(company, [sender], statement, channels=[CHANNEL])
    if is_verified and appended.counts:
        at = clock.to_text(incoming.received_ms)
        unreachable.clear(resources.consents.table, incoming.company_id, sender, CHANNEL, at)
    # HELP says nothing about consent: it is answered as any mail.
    return None if keyword is ConsentKeyword.HELP else keyword


def _is_to(incoming: Incoming) -> bool:
    """Whether the mail names its mailbox as a recipient, and was not sent again by another program."""
    mail = incoming.mail
    named = {without_label(one) for one in (*mail.to, *mail.cc)}
    is_resent = any(name.startswith("resent-") for name, _ in mail.headers.fields)
    return incoming.mailbox in named and not is_resent
