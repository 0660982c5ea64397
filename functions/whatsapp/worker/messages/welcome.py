"""
Starts the sequence of messages to a new customer: once per customer and number, by the first message or by opening the
chat.

    head    the run's id, unless the customer had a sequence
    run     its item, due after the delay of the first step
    step    a job at once, or a timer

All are written on every delivery of the message, because an earlier delivery may have died in between.
"""

from shared.policy import window
from shared.runtime import clock
from whatsapp import store
from whatsapp.configuration.resources import Resources
from whatsapp.inbound.event import correlation_id_of
from whatsapp.jobs import sequence_steps
from whatsapp.store import ordering
from whatsapp.store.conversations.lists import timelines
from whatsapp.store.items import Conversation, Message, Phone
from whatsapp.store.items.sending.sequences import FIRST_MESSAGE, REQUEST_WELCOME, SequenceRun
from whatsapp.store.sending import sequences


def start(resources: Resources, phone: Phone, message: Message, head: Conversation) -> None:
    """
    Start the sequence of a number with a customer's message, which *head* counts, if it is the one to do that.

    Safe to repeat. Raises Transient.
    """
    run_id = correlation_id_of(Message.id_of(message.pk))
    if message.group_id or message.subtype == "system" or head.sequence_run not in {None, run_id}:
        return
    # An older message was waiting for an operator, or is a repetition.
    if not window.is_open(clock.now_ms(), clock.from_text(message.received_at)):
        return
    name = _started_by(resources, phone, message, head)
    sequence = sequences.get(resources.table, phone.waba_meta_id, name) if name else None
    if sequence is None or not sequence.enabled or sequence.company != phone.company:
        return
    if not sequences.claim(resources.table, head.pk, run_id):
        return
    started_at = ordering.moment_of(message.received_at)
    due_ms = clock.from_text(started_at) + sequence_steps.delay_ms(sequence, 0)
    run = sequences.add_run(
        resources.table,
        SequenceRun(
            pk=SequenceRun.key(run_id),
            company=phone.company,
            ttl=clock.expires_in((SequenceRun.ttl_days or 0) * clock.DAY_SECONDS),
            run_id=run_id,
            phone=phone.phone,
            account=phone.waba_meta_id,
            sequence_name=sequence.sequence_name,
            conversation=head.pk,
            started_at=started_at,
            due_at=clock.to_text(due_ms),
        ),
    )
    if run.step == 0:
        sequence_steps.arrange(resources.table, resources.files, run)


def _started_by(
    resources: Resources, phone: Phone, message: Message, head: Conversation
) -> str | None:
    """Return the name of the sequence that a message starts; None if it starts none."""
    names = phone.welcome_sequences or {}
    if message.subtype == REQUEST_WELCOME and REQUEST_WELCOME in names:
        return names[REQUEST_WELCOME]
    name = names.get(FIRST_MESSAGE)
    if name is None or not store.heads.is_first(
        head, ordering.order_key(message.received_at, message.pk)
    ):
        return None
    # Imported messages are not counted, but their customer is not new.
    is_known = timelines.has_inbound_before(
        resources.table, message.conversation_pk, message.received_at
    )
    return None if is_known else name
