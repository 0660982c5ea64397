"""Admits or withholds a mail with weak evidence, as a person decides: one transaction, then the events that follow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.analysis import drafts
from email_threads.api import views
from email_threads.api.changes import TRIES, cause_of
from email_threads.api.queries import head_of, mail_of
from email_threads.inbound.events import EmailAnalyse, EmailReceived, entry, received_entry
from email_threads.parsing.caps import SYNTHETIC_DOMAIN
from email_threads.parsing.headers.fields import root_id
from email_threads.store import changes, threads
from email_threads.store.changes import Change
from email_threads.store.configuration import mailboxes
from email_threads.store.items import Automation
from email_threads.store.lists import participants
from email_threads.threading import ids
from email_threads.threading.head import admitted
from email_threads.threading.head.heads import touched
from email_threads.threading.head.service_level import targets_of
from shared.api.errors import InvalidInput
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from email_threads.api.queries import ApiDependencies
    from email_threads.store.items import Mail, Thread
    from email_threads.threading.head.service_level import Targets
    from shared.api.models.inputs import NoInput
    from shared.api.routing.routes import Request
    from shared.aws.dynamodb import Table

WITHHELD: Final = "mail_withheld"
_LOOKED_AT: Final = 100  # mails before one that is withheld again


def admit(
    deps: ApiDependencies, request: Request[NoInput], conversation_id: str, n: str
) -> views.Admission:
    """
    Let a mail count as any other. Idempotent: a repeated call queues again what follows.

    Raises NotFound, InvalidInput, Transient and NotEnqueued.
    """
    table, company = deps.table, request.caller.company
    for _ in range(TRIES):
        thread = head_of(table, company, conversation_id)
        mail = mail_of(table, company, thread.conversation_id, n)
        if mail.admitted_by is None:
            if not mail.may_be_admitted:
                raise _invalid("the mail counts already, or failed a check")
            at = clock.to_text(clock.now_ms())
            after = admitted.admitted(mail, thread, by=request.caller.principal, at=at)
            fields = admitted.head_with(thread, after, _targets(table, thread))
            made = _change(request, thread, f"admit n={mail.n}", at, fields)
            written = changes.change_with_mail(table, thread, made, mail, after)
            if written is None:
                continue
            thread, mail = written, after
        _list_author(table, thread, mail)
        _queue(deps, request, thread, mail)
        return views.Admission(conversation_id=thread.conversation_id, n=mail.n, admitted=True)
    raise Transient("thread_contended")


def withhold(
    deps: ApiDependencies, request: Request[NoInput], conversation_id: str, n: str
) -> views.Admission:
    """
    Undo an admission. Idempotent. Raises NotFound, InvalidInput, Transient and NotEnqueued.

    Answers that were sent, and values that the model took from the mail, stay.
    """
    table, company = deps.table, request.caller.company
    for _ in range(TRIES):
        thread = head_of(table, company, conversation_id)
        mail = mail_of(table, company, thread.conversation_id, n)
        if mail.admitted_by is not None:
            before = threads.mails(
                table, thread.conversation_id, range(max(1, mail.n - _LOOKED_AT), mail.n)
            )
            after = admitted.withheld(mail)
            fields = admitted.head_without(thread, after, before, author=_author(mail))
            at = clock.to_text(clock.now_ms())
            made = _change(request, thread, f"withhold n={mail.n}", at, fields)
            written = changes.change_with_mail(table, thread, made, mail, after)
            if written is None:
                continue
            thread = written
        elif not mail.may_be_admitted:
            raise _invalid("the mail was not admitted by a person")
        author = _author(mail)
        if author is not None and author not in thread.participants:
            participants.weaken(table, thread.conversation_id, ids.address_hash(author))
        drafts.supersede(table, thread, reason=WITHHELD)
        _analyse(deps, request, thread)
        return views.Admission(conversation_id=thread.conversation_id, n=mail.n, admitted=False)
    raise Transient("thread_contended")


def _change(
    request: Request[NoInput], thread: Thread, action: str, at: str, fields: dict[str, object]
) -> Change:
    word, _, detail = action.partition(" ")
    return Change(
        fields=fields | touched(thread),
        at=at,
        actor=request.caller.principal,
        action=word,
        detail=detail,
        cause=cause_of(request),
    )


def _targets(table: Table, thread: Thread) -> Targets | None:
    mailbox = mailboxes.get(table, thread.mailbox)
    is_own = mailbox is not None and mailbox.company_id == thread.company_id
    return targets_of(mailbox) if mailbox is not None and is_own else None


def _author(mail: Mail) -> str | None:
    """Return the author whom the admission of a mail made a participant."""
    return mail.sender if mail.admits_author else None


def _list_author(table: Table, thread: Thread, mail: Mail) -> None:
    author = _author(mail)
    if author is not None:
        participants.put(table, thread, author, ids.address_hash(author))


def _queue(deps: ApiDependencies, request: Request[NoInput], thread: Thread, mail: Mail) -> None:
    """Let the worker receive the raw mail once more, which repeats what its first delivery left out, and analyse."""
    if mail.raw_key is not None:
        root = root_id(mail.message_id, mail.references, [mail.in_reply_to or mail.message_id])
        event = EmailReceived(
            key=mail.raw_key,
            etag="",
            size=0,
            received_at=mail.received_at,
            is_released=mail.message_id == f"{mail.fingerprint}@{SYNTHETIC_DOMAIN}",
            cause=cause_of(request),
        )
        deps.queue.send([received_entry(event, root)])
    _analyse(deps, request, thread)


def _analyse(deps: ApiDependencies, request: Request[NoInput], thread: Thread) -> None:
    """Analyse the thread again: other mails count now."""
    if thread.automation is Automation.EMAIL_THREADS and thread.last_inbound_n is not None:
        analyse = EmailAnalyse(
            conversation_id=thread.conversation_id,
            n=thread.last_inbound_n,
            cause=cause_of(request),
        )
        deps.queue.send([entry(analyse)])


def _invalid(problem: str) -> InvalidInput:
    return InvalidInput([{"field": "n", "problem": problem}])
