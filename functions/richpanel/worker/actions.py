"""
Carries out a decision, in an order in which every step may be repeated without effect.

A step that the help desk refuses is recorded in the audit and does not stop the other steps: a missing tag must not
lose a risk flag, nor a refused reply a route. Other exceptions propagate, and the next delivery does the rest.
"""

from collections.abc import Callable
from dataclasses import dataclass

from aws_lambda_powertools.metrics import MetricUnit

from richpanel.classification.taxonomy import ControlTag
from richpanel.configuration.resources import Resources
from richpanel.decisions.outcome import Decision
from richpanel.store.items import Action, DecisionOutcome
from richpanel.worker import audit, memory, ticket_tags
from richpanel.worker.cases.case import Case, Overtaken
from richpanel.worker.sending import replies, reservations
from shared.providers.action_ledger import State
from shared.runtime.failures import Permanent, Transient
from shared.runtime.observability import metrics

_OUT = frozenset({State.SENT, State.CONFIRMED})
HANDED_OVER = (ControlTag.ESCALATED_HUMAN,)
NOT_SENT = (ControlTag.SEND_FAILED, ControlTag.ESCALATED_HUMAN)


@dataclass(frozen=True, slots=True)
class ReplyStatus:
    """
    The status of the reply, from this run or an earlier one; *state* is None when there is no reply.

    *template* and *body_hash* belong to the reply that was sent, which may differ from the current decision. *waits* is
    set when a later delivery must determine the outcome. *dropped*: an earlier run reserved a reply and never sent it.
    """

    state: State | None = None
    tags: tuple[str, ...] = ()
    template: str | None = None
    body_hash: str | None = None
    waits: Transient | None = None
    dropped: bool = False

    @property
    def may_be_out(self) -> bool:
        """Whether the customer has, or may have, received the reply."""
        return self.state in {*_OUT, State.UNKNOWN}


def act(resources: Resources, case: Case, decision: Decision) -> None:
    """
    Reply, tag, assign or close, and write the audit rows. Raises Transient when a later delivery has to continue.

    The ticket is routed and tagged even while the outcome of its reply is unknown: agents must not wait for that.
    """
    case = memory.note(resources, case, decision)
    reply = _answer(resources, case, decision)
    result = audit.skipped(_skip_reason(case))
    if case.may_write:
        result = _tried(lambda: ticket_tags.tag(resources, case, decision, reply.tags))
        _assign_or_close(resources, case, decision, reply)
    audit.write(resources, case.event, "route", audit.of_decision(case, decision), result=result)
    if reply.waits:
        raise reply.waits
    # Before the reply's own row, which proves that an earlier run has completed the turn.
    audit.list_decision(resources, case, decision, _outcome(case, decision, reply))
    _audit_answer(resources, case, decision, reply)
    memory.remember(resources, case, decision, sent=reply.template if reply.may_be_out else None)


def _outcome(case: Case, decision: Decision, reply: ReplyStatus) -> DecisionOutcome:
    if reply.state is not None:
        is_out = reply.state in _OUT
        return DecisionOutcome.REPLIED if is_out else DecisionOutcome.REPLY_FAILED
    if case.switches.dry_run:
        return DecisionOutcome.DRY_RUN
    if not case.may_write:
        return DecisionOutcome.NOT_WRITTEN
    return DecisionOutcome.HANDED_OVER if decision.takes_over else DecisionOutcome.ROUTED


def _tried(step: Callable[[], str | None]) -> str:
    """Return the audit result of a step: success, skipped for the reason it returned, or refused by the help desk."""
    try:
        skipped = step()
    except Permanent as refused:
        metrics.add_metric("StepRefused", MetricUnit.Count, 1)
        return audit.failed(refused.reason)
    return audit.skipped(skipped) if skipped else audit.SUCCESS


def _answer(resources: Resources, case: Case, decision: Decision) -> ReplyStatus:
    """Send the decided reply, or determine the outcome of an earlier run's reply."""
    before = reservations.existing_reply(resources, case)
    if before is not None and before.state is not State.RESERVED:
        if before.state is State.FAILED:
            reservations.give_back(resources, case)
        return _status_of_reply(before.state, before)
    in_doubt = before is not None and before.deadline != 0
    is_reply_due = decision.reply is not None and case.may_write
    if not is_reply_due and not in_doubt:
        # A reply that an earlier run reserved and never sent is no longer due.
        reservations.give_back(resources, case)
        return ReplyStatus(dropped=before is not None)
    try:
        if before is not None and in_doubt:
            state = replies.find_out(resources, case, before)
        else:
            state = replies.send(resources, case, decision, again=before is not None)
    except Overtaken:
        raise
    except Transient as waits:
        return ReplyStatus(waits=waits)
    return _status_of_reply(state, reservations.existing_reply(resources, case))


def _status_of_reply(state: State, row: Action | None) -> ReplyStatus:
    """Return the status of a reply in *state*; *row* is its ledger row."""
    fields = (row.model_extra or {}) if row else {}
    reply = ReplyStatus(state, (), fields.get("template"), row.body_hash if row else None)
    if state is State.FAILED:
        metrics.add_metric("ReplyFailed", MetricUnit.Count, 1)
        return ReplyStatus(state, tuple(map(str, NOT_SENT)), reply.template)
    if state is State.UNKNOWN:
        metrics.add_metric("ReplyUnknown", MetricUnit.Count, 1)
        return ReplyStatus(state, tuple(map(str, HANDED_OVER)), reply.template)
    tags = tuple(fields.get("tags_when_sent", ()))
    return ReplyStatus(state, tags, reply.template, reply.body_hash)


def _assign_or_close(
    resources: Resources, case: Case, decision: Decision, reply: ReplyStatus
) -> None:
    assignee = resources.account.assignees.get(decision.team)
    message = (case.conversation_id, case.target.name)
    if _may_close(decision, reply):
        reply_hash = reply.body_hash or ""
        kind: audit.Kind = "close"
        key = Action.key(Action.CLOSE, *message)
        result = _tried(lambda: ticket_tags.close(resources, case, decision, reply_hash))
    elif reply.waits and decision.close_when_confirmed:
        return  # Decided later: closed if the reply is confirmed, assigned if it stays unknown; never both.
    elif assignee is not None:
        kind = "assign"
        key = Action.key(Action.ASSIGN, message[0], assignee, message[1])
        result = _tried(lambda: ticket_tags.assign(resources, case, decision))
    else:
        return
    audit.write(resources, case.event, kind, {"team": decision.team}, result=result, key=key)


def _may_close(decision: Decision, reply: ReplyStatus) -> bool:
    """Whether to close: only after the closing reply itself, as an earlier run may have sent another template."""
    is_that = decision.reply is not None and reply.template == decision.reply.template
    return decision.close_when_confirmed and is_that and reply.state in _OUT


def _audit_answer(resources: Resources, case: Case, decision: Decision, reply: ReplyStatus) -> None:
    key = Action.key(Action.REPLY, case.conversation_id, case.target.name)
    payload = {"template": reply.template, "reason": decision.reason, "state": reply.state}
    kind: audit.Kind = "auto_reply"
    result = audit.SUCCESS
    if reply.dropped:
        result = audit.skipped(str(decision.reason))
    elif reply.state is None:
        return
    elif reply.state not in _OUT:
        kind, result = "escalate", audit.failed(str(reply.state))
    audit.write(resources, case.event, kind, payload, result=result, key=key)


def _skip_reason(case: Case) -> str:
    if case.switches.dry_run:
        return "dry_run"
    return "no_help_desk" if case.help_desk is None else "ticket_not_found"
