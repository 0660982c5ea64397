"""
The version of a mailbox's settings with which a thread is answered while a trial takes a share.

A thread joins when the model reads it for the first time: by a keyed hash of the trial and of the person's address, so
that all threads of an address get the same version. It keeps what it was given.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from botocore.exceptions import BotoCoreError, ClientError

from email_threads.analysis.trials import rules
from email_threads.inbound.events import EmailShadow, shadow_entry
from email_threads.store.configuration import mailbox_versions
from email_threads.store.configuration.mailbox_trials import MailboxTrials
from shared.ai.trials.items import Arm, Mode
from shared.identity.addresses import without_label
from shared.identity.keyed_hashes import keyed_hash
from shared.runtime.failures import Transient
from shared.runtime.observability import logger

if TYPE_CHECKING:
    from email_threads.configuration.resources import SendingResources
    from email_threads.store.items import Mail, Mailbox, MailboxTrial, Thread

_PERCENT: Final = 100
_HEX_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class Given:
    """
    A thread, and the *mailbox* with the settings with which it is answered. *trial* is the one that its drafts count
    for, as answers of the version *arm*; None without one.
    """

    thread: Thread
    mailbox: Mailbox
    trial: MailboxTrial | None = None
    arm: Arm = Arm.LIVE

    @property
    def shadow(self) -> MailboxTrial | None:
        """The trial in shadow that answers beside the live version."""
        is_shadow = self.trial is not None and self.trial.mode is Mode.SHADOW
        return self.trial if is_shadow else None


def given(resources: SendingResources, thread: Thread, mailbox: Mailbox) -> Given:
    """
    Return what answers a thread now, after it has joined a trial that takes a share of new ones. Without a trial
    nothing is read.
    """
    found = Given(thread, mailbox)
    trial_id = mailbox.ai_trial
    if trial_id is None or thread.ai_trial_version is not None:  # a thread keeps its version
        trial_id = thread.ai_trial
    if trial_id is None:
        return found
    stored = MailboxTrials(resources.table, mailbox.company_id, mailbox.address)
    trial = rules.running(stored, trial_id, mailbox)
    if trial is not None and trial.mode is Mode.SHADOW:
        return replace(found, trial=trial)
    if thread.ai_trial is None:
        if trial is None or not _is_new(thread, trial):
            return found
        joined = stored.join(trial, thread.conversation_id, arm_of(trial, thread))
        found = replace(found, thread=joined or thread)
    return _of_share(stored, found, trial)


def _of_share(stored: MailboxTrials, found: Given, running: MailboxTrial | None) -> Given:
    """Return the version that a trial has given a thread; the live one if it was withdrawn or is gone."""
    thread, mailbox = found.thread, found.mailbox
    trial = running or (stored.read(thread.ai_trial) if thread.ai_trial else None)
    if trial is None or trial.trial_id != thread.ai_trial:
        return found
    number = thread.ai_trial_version
    if number is None:
        is_compared = mailbox.ai_version == trial.live
        return replace(found, trial=trial if is_compared else None)
    if trial.withdrawn:
        return found
    versions = mailbox_versions.of_mailbox(stored.table, mailbox.company_id, mailbox.address)
    version = versions.read(number)
    if version is None:
        return found
    settings = mailbox_versions.with_settings(mailbox, version.settings, number)
    return replace(found, mailbox=settings, trial=trial, arm=Arm.TRIAL)


def arm_of(trial: MailboxTrial, thread: Thread) -> Arm:
    """Return which of the two versions answers a thread that joins: the same for all threads of an address."""
    person = without_label(thread.participant) if thread.participant else thread.conversation_id
    drawn = keyed_hash("trial", trial.trial_id, person)
    number = int(drawn[:_HEX_DIGITS], 16) % _PERCENT
    return Arm.TRIAL if number < (trial.share or 0) else Arm.LIVE


def _is_new(thread: Thread, trial: MailboxTrial) -> bool:
    """Whether a thread began after the trial, and the model has not read it."""
    return thread.ai_analysis is None and thread.created_at >= trial.at


def ask_for_shadow(resources: SendingResources, found: Given, newest: Mail) -> None:
    """Enqueue the request for a draft in shadow, after the live turn is over; a failure is logged."""
    trial = found.shadow
    if trial is None:
        return
    event = EmailShadow(
        conversation_id=found.thread.conversation_id,
        n=newest.n,
        email_id=newest.email_id,
        trial_id=trial.trial_id,
    )
    try:
        resources.queue.send([shadow_entry(event)])
    except (BotoCoreError, ClientError, Transient) as failure:
        logger.warning("draft on trial not requested", extra={"reason": type(failure).__name__})
