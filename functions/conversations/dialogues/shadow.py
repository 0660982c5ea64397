"""
Writes the answer of a version on trial beside the live one. Nothing is sent, and no function is called.

    the trial has ended, or its bounds are reached   nothing
    answer begun before                              its worker has died: counted as failed, and not made again
    model or documents fail, or the budget is spent  counted as failed, not as a hand-off
    version opts the customer out                    counted as that, and nothing changes
    function of the project                          the result that the live version got for the same call, else none
    person erased meanwhile                          nothing is stored

The model is asked at most once for each answer of the live version. The budgets of the project and the ceilings of the
company count what it costs, up to the share of them at which the alarm is raised: the rest is for answers that
customers get.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from conversations.ai.config import BuiltIn
from conversations.ai.outcome import Cause
from conversations.ai.turn import dialogue
from conversations.configuration import versions
from conversations.dialogues.shadow_calls import Calls, Spent
from conversations.initiation import case_data
from conversations.lifecycle import conversation, trials
from conversations.outbound.compose.answer_message import converted
from conversations.outbound.compose.content import memory
from conversations.outbound.compose.facts import HISTORY, config_of
from conversations.outbound.compose.model_turns import models_of
from conversations.outbound.compose.turn_input import Known, task_of
from conversations.outbound.failures import OPTED_OUT_BY_MODEL
from conversations.outbound.policy.token_budget import Metered
from conversations.outbound.unwritable import Unwritable
from conversations.store import messages
from conversations.store.annotations import memories
from conversations.store.items.parts.trial import ShadowAnswer
from conversations.store.versions.trials import Trials
from shared.ai import port as ai
from shared.ai.spending.company_model import CompanyCalls
from shared.ai.trials.items import FAILED, Arm, EndCause, Mode, count_name
from shared.aws.secrets import SecretUnreadable
from shared.providers.outcomes import Misconfigured, NotSent
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conversations.ai.config import AiConfig
    from conversations.configuration.projects import Company, Policy
    from conversations.configuration.resources import Resources, Run
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.lifecycle.records.commands import Shadow
    from conversations.outbound.compose.functions.document_search import DocumentSearch
    from conversations.store.items.log import Message
    from conversations.store.items.parts.memory import Memory
    from conversations.store.items.parts.trial import Trial
    from shared.ai.providers.model_creation import ModelDependencies
    from shared.aws.dynamodb import Table

TURN_MS = 80 * clock.SECOND_MS
SPARE_MS = 10 * clock.SECOND_MS  # to store the result
INTERRUPTED, VERSION_UNUSABLE = "interrupted", "version_unusable"
_PERCENT = 100
_BY_MODEL = frozenset(Cause)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShadowDependencies:
    """Storage, what companies spend, models, and the companies' documents."""

    resources: Resources
    spending: Table
    model_deps: ModelDependencies
    documents: DocumentSearch


def write(deps: ShadowDependencies, opened: OpenConversation, record: Shadow, run: Run) -> str:
    """Write the answer that *record* asks for, and return the outcome for the log."""
    resources = deps.resources
    live = conversation.load_project(
        resources, opened.company.company_id, opened.company.project_id
    )
    stored = Trials(resources.log, opened.company.company_id, opened.company.project_id)
    before = stored.shadow(opened.ref, record.trial_id, record.asked)
    if before is not None:
        if before.status == "begun":
            _settle(stored, opened.ref, _failed(before, INTERRUPTED, before.cost_micros), None)
        return "repeated"
    trial = trials.running(stored, resources.companies, record.trial_id, live) if live else None
    if live is None or trial is None or trial.mode is not Mode.SHADOW:
        return "over"
    answer = _begun(opened, record, trial)
    is_new = stored.begin_shadow(trial, opened.ref, answer)
    if is_new is None:
        spent = stored.counts(trial)[count_name(Arm.TRIAL, "micros")]
        is_spent = trial.most_micros is not None and spent >= trial.most_micros
        cause = EndCause.DOLLARS if is_spent else EndCause.ANSWERS
        stored.end(trial.trial_id, cause, withdrawn=False)
        trials.put_away(resources.companies, live, trial.trial_id)
        return "over"
    if not is_new:
        return "repeated"
    sent = messages.get(resources.log, opened.ref, record.answered) if record.answered else None
    cost = Spent(partial(stored.store_cost, opened.ref, answer))
    made = _made(_Turn(deps, opened, live, record, sent, run), answer, cost)
    _settle(stored, opened.ref, made, sent)
    return made.status


def _begun(opened: OpenConversation, record: Shadow, trial: Trial) -> ShadowAnswer:
    own, of_conversation = ShadowAnswer.time_to_live(), opened.conversation.ttl
    return ShadowAnswer(
        trial_id=trial.trial_id,
        company_id=opened.company.company_id,
        project_id=opened.company.project_id,
        version=trial.version,
        asked=record.asked,
        answered=record.answered,
        at=clock.to_text(clock.now_ms()),
        live_handed_off_for=record.live_handed_off_for,
        ttl=min(filter(None, (own, of_conversation))),
    )


