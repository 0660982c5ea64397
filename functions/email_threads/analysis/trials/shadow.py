"""
Writes the draft of a version on trial beside the live one. It is kept with the mail, and never offered or sent.

    the trial has ended, or its bounds are reached   nothing
    draft begun before                               its worker has died: counted as failed, and not made again
    the thread may be read by no model any more      nothing
    model fails, or a limit of the company           counted as failed, not as a hand-off
    mail removed, moved or erased meanwhile          nothing is stored

The model is asked at most once for each mail. The ceilings of the company count what it costs, up to the share of them
at which the alarm is raised: the rest is for drafts that people get.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from email_threads.analysis import model_call
from email_threads.analysis.kept_answers import version_of
from email_threads.analysis.model_call import NoAnswer
from email_threads.analysis.read_mails import mails_that_count
from email_threads.analysis.schema import Answer
from email_threads.analysis.trial import tried
from email_threads.analysis.trials import rules
from email_threads.replies import automatic
from email_threads.replies.draft_state import answer_id
from email_threads.store import drafts, threads
from email_threads.store.configuration import mailbox_versions
from email_threads.store.configuration.mailbox_trials import MailboxTrials
from email_threads.store.items import ShadowDraft
from shared.ai.providers.model_creation import model_for
from shared.ai.spending import prices
from shared.ai.spending.company_model import CompanyModel
from shared.ai.trials.items import FAILED, Arm, EndCause, Mode, count_name
from shared.ai.trials.spent import Spent
from shared.aws.secrets import SecretUnreadable
from shared.aws.tables.dynamodb_json import plain
from shared.providers.outcomes import Misconfigured, NotSent
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from email_threads.configuration.resources import Run, SendingResources
    from email_threads.inbound.events import EmailShadow
    from email_threads.store.items import Mail, Mailbox, MailboxTrial, Thread

INTERRUPTED, VERSION_GONE = "interrupted", "version_gone"
SPARE_MS: Final = 10 * clock.SECOND_MS  # to store the result
_OF_MODEL: Final = frozenset({automatic.NEEDS_HUMAN, automatic.LOW_CONFIDENCE})


def write(
    resources: SendingResources, event: EmailShadow, thread: Thread, mailbox: Mailbox, run: Run
) -> bool:
    """Write the draft that *event* asks for; False if there is nothing to write."""
    found = threads.mails(resources.table, event.conversation_id, [event.n])
    mail = next((one for one in found if one.email_id == event.email_id), None)
    if mail is None or mail.erased:
        return False
    stored = MailboxTrials(resources.table, mailbox.company_id, mailbox.address)
    before = mail.shadow
    if before is not None and before.trial_id == event.trial_id:
        if before.status == "begun":
            _settle(stored, mail, _failed(before, INTERRUPTED, before.cost_micros), None)
        return False
    trial, kept = rules.running(stored, event.trial_id, mailbox), mail.analysis
    mails = mails_that_count(resources.table, thread, event.n)
    if trial is None or kept is None or not _is_compared(trial, kept, mail, mails):
        return False
    turn = _Turn(resources, thread, mailbox, mails, Answer.parse(kept["answer"]), run)
    begun = turn.begun(trial)
    is_new = stored.begin_shadow(trial, mail, begun)
    if is_new is None:
        _end(stored, trial)
    if not is_new:
        return False
    spent = Spent(partial(stored.store_cost, mail, begun))
    made = _made(turn, begun, spent)
    _settle(stored, mail, made, model_call.micros_of(mailbox, kept))
    return True


def _is_compared(
    trial: MailboxTrial, kept: Mapping[str, Any], mail: Mail, mails: Sequence[Mail]
) -> bool:
    """Whether the live version has answered a mail that still counts, and the trial is one in shadow."""
    is_of_live = version_of(kept) in {trial.live, None}
    is_newest = bool(mails) and mails[-1].email_id == mail.email_id
    return trial.mode is Mode.SHADOW and is_of_live and is_newest


def _end(stored: MailboxTrials, trial: MailboxTrial) -> None:
    """End a trial whose bounds are reached."""
    spent = stored.counts(trial)[count_name(Arm.TRIAL, "micros")]
    is_spent = trial.most_micros is not None and spent >= trial.most_micros
    cause = EndCause.DOLLARS if is_spent else EndCause.ANSWERS
    stored.end(trial.trial_id, cause, withdrawn=False)
    stored.put_away(trial.trial_id)


@dataclass(frozen=True, slots=True)
class _Turn:
    """The turn that the live version has answered: the mails up to the newest one, and its *answer*."""

    resources: SendingResources
    thread: Thread
    mailbox: Mailbox
    mails: list[Mail]
    answer: Answer
    run: Run

    def begun(self, trial: MailboxTrial) -> ShadowDraft:
        """Return the draft that is to be made, with what the live version did."""
        reply_id = answer_id(self.mails[-1], self.thread.evidence_seq or 0)
        live = drafts.get(self.resources.table, self.thread.conversation_id, reply_id)
        return ShadowDraft(
            trial_id=trial.trial_id,
            version=trial.version,
            at=clock.to_text(clock.now_ms()),
            live_reply=reply_id if live is not None else None,
            live_handed_off=live is None or self.answer.analysis.needs_human,
        )

    @property
    def thread_before(self) -> Thread:
        """The thread without what the live version has recorded of this mail."""
        own = self.answer.requirements
        known = {n: v for n, v in plain(self.thread.requirements).items() if own.get(n) != v}
        analysis, at = self.thread.ai_analysis, self.mails[-1].received_at
        if analysis is not None:
            asked = [one for one in analysis.pending_info if one.asked_at and one.asked_at < at]
            analysis = analysis.model_copy(update={"pending_info": asked})
        return self.thread.model_copy(update={"requirements": known, "ai_analysis": analysis})


def _made(turn: _Turn, begun: ShadowDraft, spent: Spent) -> ShadowDraft:
    """Return the draft that the version makes, or that it made none."""
    resources, mailbox = turn.resources, turn.mailbox
    versions = mailbox_versions.of_mailbox(resources.table, mailbox.company_id, mailbox.address)
    version = versions.read(begun.version)
    if version is None:
        return _failed(begun, VERSION_GONE)
    deadline_ms = clock.now_ms() + turn.run.remaining_ms - SPARE_MS
    on_trial = mailbox_versions.with_settings(mailbox, version.settings, begun.version)
    try:
        spent.model = _model_of(resources, on_trial)
        made = tried(spent, on_trial, turn.mails, deadline_ms, thread=turn.thread_before)
    except NoAnswer as failure:
        return _failed(begun, failure.code, spent.micros)
    except SecretUnreadable:
        return _failed(begun, "secrets_missing", spent.micros)
    except (Misconfigured, NotSent) as refusal:
        return _failed(begun, refusal.code, spent.micros)
    facts = {
        "status": "made",
        "text": made.text,
        "waits": made.waits,
        "needs_human": made.answer.analysis.needs_human,
        "cost_micros": spent.micros,
        "ms": spent.ms,
    }
    return begun.model_copy(update=facts)


def _model_of(resources: SendingResources, mailbox: Mailbox) -> CompanyModel:
    """Return the model of a version, whose calls count for the ceilings of the company. Raises NoAnswer."""
    settings, company = model_call.settings_of(mailbox), mailbox.company_id
    price = prices.price_for(settings)
    model = model_for(settings, resources.models, company)
    return CompanyModel(model, price, resources.spending.table, company, spares=True)


def _failed(draft: ShadowDraft, reason: str, micros: int = 0) -> ShadowDraft:
    return draft.model_copy(update={"status": "failed", "reason": reason, "cost_micros": micros})


def _settle(stored: MailboxTrials, mail: Mail, draft: ShadowDraft, live_micros: int | None) -> None:
    """Store the end of a draft with what it adds to the counts of both versions."""
    counts = {count_name(Arm.TRIAL, "micros"): draft.cost_micros}
    if draft.status == "failed":
        stored.settle_shadow(mail, draft, {**counts, FAILED: 1})
        return
    fault = draft.waits not in {None, mail.automatic_refusal, *_OF_MODEL}
    counts |= {count_name(arm, "answers"): 1 for arm in Arm}
    counts |= {
        count_name(Arm.TRIAL, "ms"): draft.ms,
        count_name(Arm.TRIAL, "faulty"): int(fault),
        count_name(Arm.TRIAL, "handed_off"): int(draft.hands_off),
        count_name(Arm.LIVE, "handed_off"): int(draft.live_handed_off),
        count_name(Arm.LIVE, "micros"): live_micros or 0,
    }
    stored.settle_shadow(mail, draft, counts)
