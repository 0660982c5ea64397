"""
Sends one answer for a burst of messages.

Every message has a trigger, which is due after a wait (`lifecycle.burst_wait`). A trigger that finds a newer message
leaves the answer to that message's trigger, unless the oldest message has waited too long; the trigger of the newest
message always answers. So no lock is needed. The triggers of a conversation are handled in order: one that is not due
yet holds the later ones back, which are answered together with it.
"""

from dataclasses import replace

from conversations.ai.config import BuiltIn
from conversations.configuration.resources import Resources, Run
from conversations.dialogue import shadow_request, trial_version, turn_limit
from conversations.dialogue.context import DialogueDependencies
from conversations.lifecycle import conversation
from conversations.lifecycle.conversation import OpenConversation, addresses_of
from conversations.lifecycle.records.reply_trigger import ReplyTrigger
from conversations.lifecycle.status import Status
from conversations.lifecycle.transitions import finish_move
from conversations.outbound.compose.texts import fixed_texts, opening_times
from conversations.outbound.policy import newer_messages
from conversations.outbound.policy.gate import end_of, send_request_of
from conversations.outbound.policy.newer_messages import Unanswered
from conversations.outbound.providers import receipts
from conversations.outbound.results import End, Ended, Noted
from conversations.outbound.turns import deferral, engine, transmission, wait_receipt
from conversations.outbound.turns.plan import Outcome, Plan
from conversations.store import messages, states
from conversations.store.items import identifiers
from conversations.store.items.conversation import Role
from conversations.store.items.log import Message, Mode
from conversations.store.items.parts.state import State
from conversations.store.items.turn import TurnKind
from shared.policy.facts import Allowed, TemplateOnly
from shared.providers.action_ledger import State as Sending
from shared.runtime import clock
from shared.runtime.failures import NotDue

MAX_WAIT_MS = 45 * clock.SECOND_MS
OUTSIDE_HOURS = "outside_hours"


def answer(
    deps: DialogueDependencies, trigger: ReplyTrigger, run: Run, *, max_wait_ms: int = MAX_WAIT_MS
) -> Outcome | None:
    """
    Answer the customer's unanswered messages; None if the trigger of a newer message does.

    Raises Permanent, Transient, and NotDue while the customer may still write more.
    """
    resources = deps.resources
    state = states.read(resources.log, trigger.ref)
    if state is not None and _is_left_to_newer(resources, state, trigger, max_wait_ms):
        return None
    if state is not None:
        _wait(deps, state, trigger)
    opened = conversation.load(resources, trigger.ref, state)
    finished = engine.resume(deps.turns, opened, run)
    if finished is not None:
        if finished.ended is Ended.LATER:
            return finished
        opened = conversation.load(resources, trigger.ref)
    if opened.state.mode is not Mode.AI:
        # Completes the steps that a worker left undone when it died after the end of this turn.
        opened = finish_move(resources, opened)
        send_handoff_notice(deps, opened)
        of_message = f"{identifiers.REPLY}{trigger.message_sk}"
        _confirm_opt_out(deps, opened, _turn_id(deps, opened, of_message))
        return finished
    unanswered = _unanswered(deps, opened)
    pending = unanswered.asking
    if not pending or trigger.message_sk <= (opened.state.answered_up_to or ""):
        return finished
    if not _is_due(pending, trigger, max_wait_ms):
        return None
    of_message = f"{identifiers.REPLY}{pending[-1].own_sk}"
    turn_id = _turn_id(deps, opened, of_message)
    if (
        turn_id == of_message
    ):  # After a killed turn the next one answers its messages and newer ones.
        once_in = f"{identifiers.REPLY}{opened.state.answered_up_to or ''}"
        unanswered = replace(unanswered, calls_once_in=once_in)
    since = trigger.waiting_since
    since_ms = clock.from_text(since) if since else run.sent_at_ms
    return _answer(deps, opened, unanswered, turn_id, run, since_ms=since_ms)


def go_on(
    deps: DialogueDependencies, opened: OpenConversation, turn_id: str, run: Run
) -> Outcome | None:
    """Run a turn that an agent's action started, not a message; it also answers pending customer messages."""
    turn = opened.state.turn
    is_under_way = turn is not None and turn.turn_id == turn_id
    action_id = identifiers.action_id(opened.ref, turn_id)
    if not is_under_way and transmission.was_tried(deps.resources, action_id):
        return None
    # An agent has acted: the turn goes before turns of new messages, however long it waits.
    since_ms = clock.now_ms() - turn_limit.OLDER_MS
    return _answer(deps, opened, _unanswered(deps, opened), turn_id, run, since_ms=since_ms)


