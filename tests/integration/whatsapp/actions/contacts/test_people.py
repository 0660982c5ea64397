"""Ids, links, consent and privacy jobs of customers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.whatsapp.actions.conftest import ADA, GLOBEX, Actions
from tests.integration.whatsapp.conftest import NOW, PHONE, text

USER = "GB.1"
BOTH = {"contact": f"+{ADA}", "alias": USER, "phoneNumberId": PHONE}
HELLO = {"text": "Your bike is ready."}


@pytest.fixture
def two(actions: Actions) -> Actions:
    """ADA, and a user without a number who wrote later."""
    later = text("wamid.u", at=NOW // 1000 - 60, sender="")
    actions.harness.take({"messages": [later | {"from": None, "from_user_id": USER}]})
    return actions


def test_a_contact_shows_ids_consent_window_and_conversations(actions: Actions) -> None:
    contact = actions.run("get_contact", {"contact": f"+{ADA}"}).result

    assert (contact["phoneNumbers"], contact["formerNumbers"]) == ([ADA], [])
    (conversation,) = contact["conversations"]
    assert conversation["conversationPk"] == f"CONV#{PHONE}#{ADA}"
    assert (conversation["windowIsOpen"], conversation["blocked"]) == (True, False)
    assert [each["purpose"] for each in contact["consents"]] == ["all", "marketing"]


def test_unknown_contacts_and_those_of_other_companies_do_not_exist(actions: Actions) -> None:
    assert actions.run("get_contact", {"contact": "+447700900555"}).status == 404
    assert actions.run("get_contact", {"contact": f"+{ADA}"}, caller=GLOBEX).status == 404
    assert actions.run("get_contact", {"contact": "abc"}).status == 400


def test_two_ids_are_linked_and_unlinked_any_number_of_times(two: Actions) -> None:
    linked = [two.run("link_contact_identity", BOTH).result for _ in range(2)]

    assert linked[0] == linked[1]
    assert linked[0]["primaryConversationPk"] == f"CONV#{PHONE}#{ADA}"
    assert two.item(f"CONV#{PHONE}#{USER}")["linkedTo"] == f"CONV#{PHONE}#{ADA}"
    contact = two.run("get_contact", {"contact": USER}).result
    assert set(contact["phoneNumbers"] + contact["userIds"]) == {ADA, USER}
    unlinked = [two.run("unlink_contact_identity", BOTH).result for _ in range(2)]
    assert [each["state"] for each in unlinked] == ["unlinked", "unlinked"]
    assert "linkedTo" not in two.item(f"CONV#{PHONE}#{USER}")


def test_contacts_without_conversation_or_link_are_refused(actions: Actions) -> None:
    linked = actions.run("link_contact_identity", BOTH)

    assert (linked.status, USER in linked.body["error"]["message"]) == (404, False)
    assert actions.run("unlink_contact_identity", BOTH).status == 404
    assert actions.run("link_contact_identity", BOTH, caller=GLOBEX).status == 404


def choose(actions: Actions, purpose: str, state: str, **more: Any) -> Any:
    body = {"contact": f"+{ADA}", "purpose": purpose, "state": state, "evidence": "call 17"}
    return actions.run("set_consent", body | more)


def test_an_opt_out_with_evidence_stops_all_messages_until_an_opt_in(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = choose(actions, "all", "opted_out").result["consents"][0]

    assert (out["state"], out["evidence"], out["source"]) == ("opted_out", "call 17", "operator")
    assert actions.send("send_text", HELLO).status == 422
    monkeypatch.setattr("shared.runtime.clock.now_ms", lambda: NOW + 1_000)
    choose(actions, "all", "opted_in")
    consents = actions.run("get_consent", {"contact": f"+{ADA}"}).result["consents"]
    assert consents[0]["state"] == "opted_in"
    assert actions.send("send_text", HELLO).status == 200


def test_a_marketing_choice_is_on_the_conversation_and_leaves_other_messages(
    actions: Actions,
) -> None:
    marketing = choose(actions, "marketing", "opted_out").result["consents"][1]

    assert (marketing["state"], marketing["evidence"]) == ("opted_out", "call 17")
    assert actions.item(f"CONV#{PHONE}#{ADA}")["marketingOptOut"] is True
    assert actions.send("send_text", HELLO).status == 200


def test_consent_needs_evidence_and_a_purpose_that_the_policy_knows(actions: Actions) -> None:
    assert choose(actions, "all", "opted_in", evidence="").status == 400
    assert choose(actions, "all", "opted_in", evidence="x" * 501).status == 400
    assert choose(actions, "utility", "opted_out").status == 501


@pytest.mark.parametrize("kind", ["export", "erase"])
def test_a_job_is_accepted_and_stored_once_per_key(actions: Actions, kind: str) -> None:
    confirmed = {"confirm": True} if kind == "erase" else {}
    body = {"contact": f"+{ADA}", **confirmed}
    first = actions.run(f"{kind}_contact", body, key="key-job-1")
    again = actions.run(f"{kind}_contact", body, key="key-job-1")

    assert (first.status, first.result["kind"]) == (202, kind)
    assert again.result == first.result
    job = actions.item(f"PRIVACY_JOB#{first.result['jobId']}")
    assert (job["state"], job["requestedFor"], job["company"]) == ("queued", ADA, "acme")


def test_an_erasure_must_be_confirmed_and_keeps_payments(actions: Actions) -> None:
    body = {"contact": f"+{ADA}"}

    assert actions.run("erase_contact", body).status == 400
    assert actions.run("erase_contact", body | {"confirm": False}).status == 400
    lost = actions.run("erase_contact", body | {"confirm": True, "keepPayments": False})
    assert (lost.status, lost.error) == (501, "not_supported")
