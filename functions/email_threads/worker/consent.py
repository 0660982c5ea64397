"""
What a customer's mail says about further mail: STOP and START, as its whole text, and that the address is in use.

Mail that the AI conversations answer is left to them: they know the keywords of their company.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.parsing import answer_rules
from email_threads.parsing.kinds import Kind
from email_threads.parsing.trust import Trust
from email_threads.store.items.thread import Direction
from shared.consent import unreachable
from shared.consent.keywords import ConsentKeyword, vocabulary
from shared.consent.records import Source, Statement
from shared.runtime import clock

if TYPE_CHECKING:
    from email_threads.configuration.resources import Resources
    from email_threads.threading.append import Appended
    from email_threads.threading.resolution import Incoming

CHANNEL: Final = "email"


def note(resources: Resources, incoming: Incoming, appended: Appended) -> ConsentKeyword | None:
    """Record what a mail of a customer says about consent, and return its STOP or START. Idempotent."""
    mail, sender = incoming.mail, incoming.mail.sender
    is_verified = mail.verdicts.trust is Trust.VERIFIED
    if mail.kind is not Kind.MAIL or incoming.direction is not Direction.INBOUND or sender is None:
        return None
    keyword = vocabulary().keyword_of(mail.new_text)
    # A forged START must not undo an opt-out; a forged STOP only keeps mail back.
    if keyword is ConsentKeyword.STOP or (keyword is ConsentKeyword.START and is_verified):
        statement = Statement(
            source=Source.WORD,
            at_ms=incoming.received_ms,
            evidence=f"{appended.conversation_id}#{appended.n}",
            channel=CHANNEL,
        )
        company = incoming.company_id
        if keyword is ConsentKeyword.STOP:
            # Answers to this person may go to another address of the same domain.
            answered = answer_rules.reply_address(mail)
            addresses = list(dict.fromkeys([sender, answered or sender]))
            resources.consents.record_opt_out(company, addresses, statement)
        else:
            resources.consents.record_opt_in(company, [sender], statement, channels=[CHANNEL])
    if is_verified:
        at = clock.to_text(incoming.received_ms)
        unreachable.clear(resources.consents.table, incoming.company_id, sender, CHANNEL, at)
    # HELP says nothing about consent: it is answered as any mail.
    return None if keyword is ConsentKeyword.HELP else keyword
