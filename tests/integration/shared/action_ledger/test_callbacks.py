"""Providers' callbacks about an action: evidence for its attempt, counted once."""

import pytest

from shared.providers.action_ledger import Action, Ledger, State
from shared.providers.outcomes import InDoubt
from shared.runtime.failures import Transient
from tests.integration.logs import counted
from tests.integration.shared.action_ledger.conftest import FakeSend, perform, state


def test_a_callback_before_the_response_does_not_cause_a_second_send(
    ledger: Ledger[Action],
) -> None:
    def called_back() -> str:
        ledger.confirm("a1", failed=False, message_pk="MSG#1", company="acme")
        return "wamid.1"

    counted("SendDoubled")
    perform(ledger, called_back)

    action = ledger.action("a1")
    assert action is not None
    assert (action.state, action.evidence) == (State.CONFIRMED, None)
    assert counted("SendDoubled") == 0


@pytest.mark.parametrize(("failed", "expected"), [(False, State.CONFIRMED), (True, State.FAILED)])
def test_a_callback_is_evidence_for_a_send_whose_response_was_lost(
    ledger: Ledger[Action], failed: bool, expected: State
) -> None:
    with pytest.raises(Transient):
        perform(ledger, FakeSend(InDoubt("no_answer")))

    ledger.confirm("a1", failed=failed, message_pk="MSG#1", company="acme")
    assert perform(ledger, FakeSend()) is expected


def test_the_first_callback_decides(ledger: Ledger[Action]) -> None:
    perform(ledger, FakeSend("wamid.1"))
    ledger.confirm("a1", failed=False, message_pk="MSG#1", company="acme")
    ledger.confirm("a1", failed=True, message_pk="MSG#2", company="acme")

    action = ledger.action("a1")
    assert action is not None
    assert (action.state, action.message_pk) == (State.CONFIRMED, "MSG#1")


@pytest.mark.parametrize(("failed", "metric"), [(False, "SendConfirmed"), (True, "SendFailed")])
def test_a_repeated_callback_is_counted_once(
    ledger: Ledger[Action], failed: bool, metric: str
) -> None:
    perform(ledger, FakeSend("wamid.1"))
    counted(metric)

    for _ in range(3):
        ledger.confirm("a1", failed=failed, message_pk="MSG#1", company="acme")
    ledger.confirm("unknown", failed=failed, message_pk="MSG#1", company="acme")

    assert counted(metric) == 1


def test_a_callback_about_an_unknown_action_writes_nothing(ledger: Ledger[Action]) -> None:
    assert ledger.confirm("a1", failed=False, message_pk="MSG#1", company="acme") is None
    assert ledger.action("a1") is None


def test_a_callback_of_another_company_changes_no_action(ledger: Ledger[Action]) -> None:
    perform(ledger, FakeSend("wamid.1"))

    assert ledger.confirm("a1", failed=True, message_pk="MSG#1", company="globex") is None
    assert state(ledger) == (State.SENT, 1)
