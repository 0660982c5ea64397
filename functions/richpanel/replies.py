"""
An automatic reply: its slot in the conversation, its one attempt on the wire, and what is known about it afterwards.

    slot taken (state) --> reserved (ledger) --> help desk took it: sent --> a later read shows it: confirmed
                                  |-- refused ---------> failed; the slot is given back, people take over
                                  |-- certainly not sent, or too busy --> the next delivery tries
                                  `-- in doubt --> deadline over, ticket read: shown there: confirmed, else unknown

Nobody resends what may have arrived: a customer who is answered twice is worse off than one whom a person answers.
"""

import hashlib
from collections.abc import Callable
from typing import Any

from aws_lambda_powertools.metrics import MetricUnit

from richpanel.cases import Case
from richpanel.decisions.catalogue import BodyFormat, render
from richpanel.decisions.outcome import Decision, Reply
from richpanel.event import plain
from richpanel.items import Action, AutoReply, ConversationState, CustomerState
from richpanel.resources import Resources
from richpanel.store import states
from richpanel.store.states import Change
from shared import clock
from shared.delivery import OnDoubt, State
from shared.failures import Permanent, Transient
from shared.observability import metrics

# What was read longer ago is read again before a reply: a person may have answered since.
FRESH_MS = 10 * clock.SECOND_MS
MOST_TIMES = 3  # of a conversation
MOST_CUSTOMER_TIMES = 5


class Overtaken(Transient):
    """Somebody wrote the conversation's state, or in the ticket, since it was decided on: decide anew."""

    def __init__(self) -> None:
        super().__init__("overtaken")
        self.wait_ms = 0


def earlier(here: Resources, case: Case) -> Action | None:
    """The reply of an earlier run of the same event: its outcome stands, whatever is decided now."""
    return here.ledger.action(_action_id(case))


def settle(here: Resources, case: Case, decision: Decision, before: Action | None) -> State:
    """
    Send the reply that was decided on, once; or, with *before*, find out what became of one that is in doubt.

    Raises Overtaken, and Transient where a later delivery has to go on.
    """
    if before is not None:
        # At most once: the ledger asks for evidence, and never calls this.
        return _perform(here, case, before, lambda: None)
    desk, account, reply = case.desk, here.account, decision.reply
    assert desk is not None  # noqa: S101 - for mypy: nothing is sent where may_write is not
    assert reply is not None  # noqa: S101 - for mypy: the caller looked
    if not here.switchboard.current().allow(case.channel, reply.template):
        raise Overtaken
    _look_again(case)
    text = render(
        reply.template,
        reply.variant,
        reply.values,
        signature=account.shop.support_signature,
        first_name=None,
        body_format=BodyFormat.HTML if account.reply_is_html else BodyFormat.TEXT,
    )
    author = account.shop.bot_author_id or ""
    path = account.reply_paths.get(case.channel, "send_message")
    _take_slot(here, case, reply)
    state = _perform(
        here,
        case,
        _intended(case, decision, reply, text),
        lambda: desk.reply(case.conversation_id, text, author, path),
    )
    if state is State.FAILED:
        _free_slot(here, case)
    elif not here.switchboard.current().allow(case.channel, reply.template):
        # Somebody closed a switch while it went out: seconds ago, or else something does not heed the switches.
        metrics.add_metric("SentWhileOff", MetricUnit.Count, 1)
    return state


def _look_again(case: Case) -> None:
    """Read the ticket again where that was a while ago. Raises Overtaken when it says something else now."""
    if clock.now_ms() - case.read_at <= FRESH_MS:
        return
    assert case.desk is not None  # noqa: S101 - for mypy
    now = case.desk.ticket(case.conversation_id)
    seen = [
        (c.id, c.created_at, c.is_operator) for c in (case.ticket.in_order if case.ticket else [])
    ]
    if now is None or [(c.id, c.created_at, c.is_operator) for c in now.in_order] != seen:
        raise Overtaken


def _perform(here: Resources, case: Case, action: Action, post: Callable[[], None]) -> State:
    def send() -> str | None:
        post()
        return None

    return here.ledger.perform(
        action,
        owner=case.owner,
        remaining_ms=case.remaining_ms(),
        send=send,
        evidence=lambda found: _shown(case, found),
    )


def _shown(case: Case, action: Action) -> str | None:
    """The comment that proves an attempt: an operator's, written after it was reserved, with the same words."""
    try:
        ticket = case.desk.ticket(case.conversation_id) if case.desk else None
    except (Permanent, Transient):
        return None  # What nobody can read proves nothing: people look.
    for comment in ticket.comments if ticket else []:
        is_later = (comment.created_at or 0) >= action.reserved_at - clock.SECOND_MS
        if comment.is_operator and is_later and body_hash(comment.text) == action.body_hash:
            return f"comment {comment.id}"
    return None


