"""
Sends an automatic reply with a single attempt, and determines its outcome afterwards.

    reserved (state, with its slot) --> accepted by the help desk: sent (ledger) --> seen in the ticket: confirmed
                |-- refused ---------> failed; the slot is given back, agents take over
                |-- certainly not sent, or rate limited --> the next delivery tries
                `-- in doubt --> deadline passed, ticket read: reply found: confirmed, else unknown

A reply that may have arrived is never sent again: a second answer is worse for the customer than an agent's answer.
"""

import hashlib
from collections.abc import Callable

from aws_lambda_powertools.metrics import MetricUnit

from richpanel.clients.tickets import Ticket
from richpanel.configuration.resources import Resources
from richpanel.decisions.outcome import Decision, Reply
from richpanel.decisions.replies.renderer import BodyFormat, render
from richpanel.inbound.event import plain
from richpanel.store.items import Action
from richpanel.worker.cases import decisions
from richpanel.worker.cases.case import Case, Overtaken
from richpanel.worker.sending import reservations
from shared.providers.action_ledger import OnDoubt, State
from shared.providers.outcomes import NotSent
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from shared.runtime.observability import metrics

# A ticket read longer ago is read again before a reply: an agent may have answered since.
FRESH_MS = 10 * clock.SECOND_MS


def find_out(resources: Resources, case: Case, before: Action) -> State:
    """Determine the outcome of an earlier run's reserved reply. Raises Transient while that run may be sending it."""

    def leave() -> None:
        # Called only if that run has just recorded that it did not send: the next delivery composes the reply.
        raise NotSent("not_tried")

    return _perform(resources, case, before, leave)


def send(resources: Resources, case: Case, decision: Decision, *, again: bool) -> State:
    """
    Send the decided reply once. *again*: an earlier run certainly did not send its attempt.

    Raises Overtaken, and Transient when a later delivery has to continue.
    """
    help_desk, account, reply = case.help_desk, resources.account, decision.reply
    assert help_desk is not None  # noqa: S101 - for mypy: sending requires may_write
    assert reply is not None  # noqa: S101 - for mypy: checked by the caller
    if not resources.switchboard.current().allow(case.channel, reply.template):
        raise Overtaken
    _check_unchanged(case)
    if decisions.opt_out(resources, case):
        raise Overtaken  # A recipient opted out since the decision, or the opt-outs cannot be read any more.
    wording = account.shop.wordings.get(reply.template, {}).get(reply.language)
    if wording is None:
        raise Overtaken  # The shop's settings were changed since the decision.
    text = render(
        reply.template,
        wording[reply.variant],
        reply.values,
        signature=account.signature_for(decisions.recipient(case)),
        first_name=None,
        body_format=BodyFormat.HTML if account.reply_is_html else BodyFormat.TEXT,
    )
    author = account.shop.bot_author_id or ""
    path = account.reply_paths.get(case.channel, "send_message")
    state = _attempt(
        resources,
        case,
        _intended(case, decision, reply, text),
        reserve=lambda attempt: reservations.reserve(
            resources, case, decision, reply, attempt, again=again
        ),
        post=lambda: help_desk.reply(case.conversation_id, text, author, path),
        again=again,
    )
    if state is State.FAILED:
        reservations.free(resources, case)
    elif not resources.switchboard.current().allow(case.channel, reply.template):
        # A switch was closed during the send: seconds ago, or else some code ignores the switches.
        metrics.add_metric("SentWhileOff", MetricUnit.Count, 1)
    return state


def _check_unchanged(case: Case) -> None:
    """Read the ticket again if it was read too long ago. Raises Overtaken if comments or assignee changed."""
    if clock.now_ms() - case.read_at <= FRESH_MS:
        return
    assert case.help_desk is not None  # noqa: S101 - for mypy
    now = case.help_desk.ticket(case.conversation_id)
    if now is None or _seen(now) != (_seen(case.ticket) if case.ticket else None):
        raise Overtaken


def _seen(ticket: Ticket) -> tuple[object, ...]:
    """Return the parts of a ticket that an agent changes by taking it: its assignee and its comments."""
    comments = [
        (comment.id, comment.created_at, comment.is_operator) for comment in ticket.in_order
    ]
    return ticket.assignee_id, comments


def _attempt(
    resources: Resources,
    case: Case,
    intended: Action,
    *,
    reserve: Callable[[Action], None],
    post: Callable[[], str | None],
    again: bool,
) -> State:
    """Reserve a reply and make its only attempt."""
    if again:
        # The ledger row exists and covers this attempt too; the turn's changes may differ now.
        now = clock.now_ms()
        reserve(intended.model_copy(update={"owner": case.owner, "reserved_at": now}))
        return _perform(resources, case, intended, post)
    return resources.ledger.perform_reserved(
        intended,
        owner=case.owner,
        remaining_ms=case.remaining_ms(),
        reserve=reserve,
        send=post,
    )


def _perform(
    resources: Resources, case: Case, action: Action, post: Callable[[], str | None]
) -> State:
    return resources.ledger.perform(
        action,
        owner=case.owner,
        remaining_ms=case.remaining_ms(),
        send=post,
        evidence=lambda action_in_doubt: _proving_comment(case, action_in_doubt),
    )


def _proving_comment(case: Case, action: Action) -> str | None:
    """Return the comment that proves an attempt: by an operator, with the same text, made after the reservation."""
    try:
        ticket = case.help_desk.ticket(case.conversation_id) if case.help_desk else None
    except (Permanent, Transient):
        return None  # An unreadable ticket proves nothing; agents check.
    for comment in ticket.comments if ticket else []:
        is_later = (comment.created_at or 0) >= action.reserved_at - clock.SECOND_MS
        if comment.is_operator and is_later and body_hash(comment.text) == action.body_hash:
            return f"comment {comment.id}"
    return None


def body_hash(text: str) -> str:
    """Hash a reply to find it in the help desk's copy, which may have other markup and spacing."""
    # All whitespace is removed: converting addresses to links adds some.
    return hashlib.sha256("".join(plain(text).split()).encode("utf-8", "surrogatepass")).hexdigest()


def _intended(case: Case, decision: Decision, reply: Reply, text: str) -> Action:
    return Action.model_validate(
        Action.facts_of(case.event)
        | {
            "action_id": reservations.action_id(case),
            "channel": str(case.channel),
            "on_doubt": OnDoubt.AT_MOST_ONCE,
            "body_hash": body_hash(text),
            "payload_sha256": body_hash(text),
            "payload_bytes": len(text.encode()),
            "intent": str(decision.intent),
            "template": reply.template,
            "tags_when_sent": list(reply.tags_when_sent),
        }
    )
