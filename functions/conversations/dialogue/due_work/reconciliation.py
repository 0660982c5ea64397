"""Resolves sends of unknown outcome from the available evidence when they are due."""

from conversations.configuration.resources import Run
from conversations.dialogue.context import DialogueDependencies
from conversations.dialogue.reply import has_pending, send_handoff_notice
from conversations.lifecycle import conversation
from conversations.lifecycle.records.commands import Resolve, ask_for_reply
from conversations.outbound.results import Ended
from conversations.outbound.turns import engine
from conversations.outbound.turns.plan import Outcome
from conversations.store.items.log import Mode
from conversations.store.items.parts.due import DueKind
from conversations.store.recovery import due


def settle(deps: DialogueDependencies, command: Resolve, run: Run) -> Outcome | None:
    """Finish a turn of unknown outcome, then request an answer to later customer messages. Raises Transient."""
    resources = deps.resources
    opened = conversation.load(resources, command.ref)
    outcome = engine.resume(deps.turns, opened, run)
    if outcome is not None and outcome.ended is Ended.LATER:
        return outcome
    due.done(resources.log, command.ref, DueKind.IN_DOUBT)
    opened = conversation.load(resources, command.ref)
    send_handoff_notice(deps, opened)
    newest = has_pending(deps, opened)
    if newest is not None and opened.state.mode is Mode.AI:
        ask_for_reply(resources, command.ref, newest, "settled")
    return outcome
