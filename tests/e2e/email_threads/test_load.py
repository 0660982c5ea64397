"""Mails on the deployed stack while its functions are killed: a small `make load LOAD="--context email"`."""

from __future__ import annotations

import pytest

from local.load.mail_run import MailOutcome, run
from local.load.run import Plan
from tests.e2e.conftest import Deployed

pytestmark = [pytest.mark.e2e, pytest.mark.long]


@pytest.fixture(scope="module")
def outcome(deployed: Deployed) -> MailOutcome:
    plan = Plan(events=200, conversations=40, kills=2, seed=6)
    return run(deployed.stack, plan, report=lambda _: None)


def test_no_mail_is_lost_or_stored_twice_and_no_draft_is_sent_twice_when_functions_are_killed(
    outcome: MailOutcome,
) -> None:
    assert outcome.killed.total() > 0
    assert outcome.verdict.faults == []


def test_accepted_is_stored_plus_repeated_plus_parked(outcome: MailOutcome) -> None:
    sent, found = outcome.traffic, outcome.verdict

    assert found.stored == len(sent.mails)
    assert found.stored + sent.repeats + found.parked.total() == sent.events >= 200
    assert (found.parked, found.dead_letters) == (sent.invalid, 0)
    assert sent.early
    assert sent.repeats
    assert found.parked


def test_people_and_the_mailbox_itself_have_answered(outcome: MailOutcome) -> None:
    assert outcome.approved
    assert outcome.verdict.answers > outcome.approved - outcome.verdict.unknown
