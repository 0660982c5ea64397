"""The address of an agent's reply: the ids that a customer last wrote from, and numbers that changed hands."""

from __future__ import annotations

from typing import Any

import pytest

from shared.policy.consent import withdrawals
from shared.policy.consent.items import Source, Statement
from shared.policy.consent.records import Consents
from shared.policy.consent.withdrawals import Withdrawal
from shared.runtime import clock
from tests.integration.whatsapp.api.sending.conftest import (
    ADA,
    BODY,
    AgentHarness,
    reason,
)
from tests.integration.whatsapp.conftest import NOW, text


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({"senderPhone": "447700900199"}, {"to": "+447700900199"}),
        ({"senderPhone": None, "senderUserId": "GB.123"}, {"recipient": "GB.123"}),
    ],
)
def test_a_reply_goes_to_the_ids_that_the_customer_last_wrote_from(
    agent_harness: AgentHarness, known: dict[str, Any], expected: dict[str, str]
) -> None:
    [head] = [key for key in agent_harness.harness.keys() if key.startswith("CONV#")]
    dropped = [name for name, value in known.items() if value is None]
    agent_harness.harness.resources.table.update({"pk": head}, put=known, drop=dropped)

    agent_harness.send()

    [sent], [shown] = agent_harness.sent, agent_harness.messages()
    assert {name: sent[name] for name in ("to", "recipient") if name in sent} == expected
    assert shown["to"] == ADA


def two_owners(agent_harness: AgentHarness, first: str) -> None:
    """Ada has written, with the user id *first* if there is one, and then another person from her number."""
    at = NOW // 1_000
    ids = {"from_user_id": first} if first else {}
    for name, sender, second in (
        ("wamid.a", ids, at - 60),
        ("wamid.b", {"from_user_id": "GB.2"}, at),
    ):
        agent_harness.harness.take({"messages": [text(name, at=second) | sender]})


def test_a_reply_goes_to_the_user_id_of_a_customer_whose_number_another_person_has(
    agent_harness: AgentHarness,
) -> None:
    two_owners(agent_harness, "GB.1")
    answer = agent_harness.send()

    assert answer.status == 200
    [sent] = agent_harness.sent
    assert (sent["recipient"], "to" in sent) == ("GB.1", False)
    [shown] = agent_harness.messages()
    assert (shown["senderUserId"], shown.get("senderPhone")) == ("GB.1", None)


@pytest.mark.parametrize("said", [Source.WORD, Source.OPERATOR])
def test_a_reply_to_a_user_id_respects_an_opt_out_under_the_former_number(
    agent_harness: AgentHarness, said: Source
) -> None:
    statement = Statement(source=said, at_ms=NOW, evidence="call 17")
    consents: Consents = agent_harness.module.gate.consents
    consents.record_opt_out("acme", [f"+{ADA}"], statement)
    two_owners(agent_harness, "GB.1")

    assert reason(agent_harness.send()) == "opted_out"
    assert agent_harness.sent == []


def test_a_reply_is_refused_when_a_notice_withdrew_the_only_address(
    agent_harness: AgentHarness,
) -> None:
    agent_harness.harness.take({"messages": [text("wamid.a", at=NOW // 1_000 - 60)]})
    number_pk = f"ALIAS#WAID#{agent_harness.harness.item('MSG#wamid.a')['phone']}#{ADA}"
    alias = agent_harness.harness.item(number_pk)
    owners = [
        {"since": "2026-01-01T11:00:00.000Z", "target": ADA},
        {"since": "2026-01-01T11:59:00.000Z", "change": "n"},
    ]
    agent_harness.harness.resources.table.put(alias | {"owners": owners})

    assert reason(agent_harness.send()) == "address_withdrawn"
    assert agent_harness.sent == []


@pytest.mark.parametrize("body", [BODY, {"text": "x" * 4_096}])
def test_a_reply_goes_to_the_user_id_if_the_number_changed_hands_at_another_business_number(
    agent_harness: AgentHarness, body: dict[str, Any]
) -> None:
    sender = {"from": ADA, "from_user_id": "GB.1"}
    agent_harness.harness.take({"messages": [text("wamid.a", at=NOW // 1_000 - 60) | sender]})
    record = Withdrawal(at=clock.to_text(NOW - 30_000), evidence="wamid.b")
    withdrawals.note(agent_harness.module.gate.consents.table, "acme", f"+{ADA}", record)
    answer = agent_harness.send(body)

    assert answer.status == 200, answer.body
    [sent] = agent_harness.sent
    assert (sent["recipient"], "to" in sent) == ("GB.1", False)
    [shown] = agent_harness.messages()
    assert (shown["senderUserId"], shown.get("senderPhone")) == ("GB.1", None)
    assert agent_harness.action(answer)["state"] == "sent"


def test_a_reply_without_a_user_id_is_refused_if_the_number_changed_hands_anywhere(
    agent_harness: AgentHarness,
) -> None:
    record = Withdrawal(at=clock.to_text(NOW), evidence="wamid.b")
    withdrawals.note(agent_harness.module.gate.consents.table, "acme", f"+{ADA}", record)

    assert reason(agent_harness.send()) == "address_withdrawn"
    assert agent_harness.sent == []
    assert not [key for key in agent_harness.harness.keys() if key.startswith("INTENT#")]
