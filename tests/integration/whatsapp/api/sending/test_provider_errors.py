"""Error codes of the provider with consequences beyond one message: in refusals of a send, and in failed statuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from shared.providers.outcomes import Refused
from shared.providers.whatsapp.meta_graph import Graph
from tests.integration.logs import conditions
from tests.integration.whatsapp.api.sending.conftest import ADA
from tests.integration.whatsapp.conftest import PHONE
from tests.integration.whatsapp.messages.test_statuses import status

if TYPE_CHECKING:
    from tests.integration.whatsapp.api.sending.conftest import AgentHarness

HEAD = f"CONV#{PHONE}#{ADA}"
ADVICE = "send a template"


def refuse(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    def refused(*_: Any) -> str | None:
        raise Refused(f"graph_{code}")

    monkeypatch.setattr(Graph, "post_message", refused)


def fail(agent: AgentHarness, *codes: int) -> None:
    """Report the agent's message as failed."""
    agent.send()
    [message] = agent.messages()
    errors = [{"code": code, "title": "Failed"} for code in codes]
    agent.harness.take(status("failed", identity=message["id"], errors=errors))


def test_a_failed_status_of_a_customer_who_stopped_marketing_records_the_choice(
    agent_harness: AgentHarness,
) -> None:
    fail(agent_harness, 131050)

    head = agent_harness.harness.item(HEAD)
    assert head["marketingOptOut"] is True
    assert head["marketingOptOutAt"] >= agent_harness.messages()[0]["sentAt"][:19]


def test_a_failed_status_before_its_message_records_the_choice_when_the_message_arrives(
    agent_harness: AgentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = status("failed", identity="wamid.early", errors=[{"code": 131050}])
    agent_harness.harness.take(failed)
    monkeypatch.setattr(Graph, "post_message", lambda *_: "wamid.early")

    agent_harness.send()

    assert agent_harness.harness.item(HEAD)["marketingOptOut"] is True


def test_a_refusal_for_a_customer_who_stopped_marketing_records_the_choice(
    agent_harness: AgentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch, 131050)

    assert agent_harness.send().error == "provider_rejected"

    assert agent_harness.harness.item(HEAD)["marketingOptOut"] is True


def test_an_older_code_does_not_undo_a_later_choice(agent_harness: AgentHarness) -> None:
    later = {"marketingOptOut": False, "marketingOptOutAt": "2099-01-01T00:00:00.000Z"}
    agent_harness.harness.resources.table.update({"pk": HEAD}, put=later)

    fail(agent_harness, 131050)

    assert agent_harness.harness.item(HEAD)["marketingOptOut"] is False


@pytest.mark.parametrize("is_refused", [False, True], ids=["status", "refusal"])
def test_a_customer_who_gets_enough_marketing_is_noted_with_the_time(
    agent_harness: AgentHarness, monkeypatch: pytest.MonkeyPatch, *, is_refused: bool
) -> None:
    if is_refused:
        refuse(monkeypatch, 131049)
        assert agent_harness.send().error == "provider_rejected"
    else:
        fail(agent_harness, 131049)

    head = agent_harness.harness.item(HEAD)
    assert head["marketingCappedAt"] >= agent_harness.messages()[0]["sentAt"][:19]
    assert "marketingOptOut" not in head


def test_an_older_refusal_of_marketing_does_not_move_the_time_back(
    agent_harness: AgentHarness,
) -> None:
    later = {"marketingCappedAt": "2099-01-01T00:00:00.000Z"}
    agent_harness.harness.resources.table.update({"pk": HEAD}, put=later)

    fail(agent_harness, 131049)

    assert agent_harness.harness.item(HEAD)["marketingCappedAt"] == later["marketingCappedAt"]


def test_a_closed_window_is_shown_with_the_advice_to_use_a_template(
    agent_harness: AgentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail(agent_harness, 131047)
    [failed] = agent_harness.messages()
    assert ADVICE in failed["statusError"]["advice"]

    refuse(monkeypatch, 131047)
    refused = agent_harness.send(idempotency_key="key-00000002")

    assert ADVICE in refused.body["error"]["message"]
    assert all(ADVICE in m["statusError"]["advice"] for m in agent_harness.messages())


@pytest.mark.parametrize("code", [131031, 131042])
def test_a_problem_of_the_account_is_the_condition_of_the_account(
    agent_harness: AgentHarness,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    code: int,
) -> None:
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "false")
    fail(agent_harness, code)
    assert conditions(capsys)["AccountAlert"] == 1

    refuse(monkeypatch, code)
    agent_harness.send(idempotency_key="key-00000002")

    assert conditions(capsys)["AccountAlert"] == 1


def test_other_codes_have_no_consequences(
    agent_harness: AgentHarness, capsys: pytest.CaptureFixture[str]
) -> None:
    fail(agent_harness, 131026)

    assert conditions(capsys)["AccountAlert"] == 0
    assert not {"marketingOptOut", "marketingCappedAt"} & set(agent_harness.harness.item(HEAD))
    assert agent_harness.messages()[0]["statusError"] == {"code": 131026, "title": "Failed"}