def _wait(deps: DialogueDependencies, state: State, trigger: ReplyTrigger) -> None:
    """Raise NotDue while the customer may still write more; they see meanwhile that an answer follows."""
    if trigger.shows_typing and _seconds_left(trigger):
        wait_receipt.show(deps.turns, trigger.ref, state, trigger.message_sk)
    if seconds := _seconds_left(trigger):
        raise NotDue(seconds * clock.SECOND_MS)


def _seconds_left(trigger: ReplyTrigger) -> int:
    """Return the seconds until a trigger is due: whole ones, as queues hide messages, and never too many."""
    if trigger.due_at is None:
        return 0
    return max(0, clock.from_text(trigger.due_at) - clock.now_ms()) // clock.SECOND_MS


def _answer(
    deps: DialogueDependencies,
    opened: OpenConversation,
    unanswered: Unanswered,
    turn_id: str,
    run: Run,
    *,
    since_ms: int,
) -> Outcome:
    opened = trial_version.given(deps, opened)
    outcome = _run_turn(deps, opened, unanswered, turn_id, run, since_ms=since_ms)
    if outcome.ended is not Ended.LATER:
        opened = conversation.load(deps.resources, opened.ref)
        send_handoff_notice(deps, opened)
        _confirm_opt_out(deps, opened, turn_id)
        shadow_request.ask(deps.resources, opened, unanswered, turn_id, outcome)
    if outcome.ended is Ended.SENT:
        deps.writer.remember(opened, turn_id, run)
    return outcome


def _turn_id(deps: DialogueDependencies, opened: OpenConversation, of_message: str) -> str:
    """
    Return the id of the turn that answers a message: a new one per attempt after a hand-back.

    A ledger action that is failed or unknown stays so: sending again needs a new turn id.
    """
    if opened.state.generation == 0:
        return of_message  # Only the model has handled the conversation.
    turn_id, attempt = of_message, 1
    while _is_failed_or_unknown(deps, opened, turn_id):
        attempt += 1
        turn_id = f"{of_message}{identifiers.ATTEMPT}{attempt}"
    return turn_id


def _is_failed_or_unknown(
    deps: DialogueDependencies, opened: OpenConversation, turn_id: str
) -> bool:
    action = deps.resources.ledger.action(identifiers.action_id(opened.ref, turn_id))
    return action is not None and action.state in {Sending.FAILED, Sending.UNKNOWN}


def _run_turn(
    deps: DialogueDependencies,
    opened: OpenConversation,
    unanswered: Unanswered,
    turn_id: str,
    run: Run,
    *,
    since_ms: int,
) -> Outcome:
    newest, read_until = unanswered.up_to, unanswered.read_until
    request = send_request_of(opened, TurnKind.REPLY, turn_id)
    decision = deps.policy_gate.decide(opened, request)
    if isinstance(decision, TemplateOnly) and _reengagement(opened):
        template_turn = _turn_id(deps, opened, f"reengage:{newest or turn_id}")
        plan = Plan(
            turn_id=template_turn,
            kind=TurnKind.REENGAGEMENT,
            up_to=newest,
            author="system",
            read_until=read_until,
        )
        return engine.take(
            deps.turns, opened, plan, run, lambda: deps.writer.reengagement(opened, template_turn)
        )
    if not isinstance(decision, Allowed):
        end = end_of(decision, request)
        if _has_opted_out_in_turn(
            deps, opened, turn_id
        ):  # The worker died before it recorded the opt-out.
            end = replace(end, noted=Noted([BuiltIn.OPT_OUT], {}))
        deferral.apply_refusal(deps.resources, opened, end, turn_id)
        return Outcome(Ended.REFUSED, None, end.reason)
    if _is_left_to_people(opened, unanswered):
        end = End(reason=OUTSIDE_HOURS, status=Status.HANDOFF_PENDING)
        deferral.apply_refusal(deps.resources, opened, end, turn_id)
        return Outcome(Ended.REFUSED, None, end.reason)
    plan = Plan(turn_id=turn_id, kind=TurnKind.REPLY, up_to=newest, read_until=read_until)
    with turn_limit.slot(deps.resources, opened, run, since_ms) as is_free:
        if not is_free:
            return turn_limit.postpone(deps.resources, opened, turn_id, run, since_ms)
        return engine.take(
            deps.turns,
            opened,
            plan,
            run,
            lambda: _written(deps, opened, unanswered, turn_id, run),
        )