def body_hash(text: str) -> str:
    """What a reply is recognised by in the help desk's copy, which may be marked up and spaced another way."""
    # Without any blanks: who turns addresses into links puts some in.
    return hashlib.sha256("".join(plain(text).split()).encode("utf-8", "surrogatepass")).hexdigest()


def _action_id(case: Case) -> str:
    return Action.key(Action.REPLY, case.conversation_id, case.target.name)


def _intended(case: Case, decision: Decision, reply: Reply, text: str) -> Action:
    return Action.model_validate(
        facts_of(case)
        | {
            "action_id": _action_id(case),
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


def facts_of(case: Case) -> dict[str, Any]:
    """What every action of an event takes from it."""
    event = case.event
    return {
        "conversation_id": event.conversation_id,
        "source_message_id": event.source_message_id,
        "created_at": event.created_at,
        "last_processed_at": event.last_processed_at,
        "received_at": event.received_at,
        "mode": event.mode,
        "safe_mode": event.safe_mode,
        "automation_enabled": event.automation_enabled,
        "state": State.RESERVED,
        "ttl": clock.expires_in(Action.ttl_seconds),
    }


def _take_slot(here: Resources, case: Case, reply: Reply) -> None:
    """
    Note the reply before it is sent, so that no second one is. Raises Overtaken when the state has moved since.

    Safe to repeat: a slot with this message's id is ours, and keeps its time.
    """
    now = clock.to_text(clock.now_ms())
    name = case.target.name
    version = case.state.version if case.state else 0

    def take(state: ConversationState | None) -> Change | None:
        if state and state.is_slot_of(name):
            known = (case.state.risk_flags if case.state else None) or set()
            if (state.risk_flags or set()) - known:
                raise Overtaken  # by a threat in another lane
            return None
        if (state.version if state else 0) != version:
            raise Overtaken
        times = [*((state and state.auto_reply_times) or []), now][-MOST_TIMES:]
        slot = AutoReply(type=str(reply.type), sent_at=now, source_message_id=name)
        # Nothing else of this turn yet: a redelivery has to decide on the same memory as this run.
        return Change(
            put=ConversationState.named(last_auto_reply=slot.model_dump(), auto_reply_times=times)
        )

    taken = states.change_conversation(here.state, case.conversation_id, take)
    if case.customer is None or taken is None or taken.last_auto_reply is None:
        return
    sent_at = taken.last_auto_reply.sent_at

    def count(customer: CustomerState | None) -> Change | None:
        times = (customer and customer.auto_reply_times) or []
        if sent_at in times:
            return None
        return Change(
            put=CustomerState.named(auto_reply_times=[*times, sent_at][-MOST_CUSTOMER_TIMES:])
        )

    states.change_customer(here.state, case.customer, count)


def give_back(here: Resources, case: Case) -> None:
    """Take back the slot of a reply that was never tried, or that certainly did not go out. Safe to repeat."""
    if case.state and case.state.is_slot_of(case.target.name):
        _free_slot(here, case)


def _free_slot(here: Resources, case: Case) -> None:
    name = case.target.name

    def give(state: ConversationState | None) -> Change | None:
        last = state.last_auto_reply if state else None
        if state is None or last is None or not state.is_slot_of(name):
            return None
        times = [time for time in state.auto_reply_times or [] if time != last.sent_at]
        put = ConversationState.named(auto_reply_times=times) if times else {}
        drop = ("last_auto_reply",) if times else ("last_auto_reply", "auto_reply_times")
        return Change(put=put, drop=drop)

    state = states.conversation(here.state, case.conversation_id)
    if state and state.last_auto_reply and state.is_slot_of(name):
        # The customer's count first: the slot tells whoever comes after us that there is something to take back.
        _uncount(here, case, state.last_auto_reply.sent_at)
    states.change_conversation(here.state, case.conversation_id, give)


def _uncount(here: Resources, case: Case, sent_at: str) -> None:
    def take_off(customer: CustomerState | None) -> Change | None:
        times = (customer and customer.auto_reply_times) or []
        if sent_at not in times:
            return None
        left = [time for time in times if time != sent_at]
        counted = CustomerState.named(auto_reply_times=left)
        return Change(put=counted) if left else Change(drop=("auto_reply_times",))

    if case.customer:
        states.change_customer(here.state, case.customer, take_off)
