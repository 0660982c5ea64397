"""What an answer of a model counts for the trial that takes a share of the threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from email_threads.analysis import model_call
from email_threads.store.configuration.mailbox_trials import MailboxTrials
from shared.ai.trials.items import ANSWERS, HANDED_OFF, MICROS, Mode, count_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from email_threads.analysis.trials.versions import Given
    from email_threads.store.items import Draft
    from shared.aws.dynamodb import Attributes, Table


def of_answer(
    table: Table, given: Given, draft: Draft | None, kept: Mapping[str, Any], *, needs_human: bool
) -> Attributes | None:
    """
    Return the write that counts an answer with its *draft*; None without a trial that takes a share. An answer counts
    as handed off without a draft, or if the model wants a person to write it.
    """
    trial, mailbox = given.trial, given.mailbox
    if trial is None or trial.mode is not Mode.SHARE:
        return None
    counts = {
        ANSWERS: 1,
        HANDED_OFF: int(draft is None or needs_human),
        MICROS: model_call.micros_of(mailbox, kept),
    }
    stored = MailboxTrials(table, mailbox.company_id, mailbox.address)
    named = {count_name(given.arm, kind): n for kind, n in counts.items()}
    return stored.counted(trial.trial_id, given.thread.conversation_id, named)
