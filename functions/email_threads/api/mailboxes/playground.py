"""
Tries a version of a mailbox's settings: its model drafts an answer to mails that a call gives, or to a mail of a thread
without the person. Nothing is sent or stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from email_threads.analysis import trial
from email_threads.analysis.model_call import NoAnswer, settings_of
from email_threads.analysis.read_mails import mails_that_count
from email_threads.api import queries
from email_threads.api.mailboxes import versions
from email_threads.api.mailboxes.settings import mailbox_of
from email_threads.api.mailboxes.views import DraftTrialView
from email_threads.api.queries import NotFound
from email_threads.store.configuration import mailbox_versions
from email_threads.store.items.threads.thread import Direction
from shared.ai.playground.failures import ModelUnavailable, ModelUnusable
from shared.ai.playground.mask import Mask
from shared.ai.playground.traces import Traced
from shared.ai.playground.views import SpokenView
from shared.ai.providers.model_creation import model_for
from shared.ai.spending import prices
from shared.ai.spending.company_model import CompanyModel
from shared.api.errors import InvalidInput
from shared.aws.secrets import SecretUnreadable
from shared.providers.outcomes import Misconfigured, NotSent
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from email_threads.api.mailboxes.inputs import DraftTrialInput
    from email_threads.api.queries import ApiDependencies
    from email_threads.store.items import Mail, Mailbox, Thread
    from shared.ai.providers.model_creation import ModelDependencies
    from shared.api.auth import Caller
    from shared.aws.dynamodb import Table

SPARE_MS = 3 * clock.SECOND_MS  # to build and send the response


@dataclass(frozen=True, slots=True)
class MailboxPlayground:
    """Tries over the table of e-mail threads, with the companies' models; they count for the companies' ceilings."""

    deps: ApiDependencies
    models: ModelDependencies
    spending: Table

    def answer(
        self, caller: Caller, address: str, given: DraftTrialInput, remaining_ms: int
    ) -> DraftTrialView:
        """Return the draft. Raises NotFound, NoVersion, InvalidInput, NotProven, ModelUnavailable and ModelUnusable."""
        deadline_ms = clock.now_ms() + remaining_ms - SPARE_MS
        mailbox = _with_settings(
            self.deps, mailbox_of(self.deps.table, caller.company, address), given
        )
        mails = _mails(self.deps, caller, mailbox, given)
        if mailbox.ai is None:
            raise InvalidInput([{"field": "settings.ai", "problem": "is needed: the model"}])
        try:
            traced = Traced(self._model(mailbox))
            made = trial.tried(traced, mailbox, mails, deadline_ms)
        except NoAnswer as failure:
            raise (ModelUnavailable if failure.may_repeat else ModelUnusable)(
                failure.code
            ) from None
        except SecretUnreadable:
            raise ModelUnusable("secrets_missing") from None
        except Misconfigured as refusal:
            raise ModelUnusable(refusal.code) from None
        except NotSent as failure:
            raise ModelUnavailable(failure.code) from None
        facts = made.answer.analysis
        return DraftTrialView(
            version=None if given.settings.given() else mailbox.ai_version,
            text=made.text,
            waits=made.waits,
            intent=facts.intent,
            language=facts.language,
            urgency=facts.urgency,
            summary=facts.summary,
            needs_human=facts.needs_human,
            needs_human_reason=facts.reason,
            confidence=facts.confidence,
            requirements=made.merged.requirements,
            unconfirmed=made.merged.unconfirmed,
            questions=[one.question for one in made.merged.to_ask],
            is_complete=made.merged.is_complete,
            mails=[_spoken(one) for one in mails],
            **traced.trace(made.usage),
        )

    def _model(self, mailbox: Mailbox) -> CompanyModel:
        settings, company = settings_of(mailbox), mailbox.company_id
        model = model_for(settings, self.models, company)
        price = prices.price_for(settings)
        return CompanyModel(model, price, self.spending, company, spares=True)


def _with_settings(deps: ApiDependencies, mailbox: Mailbox, given: DraftTrialInput) -> Mailbox:
    """Return the mailbox with the settings that a call names, by default the live ones."""
    number, changes = given.version, given.settings.values()
    if number is None and not changes:
        return mailbox
    settings = versions.settings_to_try(deps, mailbox, number, changes)
    return mailbox_versions.with_settings(mailbox, settings, number or mailbox.ai_version)


def _mails(
    deps: ApiDependencies, caller: Caller, mailbox: Mailbox, given: DraftTrialInput
) -> list[Mail]:
    if given.mail is None:
        return [
            trial.mail_of(mailbox, n, one.subject, one.text, by_customer=one.by == "customer")
            for n, one in enumerate(given.mails, 1)
        ]
    thread = queries.head_of(deps.table, caller.company, given.mail.conversation_id)
    if thread.mailbox != mailbox.address:
        raise NotFound("conversation_id: thread not found")
    if thread.gdpr_consent is False:
        problem = "the person does not want a model to read this thread"
        raise InvalidInput([{"field": "mail.conversation_id", "problem": problem}])
    mails = mails_that_count(deps.table, thread, given.mail.n)
    newest = mails[-1] if mails else None
    if newest is None or newest.n != given.mail.n or newest.direction is not Direction.INBOUND:
        raise InvalidInput(
            [{"field": "mail.n", "problem": "must be a customer's mail that counts"}]
        )
    mask = _mask_of(thread, mails)
    return [_masked(one, mask) for one in mails]


def _mask_of(thread: Thread, mails: Sequence[Mail]) -> Mask:
    """Return the mask of a thread's people; the company's address stays."""
    received = [one for one in mails if one.direction is Direction.INBOUND]
    known = {thread.participant, thread.participant_name, *thread.participants}
    for mail in received:
        known |= {mail.sender, mail.sender_name, mail.reply_to, *mail.cc}
    return Mask(known - {thread.mailbox})


def _masked(mail: Mail, mask: Mask) -> Mail:
    """Return a mail without the person."""
    files = [
        one.model_copy(update={"filename": mask.text(one.filename)}) for one in mail.attachments
    ]
    texts = {name: mask.text(getattr(mail, name)) for name in ("subject", "body", "new_text")}
    return mail.model_copy(update={**texts, "attachments": files})


def _spoken(mail: Mail) -> SpokenView:
    is_received = mail.direction is Direction.INBOUND
    text = f"{mail.subject}\n\n{mail.new_text or mail.body}".strip()
    return SpokenView(by="customer" if is_received else "company", text=text)
