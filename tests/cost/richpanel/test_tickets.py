"""The costs of a help-desk event, compared with the written figures: no write may grow with the ticket."""

from __future__ import annotations

from decimal import Decimal
from uuid import UUID

import pytest
from boto3.dynamodb.types import TypeSerializer

from richpanel.classification.taxonomy import Intent, Team
from richpanel.decisions.facts import NEED_ORDER_NUMBER
from richpanel.decisions.templates.catalogue import ASK_ORDER_NUMBER
from richpanel.store.items import AutoReply, ConversationState, PendingFlow, ReservedReply
from richpanel.worker.sending.reservations import MOST_TIMES
from shared.identity.contacts.items import ID_CHARACTERS
from tests.cost.richpanel.tickets import (
    KINDS,
    LENGTHS,
    WRITTEN_DOWN,
    Kind,
    Table,
    differences,
    markdown,
    measure,
)
from tests.cost.units import capacity
from tests.simulation.kernel import running
from tests.simulation.richpanel.system import System

ACTIONS = {
    "routed only": 0,
    "of a new person": 0,
    "flagged, assigned": 2,
    "asked for the number": 1,
    "answered with the order": 1,
    "asked, assigned": 2,
    "answered and closed": 2,
    "the same again": 0,
}


@pytest.fixture(scope="module")
def measured() -> Table:
    with running(System) as system:
        return measure(system, LENGTHS)


@pytest.mark.long
def test_an_event_costs_the_written_figures_at_any_length_of_its_ticket(measured: Table) -> None:
    assert list(measured) == [1, 10, 100]
    assert all(table.keys() == WRITTEN_DOWN.keys() for table in measured.values())
    assert differences(measured) == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_routing_costs_five_units_each_action_three_more_a_look_up_two_and_a_contact_one(
    kind: Kind,
) -> None:
    """
    To raise a flag is an action of one unit. A look-up of an order is counted against the bounds of outsiders. A new
    contact costs four more.
    """
    look_up = 2 if kind.name.startswith(("asked", "answered")) else 0
    assert kind.figures.route <= 5
    assert kind.figures.actions <= 3 * ACTIONS[kind.name] + look_up
    assert kind.figures.contact <= (5 if kind.name == "of a new person" else 1)


@pytest.mark.parametrize("name", WRITTEN_DOWN)
def test_an_event_writes_one_log_line_and_at_most_1_2_kilobytes(name: str) -> None:
    """In addition, each run of a function, of the webhook and of the worker, writes one line of metrics."""
    assert WRITTEN_DOWN[name].log_lines == 1
    assert WRITTEN_DOWN[name].metric_lines == 2
    assert WRITTEN_DOWN[name].log_bytes <= 1_200


@pytest.mark.parametrize("name", WRITTEN_DOWN)
def test_an_event_makes_three_requests_to_its_queue(name: str) -> None:
    """One sends it; since the worker receives one at a time, one receives and one deletes it."""
    assert WRITTEN_DOWN[name].sqs == 3


@pytest.mark.long
def test_the_table_has_a_row_for_each_kind(measured: Table) -> None:
    lines = markdown(measured).splitlines()

    assert "| routed only | 5 | 0 | 4 | 2 | 1 | 8 | 12 | 37 | 2 | 19 | 3 | 1 | 2 |" in "\n".join(
        lines
    )
    assert len([line for line in lines if line.startswith("|")]) == len(KINDS) + 2


def test_the_state_of_an_answered_ticket_is_one_unit_with_ids_as_long_as_uuids() -> None:
    """The state includes the reservation of the reply and the contact; the team is the standard one of the intent."""
    moment, ident = "2026-01-01T13:00:00.000Z", str(UUID(int=1))
    flow = PendingFlow(type=NEED_ORDER_NUMBER, requested_at=moment, attempts=2)
    state = ConversationState(
        conversation_id=ident,
        updated_at=moment,
        expires_at=1_775_048_400,
        version=12,
        last_processed_at=moment,
        last_processed_message_id=ident,
        last_processed_message_at=moment,
        last_routed_team=Team.EMAIL,
        last_routing_confidence=0.9812,
        last_intent=Intent.ORDER_STATUS_TRACKING,
        pending_flow=flow,
        last_auto_reply=AutoReply(type=NEED_ORDER_NUMBER, sent_at=moment, source_message_id=ident),
        auto_reply_times=[moment] * MOST_TIMES,
        contact_id="c" * ID_CHARACTERS,
        reserved_reply=ReservedReply(
            source_message_id=ident,
            owner="0" * 16,
            reserved_at=1_767_272_400_000,
            deadline=1_767_272_520_000,
            body_hash="0" * 64,
            payload_bytes=1_000,
            template=ASK_ORDER_NUMBER,
            pending_flow=flow,
        ),
    )
    stored = state.attributes() | {"last_routing_confidence": Decimal("0.9812")}
    item = {name: TypeSerializer().serialize(value) for name, value in stored.items()}

    assert capacity.write_units(None, item) == 1
