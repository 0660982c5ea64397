"""No value of the table and the bucket has a trace of an erased contact, beyond what the receipt names."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from events.whatsapp import payloads
from events.whatsapp.payloads import message, text
from events.whatsapp.sample_data import ADA, COMPANY, COUNTER, JUERGEN, BusinessNumber
from shared.aws.sqs_fifo import digest
from shared.runtime.clock import to_text
from tests.erasure.coverage import Day
from tests.erasure.traces import words
from tests.simulation.whatsapp.event_builders import (
    EVENT_MINUTE,
    TIMELINE,
    ada_message,
    post,
    wamid,
    webhook_of,
)
from tests.simulation.whatsapp.privacy.contact_day import (
    CAMPAIGN_PAGE,
    WORDS,
    day,
    finished,
    list_in_campaign,
)
from tests.simulation.whatsapp.privacy.generated import generated_items
from tests.simulation.whatsapp.privacy.test_erasure import agents_work
from whatsapp import store
from whatsapp.privacy.contents import kinds
from whatsapp.privacy.requests import REMAINDERS
from whatsapp.recovery import parked_quota
from whatsapp.store.items import Conversation, pk
from whatsapp.store.items.register import CONTRACTED, SUPPORT

if TYPE_CHECKING:
    from tests.simulation.whatsapp.system import System

SOUGHT = words(ADA.wa_id, f"+{ADA.wa_id}", ADA.name, WORDS, "canary-note")
UNKNOWN = replace(COUNTER, phone="999000111222", waba="999000111333")
FOREIGN = replace(COUNTER, phone="999000111444", waba="999000111555")
PATTERNS = {item.__name__: f"item {item.pk_pattern}" for item in (*CONTRACTED, *SUPPORT)}
PERSONAL = {item.__name__ for item in kinds.COVERED}


def of_juergen(label: str, number: BusinessNumber = COUNTER) -> Any:
    """A webhook with a message of Jürgen's."""
    sent = message(
        JUERGEN,
        TIMELINE.inbound_id(JUERGEN, label),
        TIMELINE.at(EVENT_MINUTE),
        text(f"of Jürgen: {label}"),
    )
    return post(payloads.messages_change(number, [sent], [JUERGEN]))


def values(system: System) -> dict[str, Any]:
    """All items and objects."""
    items = {f"item {key}": row for key, row in system.items().items()}
    return items | {f"object {key}": body for key, body in system.objects().items()}


def without_message_ids(stored: dict[str, Any]) -> dict[str, Any]:
    """The values without ids of WhatsApp, which contain the number in base64: stubs keep them for 35 days."""
    ids = {wamid(label) for label in _LABELS} | {
        part for key in stored for part in key.split("#") if part.startswith("wamid.")
    }

    def cut(value: Any) -> Any:
        if isinstance(value, str):
            for one in sorted(ids, key=len, reverse=True):
                value = value.replace(one, f"<id {digest(one)[:12]}>")
            return value
        if isinstance(value, dict):
            return {cut(name): cut(part) for name, part in value.items()}
        return [cut(part) for part in value] if isinstance(value, list | set) else value

    return {
        cut(key): value if isinstance(value, bytes) else cut(value) for key, value in stored.items()
    }


_LABELS = ("first", "long", "reminder", "edited", "revoked", "video", "form")


def deliver(system: System, *events: Any) -> None:
    for event in events:
        system.deliver_until_accepted(event)
        system.drain()


def others(system: System) -> None:
    """Jürgen's conversation, and his and Ada's messages to numbers that are no company's, or another one's."""
    store.phones.register(system.table, foreign_phone(system))
    deliver(
        system,
        of_juergen("counter"),
        of_juergen("unknown", UNKNOWN),
        of_juergen("foreign", FOREIGN),
        webhook_of(ada_message("elsewhere", text("to Globex")), number=FOREIGN),
    )


def foreign_phone(system: System) -> Any:
    registered = store.phones.get(system.table, COUNTER.phone)
    assert registered is not None
    return registered.model_copy(
        update={
            "pk": f"PHONE#{FOREIGN.phone}", "company": "globex", "phone": FOREIGN.phone, "display_phone": "15550001111",
            "phone_arn": f"arn:parley:whatsapp:::phone-number-id/{FOREIGN.phone}", "aws_phone": None, "aws_waba": None,
            "waba_meta_id": FOREIGN.waba,
        }
    )  # fmt: skip


def parked_of_no_company(system: System) -> None:
    deliver(system, webhook_of(ada_message("to-unknown", text(WORDS)), number=UNKNOWN))


def store_day(system: System) -> None:
    """Everything that the inbox stores about Ada."""
    deliver(system, *day())
    agents_work(system)
    parked_of_no_company(system)
    list_in_campaign(system)
    for item in generated_items(to_text(system.clock.ms)):
        system.table.put(item)
    head = Conversation.key(COUNTER.phone, ADA.wa_id)
    system.table.update(pk(head), put=Conversation.named(sequence_run="run-1"))


@pytest.fixture
def erased(system: System) -> tuple[Day, Any]:
    others(system)
    before = values(system)
    store_day(system)
    stored = values(system)
    job = finished(system, "erase")
    after = values(system)
    parts = (without_message_ids(one) for one in (before, stored, after))
    others_, person, left = parts
    return Day(others=others_, person=person, erased=left, words=SOUGHT), job


@pytest.mark.long
def test_nothing_is_left_and_others_lose_nothing(erased: tuple[Day, Any], system: System) -> None:
    done, job = erased

    assert done.left() == {}
    assert (
        done.harmed(
            except_for=[
                "HOUR#",
                "CHANGED_HOURS#",
                "ANALYTICS#",
                "COUNTING",
                "PARKED_QUOTA",
                "CONFIG#",
            ]
        )
        == []
    )
    # Every covered class was stored and removed; a new one fails here until the day stores it.
    assert (
        sorted({item.item_type for item in kinds.COVERED} - job.receipts[0]["counts"].keys()) == []
    )
    assert done.tried(PATTERNS) <= PERSONAL
    assert set(job.receipts[0]["left"]) == {one.kind for one in REMAINDERS}
    page = json.loads(system.objects()[CAMPAIGN_PAGE])
    assert page == [
        {"line": 1, "erased": True},
        {"to": f"+{JUERGEN.wa_id}", "bodyParams": [JUERGEN.name], "line": 2},
    ]


@pytest.mark.parametrize("owner", [None, COMPANY, "globex"])
@pytest.mark.parametrize("is_over_quota", [False, True])
def test_a_parked_event_of_no_company_is_erased_unless_its_number_is_another_companys_today(
    system: System, monkeypatch: pytest.MonkeyPatch, owner: str | None, *, is_over_quota: bool
) -> None:
    monkeypatch.setattr(parked_quota, "has_room", lambda *_: not is_over_quota)
    parked_of_no_company(system)
    parked = [key for key in system.objects() if key.startswith("parked/")]
    if owner is not None:
        registered = foreign_phone(system)
        changes = {"company": owner, "phone": UNKNOWN.phone, "waba_meta_id": UNKNOWN.waba}
        store.phones.register(
            system.table,
            registered.model_copy(update=changes | {"pk": f"PHONE#{UNKNOWN.phone}"}),
        )

    finished(system, "erase")

    left = [key for key in system.objects() if key.startswith("parked/")]
    assert len(parked) == 1
    assert left == (parked if owner == "globex" else [])
