"""Sends messages of human agents and fixed texts, with the same turn engine and send policy as AI messages."""

from conversations.configuration.resources import Run
from conversations.dialogue import reply
from conversations.dialogue.context import DialogueDependencies
from conversations.lifecycle import conversation
from conversations.lifecycle.conversation import OpenConversation
from conversations.lifecycle.records import commands
from conversations.lifecycle.records.commands import HumanMessage, Notice, Resume
from conversations.outbound.results import Ended
from conversations.outbound.turns import engine
from conversations.outbound.turns.plan import Outcome, Plan
from conversations.store import messages
from conversations.store.items import identifiers
from conversations.store.items.conversation import Role
from conversations.store.items.log import Mode
from conversations.store.items.turn import TurnKind
from shared.ai.spending.senders import sender_hash


def say(deps: DialogueDependencies, command: HumanMessage, run: Run) -> Outcome | None:
    """Send a human agent's message unless it was sent. It answers all customer messages up to now."""
    opened = conversation.load(deps.resources, command.ref)
    finished = engine.resume(deps.turns, opened, run)
    opened = conversation.load(deps.resources, command.ref)
    turn_id = f"human:{command.cause}"
    if _was_tried(deps, opened, turn_id):
        return finished
    newest = _newest_of_customer(deps, opened)
    plan = Plan(
        turn_id=turn_id,
        kind=TurnKind.HUMAN,
        up_to=newest,
        author=f"human:{command.agent_id}",
        at_ms=run.sent_at_ms,
    )
    outcome = engine.take(
        deps.turns, opened, plan, run, lambda: deps.writer.of_person(opened, command)
    )
    if outcome.ended is Ended.SENT:
        company = opened.company.company_id
        deps.spending.remember(company, sender_hash(company, opened.customer))
    return outcome


def give_notice(deps: DialogueDependencies, command: Notice, run: Run) -> Outcome | None:
    """Send a fixed text if the project defines it, unless it was sent."""
    opened = conversation.load(deps.resources, command.ref)
    finished = engine.resume(deps.turns, opened, run)
    opened = conversation.load(deps.resources, command.ref)
    turn_id = f"notice:{command.notice}:{command.cause}"
    if _was_tried(deps, opened, turn_id):
        return finished
    is_confirmation = command.notice == "opt_out_confirmation"
    kind = TurnKind.OPT_OUT_CONFIRMATION if is_confirmation else TurnKind.NOTICE
    plan = Plan(turn_id=turn_id, kind=kind, author="system", at_ms=run.sent_at_ms)
    return engine.take(
        deps.turns, opened, plan, run, lambda: deps.writer.notice(opened, command.notice, turn_id)
    )


def resume_answering(deps: DialogueDependencies, command: Resume, run: Run) -> None:
    """Request a deferred answer again now that it is due, once per record: it may be deferred again at once."""
    opened = conversation.load(deps.resources, command.ref)
    newest = reply.has_pending(deps, opened)
    if newest is not None and opened.state.mode is Mode.AI:
        commands.ask_for_reply(
            deps.resources,
            opened.ref,
            newest,
            "again",
            run.owner,
            waiting_since=command.waiting_since,
        )


def _was_tried(deps: DialogueDependencies, opened: OpenConversation, turn_id: str) -> bool:
    """Whether a turn that is no longer current has a ledger action: its record was delivered twice; nothing to do."""
    turn = opened.state.turn
    if turn is not None and turn.turn_id == turn_id:
        return False
    return deps.resources.ledger.action(identifiers.action_id(opened.ref, turn_id)) is not None


def _newest_of_customer(deps: DialogueDependencies, opened: OpenConversation) -> str | None:
    after = messages.after(deps.resources.log, opened.ref, opened.state.answered_up_to)
    keys = [m.sk(m.message_timestamp, m.entry_id) for m in after if m.role is Role.USER]
    return keys[-1] if keys else None
