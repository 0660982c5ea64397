"""The names in the address book of the business's app reach the API, and prove nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.whatsapp.actions.conftest import ADA, Actions
from tests.integration.whatsapp.conftest import NOW, PHONE, Harness
from tests.integration.whatsapp.contacts.test_privacy_jobs import erase
from whatsapp.inbound.event import Outcome
from whatsapp.privacy import erasure

NEW = "447700900155"


def synced(
    number: str, action: str = "add", at: int = 0, name: str = "Ada (tandem)", **more: Any
) -> dict[str, Any]:
    contact = {
        "full_name": name,
        "first_name": name.split(maxsplit=1)[0],
        "phone_number": number,
        **more,
    }
    if action == "remove":
        contact = {"phone_number": number}
    entry = {
        "type": "contact",
        "contact": contact,
        "action": action,
        "metadata": {"timestamp": str(NOW // 1_000 - 100 + at)},
    }
    return {"field": "smb_app_state_sync", "state_sync": [entry]}


def head(harness: Harness, number: str) -> dict[str, Any]:
    return harness.item(f"CONV#{PHONE}#{number}")


@pytest.mark.parametrize("number", [ADA, f"+{NEW}"])
def test_the_saved_name_of_a_customer_is_shown(actions: Actions, number: str) -> None:
    assert actions.harness.outcomes(synced(number)) == [Outcome.PERSISTED]

    shown = actions.run("get_contact", {"to": f"+{number.removeprefix('+')}"}).result

    assert shown["savedName"] == "Ada (tandem)"
    with_ada = {"phone": PHONE, "to": f"+{number.removeprefix('+')}"}
    assert actions.run("get_conversation", with_ada).result["savedName"] == "Ada (tandem)"


def test_each_entry_of_a_synchronisation_is_a_customers(harness: Harness) -> None:
    change = synced(ADA)
    change["state_sync"] += synced(NEW, name="Grace")["state_sync"]

    assert harness.outcomes(change) == [Outcome.PERSISTED] * 2

    assert (head(harness, ADA)["savedName"], head(harness, NEW)["savedName"]) == (
        "Ada (tandem)",
        "Grace",
    )
    assert len([key for key in harness.keys() if key.startswith("WEBHOOK#")]) == 2


@pytest.mark.parametrize("is_reversed", [False, True])
@pytest.mark.parametrize(
    ("last", "shown"),
    [(synced(ADA, "add", 9, "Countess"), "Countess"), (synced(ADA, "remove", 9), None)],
)
def test_the_newest_entry_counts_in_any_order_and_twice(
    harness: Harness, last: dict[str, Any], shown: str | None, is_reversed: bool
) -> None:
    changes = [synced(ADA), last, last]
    for change in reversed(changes) if is_reversed else changes:
        harness.take(change)

    assert head(harness, ADA).get("savedName") == shown


def test_an_entry_proves_no_number_and_lists_no_conversation(harness: Harness) -> None:
    harness.take(synced(NEW))

    assert not [key for key in harness.keys() if key.startswith("ALIAS#")]
    assert "inboxPk" not in head(harness, NEW)
    assert "senderPhone" not in head(harness, NEW)


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "contact", "action": "add"},
        {"type": "contact", "action": "add", "contact": {"phone_number": "abc", "full_name": "A"}},
        {"type": "contact", "action": "add", "contact": {"phone_number": NEW}},
        {"type": "contact", "action": "blink", "contact": {"phone_number": NEW, "full_name": "A"}},
        {"type": "note"},
        "text",
    ],
)
def test_an_entry_without_a_customer_or_name_is_stored_as_an_event(
    harness: Harness, entry: Any
) -> None:
    change = {"field": "smb_app_state_sync", "state_sync": [entry]}

    assert harness.outcomes(change) == [Outcome.PERSISTED]

    assert head(harness, NEW) == {}
    assert [key for key in harness.keys() if key.startswith("WEBHOOK#")]


def test_the_name_ends_with_the_erasure_of_the_customer(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure, "SETTLES_MS", 0)
    harness.take(synced(NEW))
    assert head(harness, NEW)["savedName"]

    erase(harness, NEW)
    harness.take(synced(NEW, at=1))

    assert head(harness, NEW) == {}
    assert "tandem" not in repr([harness.item(key) for key in harness.keys()])
