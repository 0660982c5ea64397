"""Erasing and exporting a contact: nothing of the person is left, and nothing comes back; a crash changes no count."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from events.whatsapp.payloads import text
from events.whatsapp.sample_data import ADA, COMPANY, COUNTER
from shared.runtime.clock import to_text
from tests.simulation.crashes.disturbances import deaths_in, unlike
from tests.simulation.queues.fifo import DEDUPLICATION_MS
from tests.simulation.whatsapp.event_builders import ada_message, wamid, webhook_of
from tests.simulation.whatsapp.final_state import check_declared
from tests.simulation.whatsapp.privacy.contact_day import WORDS, day, finished, start
from whatsapp import store
from whatsapp.store.conversations.agent_changes import Change
from whatsapp.store.items.accounts.tenants import PaymentOrder
from whatsapp.store.items.conversations.agents import Note

if TYPE_CHECKING:
    from shared.privacy.jobs import Kind
    from tests.simulation.whatsapp.system import Snapshot, System

pytestmark = pytest.mark.long

# What identifies the person or is written by them. Message ids are keys of stubs.
TRACES = (ADA.wa_id, ADA.name, WORDS, "canary-note")
_OF_NO_CONTACT = ("PHONE#", "CONFIG#", "PARKED_QUOTA#")


@pytest.fixture(scope="module")
def _after_a_day(_system: System) -> Snapshot:
    system = _system.reset()
    for event in day():
        system.deliver_until_accepted(event)
        system.drain()
    order = PaymentOrder(
        pk=PaymentOrder.key("order-1"), company=COMPANY, order_id="o1", reference_id="order-1",
        customer_phone=ADA.wa_id, currency="INR", total_amount=100, status="completed",
        payment_status="captured", created_at="2026-01-01T00:00:00.000Z",
    )  # fmt: skip
    system.table.put(order.attributes())
    agents_work(system)
    system.clock.sleep(DEDUPLICATION_MS / 1_000)
    return system.snapshot()


@pytest.fixture
def after_a_day(_system: System, _after_a_day: Snapshot) -> System:
    """The company has stored Ada's day, an order of Ada's, and a message of another customer."""
    _system.restore(_after_a_day)
    return _system


def agents_work(system: System) -> None:
    """Two agents label and assign Ada's conversation and write a note each."""
    head = store.heads.get(system.table, f"CONV#{COUNTER.phone}#{ADA.wa_id}")
    assert head is not None
    at = to_text(system.clock.ms)
    for n in range(2):
        fields = {"labels": {f"{WORDS} {n}"}, "assignee": f"agent-{n}"}
        change = Change(fields=fields, revision=n, cause=f"cause-{n}", by="api-key:1", at=at)
        head = store.agent_changes.apply(system.table, head, change)
        note = Note(
            pk=Note.key(f"note-{n}"), company=COMPANY, conversation_pk=Note.list_of(head.pk),
            received_at=at, text=WORDS, by="api-key:1",
        )  # fmt: skip
        store.notes.add(system.table, note)


def traces(system: System) -> list[str]:
    """The keys of items and objects that have anything of Ada."""
    items = {
        key: json.dumps({n: v for n, v in item.items() if n != "pk"}, default=str)
        for key, item in system.items().items()
        if not key.startswith(_OF_NO_CONTACT)
    }
    objects = {key: body.decode("utf-8", "replace") for key, body in system.objects().items()}
    return [
        key for key, body in (items | objects).items() if any(t in f"{body}" for t in TRACES)
    ] + [key for key in items if ADA.wa_id in key]


def test_an_erased_contact_leaves_stubs_without_content_and_a_receipt(after_a_day: System) -> None:
    assert traces(after_a_day)
    job = finished(after_a_day, "erase")

    assert traces(after_a_day) == []
    assert not any(key.startswith("media/") for key in after_a_day.objects())
    check_declared(after_a_day.items())
    (receipt,) = job.receipts
    assert receipt["counts"]["MESSAGE"] == 9
    expected = {
        "CALL": 1, "EDIT": 5, "MEDIA": 2, "CONVERSATION": 1, "NOTE": 2, "CONVERSATION_CHANGE": 1,
    }  # fmt: skip
    assert {kind: receipt["counts"].get(kind) for kind in expected} == expected
    assert not [key for key in after_a_day.items() if key.startswith(("NOTE#", "CHANGE#"))]
    order = after_a_day.items()["ORDER#order-1"]
    assert (order["totalAmount"], order["orderId"], "customerPhone" in order) == (100, "o1", False)