def _written(
    deps: DialogueDependencies,
    opened: OpenConversation,
    unanswered: Unanswered,
    turn_id: str,
    run: Run,
) -> Message | None:
    """Compose the answer. The customer sees that it is being written: once, not again when a retry writes it."""
    if run.attempt == 1 and unanswered.asking:
        receipts.show_typing(deps.turns.gateway, opened, unanswered.asking[-1])
    return deps.writer.answer(opened, unanswered, turn_id, run)


def _is_left_to_people(opened: OpenConversation, unanswered: Unanswered) -> bool:
    """Whether people answer once they are back: not what an agent has handed back to the model."""
    hours, asking = opened.company.opening_hours, unanswered.asking
    if hours is None or hours.outside != "hand_off" or not asking:
        return False
    is_news = asking[-1].message_timestamp > (opened.state.handed_back_at or "")
    return is_news and opening_times.is_closed(opened.company)


def send_handoff_notice(deps: DialogueDependencies, opened: OpenConversation) -> None:
    """Send the hand-off notice once per hand-off, unless the model's last message announced the hand-off."""
    if opened.conversation.conversation_status != Status.HANDOFF_PENDING:
        return
    if not opened.conversation.task_complete and opened.state.last_inbound_at is None:
        return  # A first message in doubt: the customer may have received nothing.
    if not fixed_texts.has_hand_off_notice(opened):
        return
    newest = messages.newest(deps.resources.log, opened.ref, 1)
    last = newest[-1] if newest else None
    is_announced = last and last.role is Role.ASSISTANT and last.hand_off_reason
    # The customer may have opted out: until an agent has decided, nothing is sent.
    may_be_over = last and last.proposal and last.proposal.name == BuiltIn.OPT_OUT
    if not (is_announced or may_be_over):
        from conversations.lifecycle.records import commands  # noqa: PLC0415 - few answers need a notice

        commands.send_notice(deps.resources, opened, "handoff", str(opened.state.generation))


def _confirm_opt_out(deps: DialogueDependencies, opened: OpenConversation, turn_id: str) -> None:
    """Confirm an opt-out that the model detected in this turn; others are confirmed by the code that records them."""
    if opened.conversation.conversation_status != Status.OPTED_OUT:
        return
    if _has_opted_out_in_turn(deps, opened, turn_id):
        from conversations.lifecycle.records import commands  # noqa: PLC0415 - few answers need a notice

        cause = identifiers.action_id(opened.ref, turn_id)
        commands.send_notice(deps.resources, opened, "opt_out_confirmation", cause)


def _has_opted_out_in_turn(
    deps: DialogueDependencies, opened: OpenConversation, turn_id: str
) -> bool:
    """Whether the customer's current consent record is an opt-out that the model detected in this turn."""
    channel = opened.conversation.channel_method
    customer_addresses = addresses_of(opened)
    standing = deps.policy_gate.consents.standing(
        opened.company.company_id, customer_addresses, channel
    )
    evidence = standing.newest.evidence if standing.newest else None
    return evidence == identifiers.action_id(opened.ref, turn_id)


def has_pending(deps: DialogueDependencies, opened: OpenConversation) -> Message | None:
    """Return the newest unanswered customer message, or None."""
    pending = _unanswered(deps, opened).asking
    return pending[-1] if pending else None


def _unanswered(deps: DialogueDependencies, opened: OpenConversation) -> Unanswered:
    after = messages.after(deps.resources.log, opened.ref, opened.state.answered_up_to)
    asking = [message for message in after if message.needs_answer]
    return Unanswered(asking, newer_messages.read_until(opened, after))


def _is_left_to_newer(
    resources: Resources, state: State, trigger: ReplyTrigger, max_wait_ms: int
) -> bool:
    """Return whether the trigger of a newer message answers. Reads the log only if there may be a newer message."""
    newest_inbound = f"{Message.first_sk}{state.last_inbound_at or ''}"
    if state.mode is not Mode.AI or state.turn is not None or newest_inbound < trigger.message_sk:
        return False
    after = messages.after(resources.log, trigger.ref, state.answered_up_to)
    asking = [message for message in after if message.needs_answer]
    return bool(asking) and not _is_due(asking, trigger, max_wait_ms)


def _is_due(pending: list[Message], trigger: ReplyTrigger, max_wait_ms: int) -> bool:
    if pending[-1].own_sk <= trigger.message_sk:
        return True
    waits_ms = clock.now_ms() - clock.from_text(pending[0].message_timestamp)
    return waits_ms >= max_wait_ms


def _reengagement(opened: OpenConversation) -> bool:
    whatsapp = opened.company.channel_config.whatsapp
    return whatsapp is not None and whatsapp.reengagement_template is not None
