"""Which contact an id names: erasing a number must not reach the person who had it before, nor another company."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from shared.privacy.jobs import get
from tests.integration.whatsapp.conftest import PHONE, T0, Harness, a_phone, text
from whatsapp import store
from whatsapp.inbound.event import Outcome
from whatsapp.privacy import erasure, subjects
from whatsapp.privacy.requests import subject_of_key
from whatsapp.store.items.contacts.privacy import PrivacyJob

if TYPE_CHECKING:
    from shared.privacy.jobs import Kind

NUMBER, NEW_NUMBER = "447700900101", "447700900199"


def sent(name: str, at: int, phone: str, user_id: str) -> dict[str, Any]:
    """A text from a customer with these ids."""
    return text(f"wamid.{name}", name, at=T0 + at) | {"from": phone, "from_user_id": user_id}


@pytest.fixture
def two_owners(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> Harness:
    """A customer moved to another number, and the first number has a new owner."""
    monkeypatch.setattr(erasure, "SETTLES_MS", 0)
    system = {
        "type": "user_changed_number", "body": "changed", "wa_id": NEW_NUMBER, "user_id": "GB.2",
        "previous_user_id": "GB.1",
    }  # fmt: skip
    notice = {"id": "wamid.notice", "from": NUMBER, "timestamp": str(T0 + 10), "type": "system"}
    for message in (
        sent("old", 0, NUMBER, "GB.1"),
        notice | {"system": system},
        sent("moved", 20, NEW_NUMBER, "GB.2"),
        sent("next", 30, NUMBER, "GB.9"),
    ):
        harness.take({"messages": [message]})
    return harness


def erase(harness: Harness, named: str, *, company: str = "acme", by_key: bool = False) -> None:
    harness.outbox.entries.clear()
    subject = subject_of_key(named) if by_key else named
    harness.privacy_jobs.start("erase", company, subject, by="an agent")
    (entry,) = harness.outbox.entries
    assert harness.handle(entry.body).outcome is Outcome.PERSISTED


def erased(harness: Harness) -> set[str]:
    """The names of the erased messages."""
    names = ("old", "notice", "moved", "next")
    return {name for name in names if harness.item(f"MSG#wamid.{name}").get("erased")}


def test_a_number_names_the_contact_that_owns_it_today(two_owners: Harness) -> None:
    erase(two_owners, NUMBER)

    assert erased(two_owners) == {"next"}


def test_the_key_of_a_conversation_names_the_contact_whose_number_it_was(
    two_owners: Harness,
) -> None:
    erase(two_owners, NUMBER, by_key=True)

    assert erased(two_owners) == {"old", "notice", "moved"}
    # Without the alias of the new owner, the next message from the number would reach the wrong conversation.
    two_owners.take({"messages": [sent("later", 40, NUMBER, "GB.9")]})
    keys = {two_owners.item(f"MSG#wamid.{name}")["conversationPk"] for name in ("next", "later")}
    assert len(keys) == 1


def test_an_id_that_no_contact_has_erases_nothing(two_owners: Harness) -> None:
    before = {key: two_owners.item(key) for key in two_owners.keys()}
    erase(two_owners, "447700900555")

    assert erased(two_owners) == set()
    after = {key: two_owners.item(key) for key in two_owners.keys()}
    assert {key: item for key, item in after.items() if key in before} == before


def test_another_companys_customer_with_the_same_number_is_not_touched(two_owners: Harness) -> None:
    other = a_phone(
        pk="PHONE#999", company="globex", phone="999", display_phone="15550009999",
        phone_arn="arn:parley:whatsapp:::phone-number-id/999", waba_meta_id="999", app_id="app",
    )  # fmt: skip
    store.phones.register(two_owners.resources.table, other)
    erase(two_owners, NUMBER, company="globex")

    assert erased(two_owners) == set()
    assert f"CONV#{PHONE}#{NUMBER}" in two_owners.keys()


@pytest.mark.parametrize(
    ("step", "is_resolved"), [("fence", False), ("fence", True), ("settle", True), ("pages", True)]
)
@pytest.mark.parametrize("kind", ["erase", "export"])
def test_a_run_that_was_killed_at_any_step_ends(
    two_owners: Harness, kind: Kind, step: str, is_resolved: bool
) -> None:
    table = two_owners.resources.table
    two_owners.outbox.entries.clear()
    started = two_owners.privacy_jobs.start(kind, "acme", NUMBER, by="an agent")
    item = started.attributes() | {"step": step}
    if is_resolved:
        contact = subjects.resolve(table, "acme", NUMBER)
        item |= {"state": "running", "contact": contact.attributes()}
        item["planned"] = [{"kind": "MESSAGE", "key": "MSG#wamid.next"}] if kind == "erase" else []
    table.put(item | {"counts": {"ALIAS": 1}})
    (entry,) = two_owners.outbox.entries

    assert two_owners.handle(entry.body).outcome is Outcome.PERSISTED

    done = get(table, PrivacyJob, started.job_id)
    assert done is not None
    assert (done.state, done.contact, done.requested_for) == ("done", None, None)
    assert done.counts["MESSAGE"] == 1
    assert erased(two_owners) == ({"next"} if kind == "erase" else set())
    (receipt,) = table.get(PrivacyJob.key_of(started.job_id))["receipts"]  # type: ignore[index] # it is stored
    assert {"requestedAt", "requestedBy", "finishedAt"} <= receipt.keys()
