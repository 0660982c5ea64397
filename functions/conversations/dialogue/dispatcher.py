"""
Dispatches each record of a channel's or the agents' queue to its use case.

Most records are first messages. The code of agents' actions and late results is loaded by the first of them.
"""

from conversations.configuration.resources import Run
from conversations.dialogue import first_message
from conversations.dialogue.context import DialogueDependencies
from conversations.initiation.context_object import ContextObject
from conversations.lifecycle import conversation, retention
from conversations.lifecycle.conversation import OpenConversation
from conversations.lifecycle.records.commands import (
    AskSatisfaction,
    Close,
    FetchFiles,
    FollowUp,
    HumanMessage,
    Lengthen,
    Notice,
    Record,
    Release,
    Resolve,
    Resume,
    Shadow,
)
from conversations.lifecycle.status import NEVER_SENT, Status
from conversations.outbound.results import Ended
from conversations.outbound.turns.plan import Outcome
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.log import Mode
from conversations.store.items.parts.due import DueKind
from conversations.store.recovery import due
from shared.runtime.failures import Permanent


def work(
    deps: DialogueDependencies, record: Record, channel: ChannelMethod | None, run: Run
) -> Outcome | None:
    """
    Handle one record of the queue of a *channel*, None for the queue of agents.

    Raises Permanent if it can never succeed, Transient if it is to be retried.
    """
    if isinstance(record, ContextObject):
        return first_message.begin(deps, record, _of_processor(channel), run)
    opened = conversation.load(deps.resources, record.ref)
    of_conversation = opened.conversation.channel_method
    if channel is not None and of_conversation is not channel:
        raise Permanent("wrong_queue")
    outcome: Outcome | None = None
    match record:
        case Resume():
            outcome = _resume(deps, record, run)
        case Resolve():
            outcome = _resolve(deps, record, run)
        case HumanMessage():
            from conversations.dialogue.agents import agent_message  # noqa: PLC0415 - see the docstring of the module

            outcome = agent_message.say(deps, record, run)
        case Release():
            from conversations.dialogue.agents import release  # noqa: PLC0415 - as above

            outcome = release.release(deps, record, run)
        case Notice():
            from conversations.dialogue.agents import agent_message  # noqa: PLC0415 - as above

            outcome = agent_message.give_notice(deps, record, run)
        case FollowUp() | AskSatisfaction():
            outcome = _write_unasked(deps, opened, record, run)
        case Lengthen() | Close() | FetchFiles() | Shadow():
            _maintain(deps, opened, record, run)
    return outcome


def _write_unasked(
    deps: DialogueDependencies,
    opened: OpenConversation,
    record: FollowUp | AskSatisfaction,
    run: Run,
) -> Outcome | None:
    """Handle a record for which neither the customer nor an agent has asked."""
    if isinstance(record, FollowUp):
        from conversations.dialogue.due_work import follow_up  # noqa: PLC0415 - as above

        return follow_up.send(deps, opened, record, run)
    from conversations.dialogue.due_work import satisfaction  # noqa: PLC0415 - as above

    return satisfaction.ask(deps, opened, record, run)


def _maintain(
    deps: DialogueDependencies,
    opened: OpenConversation,
    record: Lengthen | Close | FetchFiles | Shadow,
    run: Run,
) -> None:
    """Handle a record that sends nothing."""
    match record:
        case Lengthen():
            channel = opened.conversation.channel_method
            retention.lengthen(deps.resources, record, channel, run)
        case Close():
            from conversations.lifecycle import inactivity  # noqa: PLC0415 - as above

            inactivity.close(deps.resources, opened)
        case Shadow():
            from conversations.dialogues import shadow  # noqa: PLC0415 - as above

            of_trials = shadow.ShadowDependencies(
                resources=deps.resources,
                spending=deps.writer.spending.table,
                model_deps=deps.writer.model_deps,
                documents=deps.writer.documents,
            )
            shadow.write(of_trials, opened, record, run)
        case FetchFiles():
            pass  # Of an earlier release: the sweep hands the files of its due item to their own queue.


def _of_processor(channel: ChannelMethod | None) -> ChannelMethod:
    if channel is None:
        raise Permanent("wrong_queue")
    return channel


def _resolve(deps: DialogueDependencies, record: Resolve, run: Run) -> Outcome | None:
    """Resolve an unknown send, then give the model results of functions released while it was unresolved."""
    from conversations.dialogue.agents import function_approval  # noqa: PLC0415 - as above
    from conversations.dialogue.due_work import reconciliation  # noqa: PLC0415 - as above

    outcome = reconciliation.settle(deps, record, run)
    if outcome is not None and outcome.ended is Ended.LATER:
        return outcome
    return (
        function_approval.report_results(deps, conversation.load(deps.resources, record.ref), run)
        or outcome
    )


def _resume(deps: DialogueDependencies, record: Resume, run: Run) -> Outcome | None:
    """Retry a deferred first message or answer. Removes its due marker first; another deferral writes a new one."""
    opened = conversation.load(deps.resources, record.ref)
    outcome = None
    status = Status(opened.conversation.conversation_status)
    due.done(
        deps.resources.log, record.ref, DueKind.RESUME
    )  # Deleted first: another deferral writes it again.
    if status in NEVER_SENT and opened.state.mode is Mode.AI:
        outcome = first_message.go_on(deps, opened, run)
    else:
        from conversations.dialogue.agents import agent_message, function_approval  # noqa: PLC0415 - as above

        outcome = function_approval.report_results(deps, opened, run)
        if outcome is None:
            agent_message.resume_answering(deps, record, run)
    return outcome