@dataclass(frozen=True, slots=True)
class _Turn:
    """The turn that was answered: its request, and the message of the *live* version, if it was sent."""

    deps: ShadowDependencies
    opened: OpenConversation
    live: Company
    record: Shadow
    sent: Message | None
    run: Run

    def answer(self, version: Company, spent: Spent, calls: Calls) -> Message:
        """Ask the model. Raises Unwritable for an answer without a message, and what a model raises."""
        policy = _bounded(version.policy, self.live.policy)
        company = version.model_copy(update={"policy": policy})
        opened = replace(self.opened, company=company)
        config = config_of(opened)
        left_ms = min(TURN_MS, self.run.remaining_ms() - SPARE_MS)
        deadline_ms = clock.now_ms() + left_ms
        task = task_of(
            self.deps.resources,
            opened,
            config,
            self._known(opened, config),
            deadline_ms=deadline_ms,
        )
        model = models_of(
            config,
            self.deps.model_deps,
            company.company_id,
            deadline_ms,
            _unreported,
            calls=CompanyCalls(self.deps.spending, company.company_id, spares=True),
        )
        spent.model = Metered(model, self.deps.resources.log, company)
        made = dialogue.answer(spent, task, calls.result)
        spent.note(made)
        return converted(opened, made)

    def _known(self, opened: OpenConversation, config: AiConfig) -> Known:
        """Return what the live version's turn knew: no later message, and no answer that it has recorded."""
        resources = self.deps.resources
        case = case_data.read(opened.conversation, resources.bucket)
        if case.unreadable:
            raise Unwritable("case_data_unreadable")
        new = self.sent.answers if self.sent else {}
        answers = {q: a for q, a in case.recorded_answers.items() if new.get(q) != a}
        known, asked = self._memory(opened), self.record.asked
        return Known(
            messages=memory.read_messages(resources, opened, known, HISTORY, asked),
            case=replace(case, recorded_answers=answers),
            memory=known,
            knowledge=self.deps.documents.knowledge_of(opened, config)
            if opened.company.knowledge_config
            else None,
        )

    def _memory(self, opened: OpenConversation) -> Memory | None:
        """Return the memory of the conversation; None also if it was renewed with a later message."""
        settings = opened.company.memory
        if not (settings.summary or settings.carry_over):
            return None
        known = memories.read(self.deps.resources.log, opened.ref)
        return known if known and (known.up_to or "") <= self.record.asked else None


def _made(turn: _Turn, answer: ShadowAnswer, spent: Spent) -> ShadowAnswer:
    """Return the answer that the version gives, or that it gave none."""
    resources = turn.deps.resources
    calls = Calls(resources.log, turn.opened.ref, turn.record.once_in)
    version = versions.company_with(resources.log, resources.companies, turn.live, answer.version)
    if version is None:
        return _failed(answer, VERSION_UNUSABLE)
    try:
        message = turn.answer(version, spent, calls)
        facts: Mapping[str, object] = {
            "content": message.whole_text if message.proposal is None else "",
            "subject": message.subject,
            "handed_off_for": "function_approval" if message.proposal else message.hand_off_cause,
        }
    except Unwritable as refusal:
        if refusal.reason in _BY_MODEL:
            facts = {"handed_off_for": refusal.reason}
        elif refusal.reason == OPTED_OUT_BY_MODEL:
            facts = {}
        else:  # an outage or a fault of the project, which says nothing about the version
            return _failed(answer, refusal.reason, spent.micros)
    except SecretUnreadable:
        return _failed(answer, "secrets_missing", spent.micros)
    except (Misconfigured, NotSent) as refusal:
        return _failed(answer, refusal.code, spent.micros)
    except ai.Unavailable as failure:
        return _failed(answer, failure.code, spent.micros)
    cost = {"cost_micros": spent.micros, "ms": spent.ms, "faults": spent.faults}
    of_calls = {"functions": calls.names, "not_called": calls.not_called}
    return answer.model_copy(update={**facts, **cost, **of_calls, "status": "made"})


def _failed(answer: ShadowAnswer, reason: str, micros: int = 0) -> ShadowAnswer:
    return answer.model_copy(update={"status": "failed", "reason": reason, "cost_micros": micros})


def _settle(stored: Trials, ref: str, answer: ShadowAnswer, sent: Message | None) -> None:
    """Store the end of an answer with what it adds to the counts of both versions."""
    name = count_name
    counts = {name(Arm.TRIAL, "micros"): answer.cost_micros}
    if answer.status == "failed":
        stored.settle_shadow(ref, answer, {**counts, FAILED: 1})
        return
    counts |= {name(arm, "answers"): 1 for arm in Arm}
    counts |= {
        name(Arm.TRIAL, "ms"): answer.ms,
        name(Arm.TRIAL, "sent"): bool(answer.content),
        name(Arm.TRIAL, "faulty"): bool(answer.faults),
        name(Arm.TRIAL, "opted_out"): BuiltIn.OPT_OUT in answer.functions,
        name(Arm.TRIAL, "handed_off"): answer.handed_off_for is not None,
        name(Arm.LIVE, "handed_off"): answer.live_handed_off_for is not None,
    }
    if sent is not None:
        counts |= {
            name(Arm.LIVE, "sent"): 1,
            name(Arm.LIVE, "ms"): sent.processing_time_ms or 0,
            name(Arm.LIVE, "micros"): sent.ai_cost_micros or 0,
        }
    stored.settle_shadow(ref, answer, {kind: int(count) for kind, count in counts.items()})


def _bounded(policy: Policy, live: Policy) -> Policy:
    """
    Return the policy of the version with the live one's budgets, up to the share at which the alarm is raised.
    Customers are told nothing about files.
    """
    share = live.warn_at_percent / _PERCENT

    def part(budget: float | None) -> float | None:
        return None if budget is None else budget * share

    tokens = live.tokens_per_day
    return policy.model_copy(
        update={
            "file_refused": None,
            "dollars_per_day": part(live.dollars_per_day),
            "dollars_per_month": part(live.dollars_per_month),
            "tokens_per_day": None if tokens is None else int(tokens * share),
            "warn_at_percent": _PERCENT,
        }
    )


def _unreported(failure: ai.Unavailable) -> None:
    """Count no failure of a first model: no customer waits."""
