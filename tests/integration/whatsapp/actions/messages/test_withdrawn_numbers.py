"""A number that changed hands at one business number of a company is used by none of its others."""

from __future__ import annotations

import json
from typing import Any

import pytest

from shared.identity.keyed_hashes import address_hash
from shared.policy.consent import withdrawals
from shared.policy.consent.items import Source, Statement
from shared.policy.consent.withdrawals import Withdrawal
from shared.runtime import clock
from tests.integration.whatsapp.actions.conftest import EUM_PHONE, EUM_WABA, Actions
from tests.integration.whatsapp.actions.messages.test_recipients import (
    FIRST,
    HANDED_OVER,
    NEXT,
    TEXT,
    WITHDRAWN,
    reason,
    sent_to,
)
from tests.integration.whatsapp.actions.messages.test_templates import VALUES, add_template
from tests.integration.whatsapp.conftest import NOW, PHONE
from tests.integration.whatsapp.contacts.test_identity import P, Q, changed, written
from whatsapp.sending import recipients

OTHER = {"phone_number_id": EUM_PHONE, "display_phone_number": "15550783999"}
SMILE = {"phoneNumberId": PHONE, "to": f"+{P}", "messageId": "wamid.a", "emoji": "\N{BICYCLE}"}
OFFER = {
    "phoneNumberId": PHONE,
    "to": f"+{P}",
    "session": {"sdpType": "offer", "sdp": "v=0"},
}


def write_to_other(actions: Actions, *messages: dict[str, Any]) -> None:
    for message in messages:
        actions.harness.take({"metadata": OTHER, "messages": [message]}, waba=EUM_WABA)


def withdraw(
    actions: Actions,
    at_ms: int,
    company: str = "acme",
    number: str = P,
    owner: str | None = None,
) -> None:
    record = Withdrawal.of(clock.to_text(at_ms), "wamid.n", owner)
    withdrawals.note(actions.log, company, f"+{number}", record)


def relay(actions: Actions) -> list[dict[str, Any]]:
    """Record the announced withdrawals, as AI conversations do; returns their announcements."""
    bodies = [json.loads(entry.body) for entry in actions.harness.inbound.entries]
    actions.harness.inbound.entries.clear()
    released = [body for body in bodies if body["type"] == "number_released"]
    for body in released:
        record = Withdrawal.of(
            body["received_at"], body["provider_message_id"], body.get("next_user_id")
        )
        withdrawals.note(actions.log, body["company"], body["customer_address"], record)
    return released


@pytest.fixture
def two(actions: Actions) -> Actions:
    """A customer with the number P and a user id wrote to both numbers of the company."""
    actions.register_eum()
    actions.harness.take({"messages": [written("a", 0, P, FIRST)]})
    write_to_other(actions, written("a2", 1, P, FIRST))
    return actions


@pytest.mark.parametrize("events", HANDED_OVER.values(), ids=list(HANDED_OVER))
def test_a_change_at_one_number_of_the_company_counts_at_all_of_them(
    two: Actions, events: list[dict[str, Any]]
) -> None:
    first = two.run("send_text", TEXT | {"to": f"+{P}"}).result
    write_to_other(two, *events)
    announced = relay(two)
    for action, body in (
        ("resend_message", {"messageId": first["messagePk"]}),
        ("send_text", TEXT | {"to": f"+{P}"}),
        ("send_text", TEXT | {"to": f"+{P}", "dryRun": True}),
        ("send_reaction", SMILE),
        ("send_reaction", SMILE | {"dryRun": True}),
    ):
        assert reason(two.run(action, body)) == WITHDRAWN, action

    assert {one["customer_address"] for one in announced} == {f"+{P}"}
    assert sent_to(two) == [{"to": f"+{P}"}]


def test_the_change_is_announced_once_with_the_owner_before(two: Actions) -> None:
    next_one = written("b", 20, P, NEXT)
    write_to_other(two, next_one)
    (announced,) = relay(two)
    write_to_other(two, next_one, written("b2", 30, P, NEXT))

    assert (announced["customer_user_id"], announced["company"]) == (FIRST, "acme")
    assert relay(two) == []


