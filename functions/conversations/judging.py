"""
People say what became of a message whose outcome nobody knew.

The message is changed first, and only from `unknown`: of two people, or a late callback, one is right. What then
follows in the ledger and the conversation may be repeated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations import agents, references, settling
from conversations.falling_back import fall_back
from conversations.items.log import Delivery, Message, Stage, Turn, TurnKind
from conversations.lifecycle import Status
from conversations.moving import Cause, move
from conversations.office import NotFound
from conversations.opened import Opened, Speaking
from conversations.records import HumanMessage
from conversations.store import messages, states
from conversations.turns import SEND_IN_DOUBT
from conversations.views import ResolvedView

if TYPE_CHECKING:
    from conversations.inputs import ResolveInput
    from conversations.office import Agent
    from conversations.resources import Resources

# What a message says whose turn was given up in doubt; of a first one it is the conversation's reason, too.
DOUBTS = frozenset({SEND_IN_DOUBT, "unknown"})
_KINDS = {"initial": TurnKind.INITIAL, "reply": TurnKind.REPLY, "human": TurnKind.HUMAN}


class NotUnknown(Exception):
    """What became of the message is known, or being found out."""


def resolve(here: Resources, opened: Opened, agent: Agent, given: ResolveInput) -> ResolvedView:
    """
    Write what a person knows of a message: it arrived, it did not, or it is to be said again, in their name.

    Raises NotFound, NotUnknown; for what is said again also NotOpen and AlreadyTaken.
    """
    message = messages.find(here.log, opened.ref, given.entry_id)
    if message is None or message.turn_id is None:
        raise NotFound("entry_id: there is no such message")
    resent_as = None
    if given.outcome == "resend":
        agents.check_may_write(opened, agent)
    known = _judged(here, opened, agent, given.outcome, message)
    action_id = references.action_id(opened.ref, message.turn_id)
    here.ledger.confirm(
        action_id,
        failed=known.delivery_status is Delivery.FAILED,
        message_pk=f"{opened.ref}#{_sk(message)}",
        company=opened.company.company_id,
    )
    if given.outcome == "sent":
        _settle(here, opened, agent, known, action_id)
    elif given.outcome == "not_sent" and _is_failed_first(opened, known):
        fall_back(here, opened)  # Now it is final.
    elif given.outcome == "resend":
        resent_as = agents.say(here, opened, agent, _again(opened, agent, known)).entry_id
    return ResolvedView(
        ref=opened.ref,
        entry_id=given.entry_id,
        delivery_status=known.delivery_status or "",
        resent_as=resent_as,
    )


def _judged(
    here: Resources, opened: Opened, agent: Agent, outcome: str, message: Message
) -> Message:
    """The message as it is now known. Raises NotUnknown unless this very call, or one that says the same, was here."""
    if outcome == "sent":
        facts = Message.named(delivery_status=Delivery.SENT)
    else:
        # The mark tells a repetition of this call, which goes on, from a second wish to say it again.
        mark = f"resent:{agent.cause[:16]}" if outcome == "resend" else outcome
        facts = Message.named(delivery_status=Delivery.FAILED, error_code=mark)
    sk = _sk(message)
    known = messages.update(here.log, opened.ref, sk, facts, only_from=[Delivery.UNKNOWN])
    if known is not None:
        return known
    again = messages.get(here.log, opened.ref, sk)
    if again is not None:
        if outcome == "sent" and again.delivery_status in agents.REACHED:
            return again
        if outcome != "sent" and facts == Message.named(
            delivery_status=again.delivery_status, error_code=again.error_code
        ):
            return again
    raise NotUnknown("what became of the message is known, or being found out")


def _settle(
    here: Resources, opened: Opened, agent: Agent, message: Message, action_id: str
) -> None:
    """
    Finish the turn that was given up: the message is in the conversation's window, and a first one has begun it.

    As long as the message says that it is in doubt, this was not done, whoever has found out that it arrived.
    """
    if message.error_code not in DOUBTS:
        return
    kind = _KINDS.get((message.turn_id or "").partition(":")[0], TurnKind.SYSTEM)
    if _is_failed_first(opened, message) or _is_begun_again(opened, message):
        who = f"human:{agent.id_in(opened.state)}"
        cause = Cause(who=who, what=f"resolve:{agent.cause}", reason="sent")
        opened = move(here, opened, Status.PROCESSING, cause)
    turn = Turn(
        turn_id=message.turn_id or "",
        kind=kind,
        up_to=(message.turn_id or "").partition(":")[2] if kind is TurnKind.REPLY else None,
        message_sk=_sk(message),
        generation=opened.state.generation,
        stage=Stage.SENDING,
        owner=agent.cause,
        lease_until=0,
    )
    speaking = Speaking(opened=opened, turn=turn, message=message, action_id=action_id)
    settling.finish(here, speaking)
    if (opened.state.last_outbound_at or "") < message.message_timestamp:
        states.note(here.log, opened.ref, last_outbound_at=message.message_timestamp)
    messages.update(here.log, opened.ref, _sk(message), {}, drop=["error_code"])


def _is_failed_first(opened: Opened, message: Message) -> bool:
    return _is_first(message) and opened.conversation.conversation_status == Status.FAILED


def _is_begun_again(opened: Opened, message: Message) -> bool:
    """Whether a call before this one has died on the way: nothing else leaves a first message in doubt there."""
    return _is_first(message) and opened.conversation.conversation_status == Status.PROCESSING


def _is_first(message: Message) -> bool:
    return (message.turn_id or "").startswith("initial")


def _again(opened: Opened, agent: Agent, message: Message) -> HumanMessage:
    is_template = message.template is not None
    return HumanMessage(
        ref=opened.ref,
        cause=agent.cause,
        agent_id=agent.id_in(opened.state),
        text=None if is_template else message.content,
        template=message.template,
        variables=(message.variables or {}) if is_template else {},
    )


def _sk(message: Message) -> str:
    return message.sk(message.message_timestamp, message.entry_id)
