"""When an issue is sent: in the zone of each reader, never after its latest time; unknown mails again on request."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

from tests.simulation.newsletters.scenarios import EXPORTED, settled
from tests.simulation.newsletters.steps.issues import (
    ONE,
    READERS,
    READY,
    addressed,
    approved,
    changed,
    drafted,
    issue_of,
    ledger,
    made_list,
    mails,
    reader,
    reported,
    sent,
    stats,
    with_readers,
)

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System

NINE: dict[str, Any] = {"local": "2026-01-03T09:00", "timezone": "Europe/Berlin"}


def zoned(system: System) -> None:
    """Ann is in New Zealand, Bob in New York; Cleo's zone is not known."""
    list_id = made_list(system)
    reader(system, list_id, READERS[0], zone="Pacific/Auckland")
    reader(system, list_id, READERS[1], zone="America/New_York")


def at(system: System, moment: str) -> list[str]:
    """The schedule runs at a moment, in UTC, and the work that it finds; return whose mails are sent then."""
    before = Counter(addressed(system))
    system.clock.ms = int(datetime.fromisoformat(f"{moment}Z").timestamp() * 1_000)
    system.run_schedule()
    system.drain()
    return sorted((Counter(addressed(system)) - before).elements())


def test_each_reader_gets_the_issue_at_the_time_in_the_own_zone(system: System) -> None:
    settled(EXPORTED, with_readers(), zoned, drafted, approved)(system)
    changed("schedule", **NINE, in_reader_zone=True)(system)
    assert system.read(ONE)["scheduled_for"] == "2026-01-02T19:00:00Z"  # where the day begins first

    ann, bob, cleo = READERS
    sent_at = {
        moment: at(system, moment)
        for moment in (
            "2026-01-02T19:00", "2026-01-02T19:59", "2026-01-02T20:00", "2026-01-03T07:59", "2026-01-03T08:00",
            "2026-01-03T13:59", "2026-01-03T14:00",
        )
    }  # fmt: skip

    assert {moment: who for moment, who in sent_at.items() if who} == {
        "2026-01-02T20:00": [ann],
        "2026-01-03T08:00": [cleo],
        "2026-01-03T14:00": [bob],
    }
    assert stats(system) == {"audience": 3, "sent": 3}
    assert issue_of(system).state == "sent"


@pytest.mark.parametrize(
    ("times", "field"),
    [
        ({"local": "2026-01-01T22:00", "in_reader_zone": True}, "local"),  # is over in Kiribati
        ({"not_after": "2026-01-03T09:14"}, "not_after"),
        ({"not_after": "2026-01-03 12:00"}, "not_after"),
        ({"in_reader_zone": "yes"}, "in_reader_zone"),
    ],
)
def test_times_that_cannot_be_kept_are_refused(
    system: System, times: dict[str, Any], field: str
) -> None:
    READY(system)
    body = {"version": system.read(ONE)["version"], **NINE, **times}
    status, answer = system.call("POST", f"{ONE}/schedule", body)
    assert (status, answer["error"]["details"][0]["field"]) == (400, field)


@pytest.mark.parametrize("late", ["schedule", "switch"])
def test_an_issue_that_is_too_late_is_missed_until_people_decide(system: System, late: str) -> None:
    """The schedule did not run, or mail was switched off."""
    READY(system)
    changed("schedule", **NINE, not_after="2026-01-03T09:30")(system)
    if late == "switch":
        system.switch(safe_mode="true")
        at(system, "2026-01-03T08:00")
    at(system, "2026-01-03T08:31")

    assert issue_of(system).state == "missed"
    assert addressed(system) == []
    system.switch(safe_mode="false")
    changed("send")(system)
    system.settle()
    assert issue_of(system).state == "sent"
    assert addressed(system) == sorted(READERS)


def with_an_unknown_mail(system: System) -> None:
    READY(system)
    system.sandbox.faults.add(provider="ses", operation="SendEmail", times=1, kind="lost_answer")
    sent(system)
    system.settle()
    assert stats(system) == {"audience": 3, "sent": 2, "unknown": 1}


def test_people_send_unknown_mails_again_and_no_other(system: System) -> None:
    with_an_unknown_mail(system)
    before = addressed(system)

    changed("resend-unknown")(system)
    system.settle()

    assert stats(system) == {"audience": 3, "sent": 3}
    assert len(addressed(system)) == len(before) + 1
    assert set(addressed(system)) == set(READERS)
    version = system.read(ONE)["version"]
    status, answer = system.call("POST", f"{ONE}/resend-unknown", {"version": version})
    assert (status, answer["error"]["code"]) == (409, "wrong_state")


def test_an_event_before_the_second_mail_keeps_it_from_being_sent(system: System) -> None:
    with_an_unknown_mail(system)
    (unknown,) = [one for one in ledger(system) if one.state == "unknown"]
    by_tag = {tag["Value"]: mail for mail in mails(system) for tag in mail["EmailTags"]}
    system.switch(safe_mode="true")
    changed("resend-unknown")(system)

    reported(system, by_tag[unknown.recipient], "Delivery")
    system.drain()
    system.switch(safe_mode="false")
    system.settle()

    assert stats(system) == {"audience": 3, "sent": 3, "delivered": 1}
    assert addressed(system) == sorted(READERS)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"local": "2025-12-31T09:00"}, "local"),
        ({"timezone": "Europe/Atlantis"}, "timezone"),
        ({"timezone": "../etc/passwd"}, "timezone"),
        ({"local": "2026-02-30T09:00"}, "local"),
        ({"local": "2026-01-03T09:00Z"}, "local"),
        ({"not_after": "2026-01-03T08:00"}, "not_after"),
    ],
)
def test_a_time_in_the_past_or_of_an_unknown_zone_is_refused_by_its_field(
    system: System, wrong: dict[str, str], field: str
) -> None:
    settled(EXPORTED, with_readers(READERS[0]), drafted, approved)(system)
    before = issue_of(system)
    status, answer = system.call(
        "POST", f"{ONE}/schedule", {"version": before.version, **NINE, **wrong}
    )

    assert (status, answer["error"]["code"]) == (400, "invalid_input")
    assert [one["field"] for one in answer["error"]["details"]] == [field]
    assert issue_of(system) == before
