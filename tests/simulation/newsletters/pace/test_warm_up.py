"""A new domain sends so many mails a day; all others wait for the next day, and are sent once."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from newsletters.issues import checklist
from newsletters.store.delivery import warm_ups
from newsletters.store.items import RecipientState
from newsletters.store.readers import interest
from shared.aws.dynamodb import Table
from shared.identity.keyed_hashes import address_hashes
from shared.runtime import clock
from tests import keyring
from tests.simulation.newsletters.scenarios import EXPORTED, settled
from tests.simulation.newsletters.steps.issues import (
    KEYS,
    ONE,
    addressed,
    approved,
    changed,
    drafted,
    granted,
    issue_of,
    ledger,
    made_list,
    ordered,
    reader,
    sent,
    stats,
    warm,
    with_readers,
)
from tests.simulation.newsletters.system import COMPANY

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System

PATH = "/newsletters/warm-ups/shop.example"
MANY = [f"reader{number}@orchard.example" for number in range(7)]
DAY_MS = 24 * 3_600_000


def limited(system: System, *limits: int, **fields: Any) -> None:
    granted(system)
    warm(system, *limits, **fields)


def a_day_passes(system: System) -> list[str]:
    """The next UTC day begins; return whose mails are sent then."""
    before = Counter(addressed(system))
    system.clock.ms += DAY_MS - system.clock.ms % DAY_MS
    system.run_schedule()
    system.drain()
    return sorted((Counter(addressed(system)) - before).elements())


def of_today(system: System) -> dict[str, int]:
    found = warm_ups.get(Table(system.dynamodb, system.table), COMPANY, "shop.example")
    return {
        name: getattr(found, name)
        for name in ("step", "total", "google", "other")
        if getattr(found, name)
    }


def begun(*addresses: str, limits: tuple[int, ...], **fields: Any) -> Any:
    warm_up = partial(_limited, limits=limits, fields=fields)
    return settled(EXPORTED, with_readers(*addresses), warm_up, drafted, approved)


def _limited(system: System, *, limits: tuple[int, ...], fields: dict[str, Any]) -> None:
    limited(system, *limits, **fields)


def test_mails_above_the_limit_of_a_day_wait_for_the_next_one_and_are_sent_once(
    system: System,
) -> None:
    begun(*MANY, limits=(2, 3))(system)
    sent(system)
    system.drain()

    assert len(addressed(system)) == 2
    assert stats(system) == {"audience": 7, "sent": 2}
    assert issue_of(system).state == "sending"
    assert len(a_day_passes(system)) == 3
    assert of_today(system) == {"step": 1, "total": 3, "other": 3}
    assert len(a_day_passes(system)) == 2  # The plan is over.
    system.settle()
    assert addressed(system) == sorted(MANY)
    assert stats(system) == {"audience": 7, "sent": 7}
    assert issue_of(system).state == "sent"


def interested(system: System, address: str, days: int) -> None:
    """The reader has shown interest for so many days."""
    at = clock.to_text(system.clock.ms - days * DAY_MS)
    with keyring.held(KEYS):
        own = address_hashes(address)[0]
    interest.note(Table(system.dynamodb, system.table), COMPANY, own, at)


def test_who_has_shown_interest_for_longest_gets_the_first_mails_of_a_new_domain(
    system: System,
) -> None:
    for address, days in ((MANY[4], 1), (MANY[6], 400), (MANY[2], 100)):
        interested(system, address, days)
    begun(*MANY, limits=(1, 1, 2))(system)
    sent(system)
    system.drain()

    assert addressed(system) == [MANY[6]]
    assert a_day_passes(system) == [MANY[2]]
    third = a_day_passes(system)
    assert (MANY[4] in third, len(third)) == (True, 2)
    assert len(a_day_passes(system)) == 3  # The plan is over.
    system.settle()
    assert addressed(system) == sorted(MANY)
    assert stats(system) == {"audience": 7, "sent": 7}


def test_a_recipient_whose_rank_the_issue_does_not_name_gets_the_mail_in_the_last_round(
    system: System,
) -> None:
    """A page is planned twice after a crash, and the interest of a reader was noted in between."""
    interested(system, MANY[0], 10)
    begun(*MANY[:4], limits=(1, 2))(system)
    sent(system)
    system.drain()
    waiting = next(one for one in ledger(system) if one.state is RecipientState.PLANNED)
    other = max(issue_of(system).ranks) + 1
    Table(system.dynamodb, system.table).update(waiting.own_key(), put={"rank": other})

    a_day_passes(system)
    a_day_passes(system)

    system.settle()
    assert addressed(system) == sorted(MANY[:4])
    assert issue_of(system).state == "sent"


def test_readers_without_interest_fill_a_day_that_the_others_leave_free(system: System) -> None:
    interested(system, MANY[0], 10)
    begun(*MANY[:4], limits=(4,))(system)
    sent(system)
    system.settle()

    assert addressed(system) == sorted(MANY[:4])
    assert issue_of(system).state == "sent"


def test_a_domain_that_is_warm_has_no_order(system: System) -> None:
    interested(system, MANY[0], 10)
    settled(EXPORTED, with_readers(*MANY[:3]), warm, drafted, approved, sent)(system)
    system.settle()

    assert {one.rank for one in ledger(system)} == {None}
    assert addressed(system) == sorted(MANY[:3])


def test_one_mailbox_provider_gets_at_most_its_share_while_others_go_on(system: System) -> None:
    of_google = [f"reader{number}@gmail.com" for number in range(3)]
    begun(*of_google, *MANY[:2], limits=(4,), provider_percent=50)(system)
    sent(system)
    system.drain()

    assert len(addressed(system)) == 4
    assert of_today(system) == {"total": 4, "google": 2, "other": 2}
    found = system.read(f"{ONE}/stats")
    assert found["warm_up"] == {
        "domain": "shop.example", "limit": 4, "sent_today": 4, "ends_on": "2026-01-02",
    }  # fmt: skip
    rows = {one["mailbox_provider"]: one for one in found["mailbox_providers"]}
    assert (rows["google"]["waiting"], rows["other"]["waiting"]) == (1, 0)
    assert len(a_day_passes(system)) == 1
    system.settle()
    assert "warm_up" not in system.read(f"{ONE}/stats")


def test_the_checklist_says_until_when_an_issue_of_a_new_domain_is_sent(system: System) -> None:
    begun(*MANY, limits=(2, 3))(system)

    def found() -> list[str]:
        checks = system.read(f"{ONE}/checklist")["checks"]
        return [
            one["problem"]
            for one in checks
            if (one["code"], one["level"]) == ("warm_up", "warning")
        ]

    assert found() == [
        "the domain is new: 2 mails today (UTC), of which 0 are sent; "
        "for 7 people the last mails go out on 2026-01-03 at the earliest"
    ]
    outlook = system.read(f"{ONE}/checklist")["warm_up"]
    assert (outlook["people"], outlook["is_all"], outlook["ends_on"]) == (7, True, "2026-01-03")
    limited(system)  # no limits: a domain that has sent mails for long
    assert found() == []


def test_the_date_in_the_checklist_counts_each_person_once_over_all_pages_of_all_lists(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checklist, "PAGE", 3)
    begun(*MANY, limits=(2, 3))(system)
    other = made_list(system, "Others")
    for address in (*MANY[:2], "dora@field.example"):
        reader(system, other, address)
    drafted(system, key="both", list_ids=[made_list(system), other])

    def outlook() -> tuple[int, bool, str]:
        found = system.read(f"{ONE}/checklist")["warm_up"]
        return found["people"], found["is_all"], found["ends_on"]

    assert outlook() == (8, True, "2026-01-03")
    monkeypatch.setattr(checklist, "PAGES", 2)  # of both lists together
    people, is_all, _ = outlook()
    assert (people <= 6, is_all) == (True, False)
    monkeypatch.setattr(checklist, "PAGE", 100)
    assert outlook() == (8, True, "2026-01-03")
    limited(system)
    monkeypatch.setattr(checklist, "_people", None)  # of a warm domain no people are counted
    assert "warm_up" not in {one["code"] for one in system.read(f"{ONE}/checklist")["checks"]}


def test_issues_of_a_domain_share_the_day(system: System) -> None:
    begun(*MANY[:3], limits=(4,))(system)
    sent(system)
    system.drain()
    drafted(system, key="second")
    approved(system, "second")
    changed("send", key="second")(system)
    system.drain()

    assert len(addressed(system)) == 4
    assert len(a_day_passes(system)) == 2
    system.settle()
    assert Counter(addressed(system)) == dict.fromkeys(MANY[:3], 2)


def test_a_mail_that_ses_did_not_take_gives_its_place_back(system: System) -> None:
    begun(*MANY[:2], limits=(2,))(system)
    system.sandbox.faults.add(
        provider="ses", operation="SendEmail", times=1, kind="status", status=429
    )
    sent(system)
    system.drain()
    assert of_today(system) == {}

    system.settle()
    assert addressed(system) == sorted(MANY[:2])
    assert of_today(system) == {"total": 2, "other": 2}


def test_a_mail_in_doubt_keeps_its_place(system: System) -> None:
    begun(*MANY[:3], limits=(2,))(system)
    system.sandbox.faults.add(provider="ses", operation="SendEmail", times=1, kind="lost_answer")
    sent(system)
    system.drain()

    assert of_today(system) == {"total": 2, "other": 2}
    assert sum(one.state is RecipientState.PLANNED for one in ledger(system)) == 1


def test_a_pause_and_a_resume_pass_no_limit(system: System) -> None:
    begun(*MANY, limits=(3,))(system)
    sent(system)
    system.drain()
    ordered("pause")(system)
    ordered("resume")(system)
    system.drain()

    assert len(addressed(system)) == 3
    assert len(a_day_passes(system)) == 4


def test_people_change_the_plan_of_their_own_domains_only(system: System) -> None:
    granted(system)
    assert system.read(PATH)["limits"][:3] == [1_000, 2_000, 4_000]
    assert system.call("GET", "/newsletters/warm-ups/other.example")[0] == 404
    assert system.call("GET", "/newsletters/warm-ups/%20")[0] == 404
    limited(system, 10, 20)
    listed = system.read("/newsletters/warm-ups")["warm_ups"]
    assert [(one["domain"], one["day_number"], one["limit"]) for one in listed] == [
        ("shop.example", 1, 10)
    ]
    stale = {"version": 0, "limits": [5]}
    status, answer = system.call("PUT", PATH, stale)
    assert (status, answer["error"]["code"]) == (409, "stale_version")
    limited(system, provider_percent=80)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"limits": [0]}, "limits.0"),
        ({"limits": [1.5]}, "limits.0"),
        ({"limits": [1] * 61}, "limits"),
        ({"limits": None}, "limits"),
        ({"provider_percent": 49}, "provider_percent"),
        ({"provider_percent": 101}, "provider_percent"),
    ],
)
def test_plans_that_cannot_be_kept_are_refused(
    system: System, fields: dict[str, Any], field: str
) -> None:
    granted(system)
    status, answer = system.call("PUT", PATH, {"version": 0, **fields})
    assert (status, answer["error"]["details"][0]["field"]) == (400, field)
