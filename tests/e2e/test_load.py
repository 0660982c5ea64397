"""Load on the deployed stack while its functions are killed: a small `make load`."""

from __future__ import annotations

import pytest

from local.load.run import Outcome, Plan, run
from local.stack.seed import seed_load
from tests.e2e.conftest import Deployed

pytestmark = [pytest.mark.e2e, pytest.mark.long]


@pytest.fixture(scope="module")
def outcome(deployed: Deployed) -> Outcome:
    seed_load(deployed.stack)
    plan = Plan(events=300, conversations=40, kills=2, seed=7)
    return run(deployed.stack, plan, report=lambda _: None)


def test_no_message_is_lost_duplicated_or_reordered_when_functions_are_killed(
    outcome: Outcome,
) -> None:
    assert outcome.killed.total() > 0
    assert outcome.verdict.faults == []


def test_sent_is_stored_plus_repeated_plus_parked(outcome: Outcome) -> None:
    sent, found = outcome.traffic, outcome.verdict

    assert sent.events == 300
    assert found.stored == len(sent.messages)
    assert found.stored + sent.repeats + found.parked.total() == 300
    assert (found.parked, found.dead_letters) == (sent.invalid, 0)
    assert sent.repeats
    assert found.parked