def test_a_redelivery_after_the_erasure_restores_nothing(after_a_day: System) -> None:
    finished(after_a_day, "erase")
    before = after_a_day.items()
    for event in day():
        after_a_day.deliver_until_accepted(event)
        after_a_day.drain()

    assert traces(after_a_day) == []
    assert after_a_day.items().keys() == before.keys()


def test_a_new_message_of_the_person_begins_a_new_conversation(after_a_day: System) -> None:
    finished(after_a_day, "erase")
    after_a_day.clock.sleep(3_600)
    new = ada_message("new", text("hello again"))
    new["timestamp"] = str(after_a_day.clock.ms // 1_000)
    after_a_day.deliver_until_accepted(webhook_of(new))
    after_a_day.drain()

    (head,) = [i for i in after_a_day.items().values() if i["itemType"] == "CONVERSATION"]
    assert (head["unreadCount"], head["lastPreview"]) == (1, "hello again")


def test_a_message_that_arrives_during_the_erasure_is_kept(after_a_day: System) -> None:
    start(after_a_day, "erase")
    after_a_day.clock.sleep(2)
    new = ada_message("new", text("hello again"))
    new["timestamp"] = str(after_a_day.clock.ms // 1_000)
    after_a_day.deliver_until_accepted(webhook_of(new))
    after_a_day.drain()

    (head,) = [i for i in after_a_day.items().values() if i["itemType"] == "CONVERSATION"]
    assert (head["unreadCount"], head["lastPreview"]) == (1, "hello again")
    assert head["listPk"] == f"{COUNTER.phone}#open#unread"
    assert not head.keys() & {"assignee", "assigneePk", "labels", "lastChange", "historyId"}
    assert f"MSG#{wamid('new')}" in after_a_day.items()
    assert WORDS not in json.dumps(after_a_day.items(), default=str)


def test_an_export_has_every_item_and_copies_of_the_files(after_a_day: System) -> None:
    before = after_a_day.items()
    job = finished(after_a_day, "export")

    folder = f"exports/{COMPANY}/{job.job_id}/1/"
    objects = after_a_day.objects()
    lines = [json.loads(line) for line in objects[f"{folder}contact.jsonl"].splitlines()]
    keys = [line["item"]["pk"] for line in lines if "item" in line]
    assert len(keys) == len(set(keys))
    about = {k for k, i in before.items() if ADA.wa_id in json.dumps(i | {"pk": k}, default=str)}
    assert about <= {*keys, "ORDER#order-1"}
    files = [line["file"] for line in lines if "file" in line]
    assert any(name.startswith("files/media/") for name in files)
    assert all(f"{folder}{name}" in objects for name in files)
    assert {key: item for key, item in after_a_day.items().items() if key in before} == before


def test_an_erasure_removes_earlier_exports(after_a_day: System) -> None:
    finished(after_a_day, "export")
    finished(after_a_day, "erase")

    assert not any(key.startswith("exports/") for key in after_a_day.objects())


def test_a_second_request_continues_the_same_job_and_a_third_one_runs_it_again(
    after_a_day: System,
) -> None:
    first, second = start(after_a_day, "erase"), start(after_a_day, "erase")
    after_a_day.drain()
    assert (second.job_id, second.run) == (first.job_id, 1)

    again = finished(after_a_day, "erase")
    assert (again.job_id, again.run) == (first.job_id, 2)
    assert again.receipts[0]["counts"] == {}
    assert again.requested_for is None


@pytest.mark.parametrize("kind", ["erase", "export"])
def test_a_crash_at_any_call_changes_neither_the_result_nor_a_count(
    after_a_day: System, kind: Kind
) -> None:
    system = after_a_day
    start(system, kind)
    moment = system.snapshot()
    system.restore(moment)
    system.drain()
    calls, moments = list(system.interceptor.calls), deaths_in(system.interceptor)
    clean, clean_objects = comparable(system), system.objects()
    for number, when in unlike(moments, calls):
        system.restore(moment)
        system.interceptor.die_at = (number, when)
        system.drain()
        where = f"died {when} call {number}, {calls[number - 1]}"
        assert comparable(system) == clean, where
        assert system.objects() == clean_objects, where


_TIMES = {"ttl", "finishedAt", "left", "revision", "page"}


def comparable(system: System) -> dict[str, Any]:
    """The final items without times."""
    return {
        key: {n: _without_times(v) for n, v in item.items() if n not in _TIMES}
        for key, item in system.items().items()
    }


def _without_times(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_times(each) for each in value]
    if isinstance(value, dict):
        return {name: each for name, each in value.items() if name not in _TIMES}
    return value
