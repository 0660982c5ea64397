"""
A sign-up, its confirmation, choices, and an erasure by its reader, whose functions are killed before or after any call:
each sign-up has at most one mail, and who has confirmed is in the list with consent and evidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.simulation.crashes.recorded_run import RecordedRun
from tests.simulation.newsletters.final_state import state_of
from tests.simulation.newsletters.scenarios import EXPORTED, settled
from tests.simulation.newsletters.steps.issues import addressed, approved, drafted, mails, sent
from tests.simulation.newsletters.steps.readers import (
    DORA,
    MINUTES_20,
    confirmed,
    is_member,
    joined,
    link_in,
    published,
    rows_of_readers,
    signed_up,
    visited,
)
from tests.simulation.newsletters.system import COMPANY

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from tests.simulation.newsletters.steps.issues import Steps
    from tests.simulation.newsletters.system import System


def list_of(system: System, title: str = "Farm News") -> str:
    """The id of a published list, read without a call."""
    lists = (row for key, row in system.rows().items() if " LIST#" in key)
    return next(str(row["list_id"]) for row in lists if row["title"] == title)


def sign_up(system: System) -> None:
    """A person signs up, and again later if no mail has come."""
    list_id = list_of(system)
    for _ in range(3):
        assert signed_up(system, list_id).status == 202
        system.settle()
        if mails(system):
            return
        system.clock.ms += MINUTES_20
    raise AssertionError("no mail has come")


def confirm(system: System) -> None:
    assert confirmed(system, mails(system)[-1]).status == 200


def choose(system: System) -> None:
    """A reader joins another list, and chooses a language; a page that is outdated is opened again."""
    path = link_in(mails(system)[-1], "preferences")
    lists = [list_of(system), list_of(system, "Bee News")]
    for _ in range(3):
        page = visited(system, path).text
        form = {"act": "save", "language": "de", "list": lists} | {
            name: page.partition(f'name="{name}" value="')[2].partition('"')[0]
            for name in ("version", "shown")
        }
        if visited(system, path, form | {"frequency": "weekly"}).status == 200:
            return
    raise AssertionError("the choices are never saved")


def with_page(system: System) -> None:
    """A reader has the link to the page of choices, and no other mail to come."""
    list_id = published(system)
    joined(system, list_id)
    visited(system, f"/n/{COMPANY}/{list_id}/preferences", {"email": DORA})
    system.settle()


def ask_erasure(system: System) -> None:
    """A reader presses the button of the erasure, and again later if no mail has come."""
    path = link_in(mails(system)[-1], "preferences")
    before = len(mails(system))
    for _ in range(3):
        assert visited(system, path, {"act": "erase"}).status == 200
        system.settle()
        if len(mails(system)) > before:
            return
        system.clock.ms += MINUTES_20
    raise AssertionError("no mail has come")


def confirm_erasure(system: System) -> None:
    path = link_in(mails(system)[-1], "erase")
    assert visited(system, path, {"act": "save"}).status == 200
    for _ in range(3):
        system.settle()
        system.clock.ms += MINUTES_20


def of_two_lists(system: System) -> None:
    published(system, "Others", title="Bee News")
    joined(system, published(system))
    settled(drafted, approved, sent)(system)


def check_joined(system: System) -> None:
    """What holds after any disturbance of a sign-up."""
    list_id = list_of(system)
    requested = max(int(row["requests"]) for row in rows_of_readers(system, "SIGNUP"))
    assert 1 <= len(addressed(system)) <= requested
    assert [row["state"] for row in rows_of_readers(system, "SIGNUP")] == ["joined"]
    assert is_member(system, list_id)
    check_consent(system, list_id, "confirmed")


def check_chosen(system: System) -> None:
    """What holds after any disturbance of choices."""
    other = list_of(system, "Bee News")
    (row,) = rows_of_readers(system, "CHOICES")
    assert (row["frequency"], row["language"], row["joins"]) == ("weekly", "de", [])
    assert is_member(system, other)
    check_consent(system, other, None)


def check_erased(system: System) -> None:
    """What holds after any disturbance of an erasure."""
    assert not [key for key in system.rows() if key.startswith("NLSUB#") and "QUOTA" not in key]
    assert not is_member(system, list_of(system))
    jobs = [row for key, row in system.rows().items() if key.startswith("NLPRIVACY#")]
    assert [one["state"] for one in jobs] == ["done"]
    assert ("opted_out", "newsletters") in {
        (row["state"], sk) for (pk, sk), row in system.plain("log").items() if "CONSENT#" in pk
    }
    assert not system.fifo_queues.dead_letters
    assert not system.open_work()
    assert not system.parked()


def check_consent(system: System, list_id: str, action: str | None) -> None:
    consents = [
        row
        for (pk, sk), row in system.plain("log").items()
        if pk.startswith("CONSENT#") and sk == f"list:{list_id}"
    ]
    assert [row["state"] for row in consents] == ["opted_in"]
    acts = [row["action"] for row in rows_of_readers(system, "CONSENT")]
    assert action is None or action in acts
    assert not system.fifo_queues.dead_letters
    assert not system.open_work()
    assert not system.parked()


@dataclass(frozen=True)
class Scenario:
    """*before* is done; every call of the *acts*, and of the work that they cause, is disturbed."""

    name: str
    before: Steps
    acts: Sequence[Steps]
    check: Callable[[System], None]

    def __str__(self) -> str:
        return self.name


SCENARIOS = [
    Scenario("signed up", published, [sign_up, confirm], check_joined),
    Scenario("chosen", settled(EXPORTED, of_two_lists), [choose], check_chosen),
    Scenario("erased", with_page, [ask_erasure, confirm_erasure], check_erased),
]


def all_state(system: System) -> Hashable:
    others = [
        frozenset(" ".join(key) for key in system.plain(name)) for name in ("contacts", "log")
    ]
    return state_of(system), *others, tuple(addressed(system))


@pytest.mark.parametrize(
    "scenario",
    [SCENARIOS[0], *(pytest.param(one, marks=pytest.mark.long) for one in SCENARIOS[1:])],
    ids=str,
)
def test_a_crash_at_any_call_mails_no_one_twice_and_forgets_no_confirmation(
    system: System, scenario: Scenario
) -> None:
    scenario.before(system)
    run = RecordedRun(system, all_state, system.settle, scenario.acts)
    run.record()
    scenario.check(system)

    assert run.deaths
    for _ in run.kills():
        scenario.check(system)


def test_events_that_are_delivered_twice_change_nothing(system: System) -> None:
    list_id = published(system)
    for step in (lambda: signed_up(system, list_id), lambda: confirm(system)):
        step()
        for queue, message in system.fifo_queues.receive():
            assert not system.invoke_worker(queue, message)
            system.run_worker(queue, message)
        system.settle()

    assert addressed(system) == [DORA]
    check_joined(system)
