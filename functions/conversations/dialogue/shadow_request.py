"""
Asks for the answer of a version on trial, after the live version's turn is over: what the customer gets does not wait.

An answer whose worker dies between its send and this request has no counterpart, and neither has one that a person or a
fixed text gave.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from botocore.exceptions import BotoCoreError, ClientError

from conversations.ai.outcome import Cause
from conversations.lifecycle import trials
from conversations.outbound.results import Ended
from conversations.store.items.turn import TurnKind
from conversations.store.versions.trials import Trials
from shared.ai.trials.items import Mode
from shared.aws.sqs_fifo import Entry, digest
from shared.runtime.failures import Transient
from shared.runtime.observability import logger

if TYPE_CHECKING:
    from conversations.configuration.resources import Resources
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.lifecycle.records.commands import Shadow
    from conversations.outbound.policy.newer_messages import Unanswered
    from conversations.outbound.turns.plan import Outcome

GROUP: Final = digest("shadow")
_BY_MODEL = frozenset(Cause)


def ask(
    resources: Resources,
    opened: OpenConversation,
    unanswered: Unanswered,
    turn_id: str,
    outcome: Outcome,
) -> None:
    """Enqueue the request if a trial in shadow runs; a failure is logged. Without a trial nothing is read."""
    trial_id, asked = opened.company.ai_trial, unanswered.up_to
    if trial_id is None or asked is None or opened.state.trial_version is not None:
        return
    from conversations.lifecycle.records.commands import Shadow  # noqa: PLC0415 - of projects with a trial

    record = Shadow(
        ref=opened.ref,
        trial_id=trial_id,
        asked=asked,
        once_in=unanswered.calls_once_in or turn_id,
    )
    try:
        compared = _compared(record, outcome)
        if compared is None:
            return
        company = opened.company.company_id
        trial = Trials(resources.log, company, opened.company.project_id).read(trial_id)
        if trial is not None and trial.is_over:
            trials.put_away(resources.companies, opened.company, trial_id)
        if trial is None or trial.is_over or trial.mode is not Mode.SHADOW:
            return
        body = compared.model_dump_json(ensure_ascii=True, exclude_none=True)
        # One group for all companies: trials take one of the queue's concurrent workers, of which there are two at
        # least, so first messages never wait for them. Answers have a queue of their own.
        entry = Entry(body, GROUP, digest("shadow", trial_id, opened.ref, asked))
        resources.channels[opened.conversation.channel_method].send([entry])
    except (BotoCoreError, ClientError, Transient) as failure:
        logger.warning("answer on trial not requested", extra={"reason": type(failure).__name__})


def _compared(record: Shadow, outcome: Outcome) -> Shadow | None:
    """Return the request with what the live version did; None for a turn that says nothing about the version."""
    message = outcome.message
    if outcome.ended is Ended.SENT and message is not None:
        if message.author != "ai" or message.turn_kind is not TurnKind.REPLY:
            return None
        cause = message.hand_off_cause
        return record.model_copy(update={"answered": message.own_sk, "live_handed_off_for": cause})
    if outcome.ended is Ended.UNWRITTEN and outcome.reason in _BY_MODEL:
        return record.model_copy(update={"live_handed_off_for": str(outcome.reason)})
    return None
