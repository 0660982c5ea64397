"""No value of the table and the bucket has a trace of an erased person, beyond what the receipt names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from email_threads.privacy.requests import REMAINDERS
from email_threads.store.items import CHILDREN, Thread
from email_threads.store.items.item import ThreadItem
from tests.erasure.coverage import Day
from tests.erasure.traces import words
from tests.integration.email_threads.privacy.person_day import FLOWS, NAME, others, values
from tests.simulation.email_threads import people
from tests.simulation.email_threads.people import CANARY
from tests.simulation.email_threads.system import ANN, System

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = words(ANN, NAME, CANARY)
CLASSES: list[type[ThreadItem]] = [Thread, *CHILDREN]
PATTERNS = {one.__name__: f"item {one.pattern}" for one in CLASSES}
# Classes of which no item may have a trace of a person, with the reason.
WITHOUT_TRACES = {
    "Audit": "states, ids and codes",
    "Expiry": "the id of a thread",
    "Alias": "hashes of Message-IDs",
    "CompanyMailboxes": "addresses of the company",
    "MailboxVersion": "settings of the company",
    "DraftSetList": "names of sets of scenarios",
    "DraftSet": "numbers of a set of scenarios",
    "DraftScenarios": "made-up mails",
    "DraftRun": "numbers of a run",
    "DraftResult": "answers to made-up mails",
    "MailboxTrial": "numbers of versions and bounds",
    "MailboxTrialCounts": "counts of a trial",
    "ShadowPlace": "ids and a time",
    "Signature": "texts of a colleague",
    "Macro": "steps that the company wrote",
    "MacroList": "names of macros",
    "ScheduledSend": "ids and a time",
    "Deadline": "the id of a thread and a time",
    "DraftDay": "counts of a mailbox of the company",
    "ServiceLevelDay": "counts of a mailbox of the company",
    "DeadLetterNote": "a reason and a time",
    "StoredAnswer": "ids, states and codes",
    "AnswerCount": "times, under a keyed hash",
    "PrivacyJob": "the address while it runs, then counts",
    "ErasedAddress": "a time, under a keyed hash",
}


def day(system: System, *flows: Callable[[System], None]) -> tuple[Day, dict[str, Any]]:
    """What is stored before and after flows and an erasure of Ann, and the job."""
    others(system)
    before = values(system)
    for flow in flows:
        flow(system)
    stored = values(system)
    job = people.finished(system, "erase", ANN)
    return Day(others=before, person=stored, erased=values(system), words=WORDS), job


@pytest.mark.parametrize("flow", FLOWS, ids=[flow.__name__.strip("_") for flow in FLOWS])
def test_nothing_of_a_flow_is_left(system: System, flow: Callable[[System], None]) -> None:
    done, _ = day(system, flow)

    assert done.left() == {}


@pytest.mark.long
def test_nothing_of_a_day_is_left_and_others_lose_nothing(system: System) -> None:
    done, job = day(system, *FLOWS)

    assert done.left() == {}
    assert done.harmed(except_for=["rate#", "mailbox#", "company#"]) == []
    assert done.tried(PATTERNS) == PATTERNS.keys() - WITHOUT_TRACES.keys()
    receipt = job["receipts"][0]
    assert {one["kind"] for one in receipt["kept"] + receipt["outside"]} == {
        one.kind for one in REMAINDERS
    }


def test_the_classes_without_traces_exist() -> None:
    assert WITHOUT_TRACES.keys() <= PATTERNS.keys()
