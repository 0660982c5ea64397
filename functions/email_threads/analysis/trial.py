"""
Lets a model read mails of a thread that is not stored, and draft an answer that is not sent.

Prompt, schema, requirements, questions and checks are those of the worker.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from email_threads.analysis import drafts, model_call, prompt, requirements
from email_threads.analysis.schema import Answer
from email_threads.parsing.kinds import Kind
from email_threads.parsing.trust import Trust
from email_threads.replies import automatic, composition
from email_threads.replies.checks.withheld_text import readable
from email_threads.store.items import Mail, Status, Thread
from email_threads.store.items.threads.thread import Direction
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from email_threads.analysis.requirements import Merged
    from email_threads.store.items import Mailbox
    from shared.ai import port as ai

_ID: Final = "trial"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """
    What a model made of mails. *text* is the draft, None if a person must write it; *waits* is the reason why a person
    must approve it where safe answers are sent without one.
    """

    answer: Answer = field(repr=False)
    merged: Merged = field(repr=False)
    text: str | None = field(repr=False)
    waits: str | None
    usage: ai.Usage


def tried(
    model: ai.Model,
    mailbox: Mailbox,
    mails: Sequence[Mail],
    deadline_ms: int | None = None,
    *,
    thread: Thread | None = None,
) -> Trial:
    """
    Let *model* answer *mails*, the last of which is the customer's. No call lasts beyond *deadline_ms*. *thread* is
    theirs, if it is stored.

    Raises NoAnswer; failures are noted, not counted.
    """
    fields, settings = model_call.fields_of(mailbox), model_call.settings_of(mailbox)
    thread = thread or _thread(mailbox, mails)
    asked = requirements.recently_asked(thread, clock.now_ms())
    content = prompt.input_of(thread, mails, fields, asked, mailbox.facts)
    note = model_call.note
    given = model_call.answered(
        lambda: model_call.asked(
            model, settings, content, fields, count=note, deadline_ms=deadline_ms
        ),
        note,
    )
    answer = Answer.parse(given.text)
    merged = requirements.merge(thread, answer, mails, fields, clock.now_ms())
    text = drafts.text_of(answer, merged)
    waits = mails[-1].automatic_refusal or automatic.doubt_of(answer.analysis)
    if text is not None and waits is None:
        whole = f"{composition.reply_subject(mails[-1].subject)}\n{text}"
        waits = automatic.fault_in(readable(mails), mailbox, whole, text, has_files=False)
    return Trial(answer=answer, merged=merged, text=text, waits=waits, usage=given.usage)


def mail_of(
    mailbox: Mailbox, n: int, subject: str, text: str, *, by_customer: bool, at: str | None = None
) -> Mail:
    """Return mail number *n* of a thread that is not stored, from a sender whose address is proven."""
    time = at or clock.to_text(clock.now_ms())
    return Mail(
        conversation_id=Mail.number(_ID, n)["conversation_id"],
        n=n,
        company_id=mailbox.company_id,
        email_id=f"{_ID}-{n}",
        message_id=f"{_ID}-{n}@trial.invalid",
        kind=Kind.MAIL,
        trust=Trust.VERIFIED,
        direction=Direction.INBOUND if by_customer else Direction.OUTBOUND,
        subject=subject,
        body=text,
        new_text=text,
        timestamp=time,
        received_at=time,
        fingerprint=_ID,
    )


def _thread(mailbox: Mailbox, mails: Sequence[Mail]) -> Thread:
    first = mails[0]
    return Thread(
        conversation_id=_ID,
        company_id=mailbox.company_id,
        mailbox=mailbox.address,
        created_at=first.timestamp,
        updated_at=mails[-1].timestamp,
        status=Status.ACTIVE,
        original_message_id=first.message_id,
        subject=first.subject,
    )
