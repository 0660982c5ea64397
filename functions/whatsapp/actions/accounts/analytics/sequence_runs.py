"""
Sends the steps of sequences: one job sends one step, and arranges the next.

    run due -> sequence, number and conversation as they are now -> send -> outcome and next step -> job or timer

The action id is made of run and step, so that the ledger sends each once, also after a repetition. A step that the
policy or the provider refuses is noted, and the next one follows in its time; an opt-out ends the run. A step that
could not be tried, because of a rate or an outage, is tried again each minute for an hour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.ai.spending.bounds import Kind
from shared.api.errors import InvalidInput, KeyReused, StillRunning
from shared.aws.sqs_fifo import digest, to_json
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from whatsapp import store, transmission
from whatsapp.inbound.event import Outcome
from whatsapp.jobs import sequence_steps
from whatsapp.sending import failures, messages, payloads
from whatsapp.sending.drafts import UsedTemplate
from whatsapp.store.sending import sequences
from whatsapp.worker import costs

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.ai.spending.budget import Spending
    from whatsapp.actions.calls.call import ActionResources
    from whatsapp.inbound.event import Event
    from whatsapp.sending.drafts import Draft
    from whatsapp.store.items import Conversation, Phone
    from whatsapp.store.items.sending.sequences import Sequence, SequenceRun

MOST_TRIES = 60
MINUTE_MS = 60 * clock.SECOND_MS
OPTED_OUT = "opted_out"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """The current step of a run, with the number, conversation and sequence of its message."""

    run: SequenceRun
    sequence: Sequence
    phone: Phone
    conversation: Conversation

    @property
    def draft(self) -> Draft:
        step = self.sequence.steps[self.run.step]
        if "text" in step:
            return payloads.of_text(str(step["text"]))
        used = UsedTemplate(name=str(step["templateName"]), language=str(step["language"]))
        return payloads.of_template(used)

    @property
    def is_immediate(self) -> bool:
        """Whether it and all steps before it have no delay: a second message of the customer is no answer to it."""
        return not any(step["delayMinutes"] for step in self.sequence.steps[: self.run.step + 1])

    @property
    def has_reply(self) -> bool:
        """Whether the customer wrote again after the message that started the run."""
        return (self.conversation.last_inbound_at or "") > self.run.started_at


def handle(
    resources: ActionResources,
    spending: Spending,
    event: Event,
    owner: str,
    remaining_ms: Callable[[], int],
) -> Outcome:
    """Send the step of a run that is due, if there is one; beyond the bounds, the next day. Raises Transient."""
    run = sequences.get_run(resources.table, event.id)
    if run is None or run.phone != event.phone or run.state != "running" or run.due_at is None:
        return Outcome.DUPLICATE  # Also: an id in an event proves no ownership.
    if clock.from_text(run.due_at) > clock.now_ms():
        # An earlier delivery has moved the run, and may have died before it arranged the next step.
        sequence_steps.arrange(resources.table, resources.jobs, run)
        return Outcome.DUPLICATE
    step = _step_of(resources, run)
    if isinstance(step, str):
        sequences.stop(resources.table, run, step)
        return Outcome.PERSISTED
    sender = digest(str(run.company), run.conversation)
    reached = costs.reserve(
        spending,
        Kind.SEQUENCE_MESSAGE,
        step.phone,
        sender=sender,
        event=f"{run.run_id}:{run.step}",
    )
    if reached is not None:
        due_at = clock.to_text(reached.free_at)
        _arrange(resources, sequences.postpone(resources.table, run, due_at))
        return Outcome.PERSISTED
    try:
        outcome = _sent(resources, step, messages.Run(owner=owner, remaining_ms=remaining_ms))
    except (failures.TooFast, failures.ProviderUnavailable, StillRunning, Transient):
        if run.tries < MOST_TRIES:
            due_at = clock.to_text(clock.now_ms() + MINUTE_MS)
            _arrange(resources, sequences.postpone(resources.table, run, due_at))
            return Outcome.PERSISTED
        outcome = "failed:unavailable"
    _go_on(resources, step, outcome)
    return Outcome.PERSISTED


def _step_of(resources: ActionResources, run: SequenceRun) -> _Step | str:
    """Return the current step, or the reason why the run ends before it."""
    phone = store.phones.get(resources.table, run.phone)
    if phone is None or phone.company != run.company or not phone.in_use:
        return "number_not_in_use"
    sequence = sequences.get(resources.table, run.account, run.sequence_name)
    if sequence is None or sequence.company != run.company or not sequence.enabled:
        return "disabled"
    if run.step >= len(sequence.steps):
        return "replaced"
    head = store.heads.get(resources.table, run.conversation)
    if head is not None and head.linked_to is not None:
        head = store.heads.get(resources.table, head.linked_to)
    if head is None:
        return "erased"
    step = _Step(run=run, sequence=sequence, phone=phone, conversation=head)
    if sequence.stop_on_reply and step.has_reply and not step.is_immediate:
        return "replied"
    return step


def _sent(resources: ActionResources, step: _Step, attempt: messages.Run) -> str:
    """Send a step, or find what an earlier run of it sent; return the outcome. Raises failures that pass with time."""
    run = step.run
    order = messages.Order(
        action_id=transmission.action_id(
            resources, "sequence", str(run.company), run.run_id, str(run.step)
        ),
        principal=step.sequence.created_by,
        phone=step.phone,
        conversation=step.conversation,
        # Not the text: a definition that was replaced meanwhile does not make it another message.
        request=to_json([run.sequence_name, run.run_id, run.step]),
        draft=step.draft,
    )
    try:
        sent = messages.earlier(resources, order)
        if sent is None:
            sent = messages.send(resources, resources.gate, order, attempt)
    except failures.PolicyRefused as refusal:
        outcome = f"refused:{refusal.reason}"
    except failures.ProviderRejected as refusal:
        outcome = f"failed:{refusal.code}"
    except failures.TemplateNotSendable:
        outcome = "failed:template_not_sendable"
    except (failures.NotConfigured, failures.NotSupported):
        outcome = "failed:not_configured"
    except (KeyReused, InvalidInput):
        outcome = "failed:invalid"
    except Permanent as fault:
        outcome = f"failed:{fault.reason}"
    else:
        outcome = "sent" if sent.state == "sent" else "in_doubt"
    return outcome


def _go_on(resources: ActionResources, step: _Step, outcome: str) -> None:
    """Note the outcome of a step, and arrange the next one."""
    following = step.run.step + 1
    is_over = outcome == f"refused:{OPTED_OUT}"
    due_at = None
    if not is_over and following < len(step.sequence.steps):
        delay_ms = sequence_steps.delay_ms(step.sequence, following)
        due_at = clock.to_text(clock.now_ms() + delay_ms)
    reason = OPTED_OUT if is_over else None
    _arrange(resources, sequences.advance(resources.table, step.run, outcome, due_at, reason))


def _arrange(resources: ActionResources, run: SequenceRun | None) -> None:
    if run is not None:
        sequence_steps.arrange(resources.table, resources.jobs, run)