@pytest.mark.parametrize("user_id", [NEXT, FIRST])
def test_the_next_owner_s_older_conversation_at_another_number_goes_on(
    actions: Actions, user_id: str
) -> None:
    actions.register_eum()
    write_to_other(actions, written("b0", 0, P, user_id))
    actions.harness.take({"messages": [written("a", 1, P, FIRST)]})
    actions.harness.take({"messages": [written("b", 20, P, NEXT)]})
    relay(actions)
    answer = actions.run("send_text", TEXT | {"phoneNumberId": EUM_PHONE, "to": f"+{P}"})

    assert (answer.status == 200) is (user_id == NEXT), answer.body
    assert answer.status == 200 or reason(answer) == WITHDRAWN


def test_a_customer_who_writes_again_from_the_number_is_answered_there(two: Actions) -> None:
    write_to_other(two, written("b", 20, P, NEXT))
    relay(two)
    two.harness.take({"messages": [written("a3", 30, P, FIRST)]})

    assert two.run("send_text", TEXT | {"to": f"+{P}"}).status == 200


def test_a_message_from_another_number_does_not_prove_the_withdrawn_one(two: Actions) -> None:
    write_to_other(two, written("b", 20, P, NEXT))
    relay(two)
    two.harness.take({"messages": [written("a3", 30, Q, FIRST)]})

    assert reason(two.run("send_text", TEXT | {"to": f"+{P}"})) == WITHDRAWN
    assert two.run("send_text", TEXT | {"to": f"+{Q}"}).status == 200
    assert sent_to(two) == [{"to": f"+{Q}"}]


# A customer who has never written to the number: the requests name theirs.
UNPROVEN = "447700900166"
NAMED = {
    "phoneNumberId": PHONE, "to": f"+{UNPROVEN}", "templateName": "bike_ready", "components": VALUES,
}  # fmt: skip


@pytest.mark.parametrize(
    ("at_ms", "company", "owner", "is_sent"),
    [
        (NOW - 1_000, "acme", NEXT, True), (NOW - 1_000, "acme", None, False),
        (NOW + 1_000, "acme", NEXT, False), (NOW + 1_000, "globex", None, True),
    ],
)  # fmt: skip
def test_a_number_that_only_requests_name_is_used_if_named_since_another_person_wrote_from_it(
    actions: Actions, at_ms: int, company: str, owner: str | None, is_sent: bool
) -> None:
    add_template(actions, category="UTILITY")
    opt_in = Statement(source=Source.OPERATOR, at_ms=NOW, evidence="form 3")
    actions.module.resources.consents.record_opt_in(
        "acme", [f"+{UNPROVEN}"], opt_in, channels=["whatsapp"]
    )
    withdraw(actions, at_ms, company, UNPROVEN, owner)
    answer = actions.run("send_template", NAMED)

    assert (answer.status == 200) is is_sent, answer.body
    assert is_sent or reason(answer) == WITHDRAWN


def test_a_withdrawal_right_before_the_call_to_the_provider_stops_each_kind_of_call(
    two: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    require = recipients.require

    def late(*args: Any, **more: Any) -> None:
        withdraw(two, NOW)
        require(*args, **more)

    monkeypatch.setattr(recipients, "require", late)
    two.sandbox.objects["call permission"][P] = True
    for action, body in (
        ("send_reaction", SMILE),
        ("initiate_call", OFFER),
        ("send_text", TEXT | {"to": f"+{P}"}),
    ):
        two.log.delete(Withdrawal.key("acme", address_hash(f"+{P}")))
        assert reason(two.run(action, body)) == WITHDRAWN, action

    assert sent_to(two) == []
    assert [one for one in two.wire if one.path.endswith("/calls")] == []


def test_the_first_message_after_a_notice_makes_its_author_known_to_the_whole_company(
    actions: Actions,
) -> None:
    actions.harness.take({"messages": [written("a", 0, P, FIRST)]})
    for event in (changed("n", 10), written("b", 20, P, NEXT), written("c", 30, P, NEXT)):
        actions.harness.take({"messages": [event]})

    released = [json.loads(entry.body) for entry in actions.harness.inbound.entries]
    known = [body.get("next_user_id") for body in released if body["type"] == "number_released"]
    assert known == [None, NEXT]
