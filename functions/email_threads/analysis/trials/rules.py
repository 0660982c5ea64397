"""
Asks the rules of a mailbox's trial (`shared.ai.trials.rules`) where it is used.

Where a trial that is over is found, the mailbox stops naming it: its threads read none any more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from shared.ai.trials import rules
from shared.runtime.observability import describe, logger

if TYPE_CHECKING:
    from email_threads.store.configuration.mailbox_trials import MailboxTrials
    from email_threads.store.items import Mailbox, MailboxTrial


def running(stored: MailboxTrials, trial_id: str, mailbox: Mailbox) -> MailboxTrial | None:
    """
    Return a trial that runs; one that is to end by its rules is ended first, and one that is over is put away.
    Repeatable.
    """

    def live_of(trial: MailboxTrial) -> int | None:
        # A mailbox that was read before the trial began does not name it, and may have an older live version, too.
        return mailbox.ai_version if mailbox.ai_trial == trial_id else trial.live

    def put_away() -> None:
        if mailbox.ai_trial != trial_id:
            return
        try:
            stored.put_away(trial_id)
        except (BotoCoreError, ClientError) as failure:  # the next mail does it
            logger.warning("trial not put away", extra=describe(failure))

    return rules.running(stored, trial_id, live_of, put_away)
