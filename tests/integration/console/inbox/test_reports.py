"""Counts of reports, against a recount, and GET /reports."""

from __future__ import annotations

import csv
import io
import json
import random
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from unittest import mock
from uuid import uuid4

import pytest

from shared.aws.dynamodb import Table, TransactionConflict
from shared.inbox import entries
from shared.inbox.items import Context, Entry, Head, pk
from shared.runtime import clock
from tests.integration.answers import Answer
from tests.integration.console.inbox.histories import History, at, killed
from tests.integration.console.system import ACME, READ, Invocation, Listed, inbox_call

if TYPE_CHECKING:
    from shared.api.auth import Caller
    from tests.integration.console.system import InboxSystem


def sums(inbox: InboxSystem) -> Counter[str]:
    """The counts of all days."""
    found: Counter[str] = Counter()
    for counts in inbox.counts().values():
        found.update(counts)
    return found


class Late:
    """Heads whose first read returns an outdated one."""

    context = Context.WHATSAPP

    def __init__(self, listed: Listed, outdated: Head | None) -> None:
        self.listed, self.outdated = listed, outdated

    def read(self, reference: str) -> Head | None:
        """Another run shows the present head after the outdated one was read."""
        outdated, self.outdated = self.outdated, None
        if outdated is None:
            return self.listed.read(reference)
        entries.refresh(self.listed.tables, self.listed, reference)
        return outdated


class Written(History):
    """Random changes of conversations, with their own count of what happens in them."""

    def step(self) -> tuple[str, dict[str, Any]]:
        """Change a conversation; return its reference and head."""
        self.minute += self.random.randint(1, 200)
        reference = self.random.choice("abcde")
        head = self.heads.get(reference)
        acts = ["write"] if head is None else ["write", "answer", "end", "label"]
        getattr(self, f"_{self.random.choice(acts)}")(reference)
        head = self.heads[reference]
        return reference, {name: value for name, value in head.items() if name[0] != "_"}

    def _write(self, reference: str) -> None:
        head = self.heads.get(reference)
        if head is None or head["status"] == "resolved":
            self.expected["opened"] += 1
            self.expected[f"h{int(at(self.minute)[11:13]):02}"] += 1
            self.expected["reopened"] += head is not None
            head = {
                "_opened": self.minute,
                "_is_first": True,
                **({"answered_at": head["answered_at"]} if head and "answered_at" in head else {}),
            }
        waiting = head.get("waiting_since") or at(self.minute)
        self.heads[reference] = {
            **head,
            "status": "open",
            "waiting_since": waiting,
            "ended_at": None,
            "last_activity_at": at(self.minute),
        }

    def _answer(self, reference: str) -> None:
        head = self.heads[reference]
        since = head.get("waiting_since")
        if since and head["_is_first"]:
            head["_is_first"] = False
            self.expected["answered"] += 1
            self.expected["as"] += (
                clock.from_text(at(self.minute)) - clock.from_text(since)
            ) // 1_000
        self.heads[reference] = {
            **head,
            "waiting_since": None,
            "answered_at": at(self.minute),
            "last_activity_at": at(self.minute),
        }

    def _end(self, reference: str) -> None:
        head = self.heads[reference]
        if head["status"] == "open":
            self.expected["resolved"] += 1
            self.expected["rs"] += 60 * (self.minute - head["_opened"])
        self.heads[reference] = {
            **head,
            "status": "resolved",
            "waiting_since": None,
            "ended_at": head.get("ended_at") or at(self.minute),
        }

    def _label(self, reference: str) -> None:
        self.heads[reference] = {**self.heads[reference], "labels": {str(self.minute)}}


@pytest.mark.parametrize("seed", range(2))
def test_counts_are_those_of_a_recount_despite_repeats_kills_and_old_records(
    inbox: InboxSystem, seed: int
) -> None:
    history, listed = Written(seed), Listed(inbox.tables)
    disturbed = random.Random(seed)  # noqa: S311 - as above
    known: list[str] = []

    for _ in range(40):
        reference, head = history.step()
        outdated = listed.heads.get(reference)
        known.append(reference)
        when = disturbed.choice(["before", "after", "never"])
        if when != "never":
            with killed(when, "transact_once", "put"):
                listed.show(reference, **head)
        if when == "before":
            entries.refresh(inbox.tables, Late(listed, outdated), reference)
        listed.show(reference, **head)
        # A record that comes again, and one of another conversation that is long out of date.
        for older in (reference, disturbed.choice(known)):
            entries.refresh(inbox.tables, listed, older)

    found = sums(inbox)
    expected = {name: n for name, n in history.expected.items() if n}
    assert {name: found[name] for name in expected} == expected
    assert (
        sum(found[name] for name in found if name[0] == "h" and name[1:].isdigit())
        == found["opened"]
    )
    assert sum(found[f"a{n}"] for n in range(8)) == found["answered"]


def _played(
    inbox: InboxSystem, context: Context = Context.EMAIL_THREADS, assignee: str = "user:kim"
) -> None:
    """A conversation that is answered after 30 minutes and resolved after two hours, and one that waits."""
    listed = Listed(inbox.tables)
    of_ada: dict[str, Any] = {"context": context, "assignee": assignee}
    answered = of_ada | {"answered_at": at(30), "minute": 30}
    listed.show("ben", context=context, waiting_since=at(0))
    listed.show("ada", waiting_since=at(0), **of_ada)
    listed.show("ada", **answered)
    listed.show("ada", ended_at=at(120), status="resolved", **answered)


JANUARY: dict[str, Any] = {"from": "2026-01-01", "to": "2026-01-31"}
SUPERVISOR = replace(ACME, scopes=READ | {"email_threads:approve"})
ADMIN = replace(ACME, scopes=READ | {"email_threads:admin"})


def test_a_report_has_each_day_with_openings_by_hour_and_durations(inbox: InboxSystem) -> None:
    _played(inbox)
    report = inbox.get(path="/reports/conversations", **JANUARY).result
    (day,) = report["days"]
    assert (report["timeZone"], report["first"], report["last"]) == ("UTC", *JANUARY.values())
    assert (day["date"], day["context"], day["channel"]) == ("2026-01-01", "email_threads", "email")
    assert (day["opened"], day["openedByHour"][12], sum(day["openedByHour"])) == (2, 2, 2)
    answers, ends = day["firstAnswers"], day["resolutions"]
    assert (answers["count"], answers["seconds"], answers["classes"][2]) == (1, 1_800, 1)
    assert (ends["count"], ends["businessSeconds"], ends["classes"][3]) == (1, 7_200, 1)
    assert (
        inbox.get(path="/reports/conversations", context="whatsapp", **JANUARY).result["days"] == []
    )


def test_days_and_hours_are_those_of_the_company(inbox: InboxSystem) -> None:
    berlin = {
        "time_zone": "Europe/Berlin",
        "periods": [{"days": ["thursday"], "start": "14:00", "end": "18:00"}],
    }
    set_ = {"business_hours": berlin, "version": 0}
    assert put_settings(inbox, ACME, set_).status == 403
    assert put_settings(inbox, ADMIN, set_).result["time_zone"] == "Europe/Berlin"
    assert put_settings(inbox, ADMIN, set_).status == 200, "a repeat"
    none = {"business_hours": None, "version": 0}
    assert put_settings(inbox, ADMIN, none).status == 409, "another change"
    assert put_settings(inbox, ADMIN, {**set_, "version": True, "x": 1}).status == 400
    _played(inbox)
    (day,) = inbox.get(path="/reports/conversations", **JANUARY).result["days"]
    assert day["openedByHour"][13] == 2, "noon in UTC"
    assert day["firstAnswers"]["businessSeconds"] == 0, "13:00 to 13:30"
    assert day["resolutions"]["businessSeconds"] == 3_600, "14:00 to 15:00"
    assert (
        inbox.get(path="/reports/settings").result["business_hours"]["time_zone"] == "Europe/Berlin"
    )


def put_settings(inbox: InboxSystem, caller: Caller, body: dict[str, Any]) -> Answer:
    """Set the business hours."""
    headers = {"Idempotency-Key": str(uuid4())}
    event = inbox_call("PUT", "/reports/settings", caller, {}, body, headers)
    answer = inbox.module.handler(event, Invocation())
    return Answer(answer["statusCode"], json.loads(answer["body"]))


def test_work_of_people_is_shown_to_supervisors_alone(inbox: InboxSystem) -> None:
    kim = hired(inbox, "Kim", "acme:agent", "acme:team:night")
    lee = hired(inbox, "Lee", "acme:agent")
    _played(inbox, assignee=kim)
    assert inbox.get(path="/reports/people", **JANUARY).status == 403
    expected = {
        "assignee": kim,
        "name": "Kim",
        "firstAnswers": 1,
        "seconds": 1_800,
        "businessSeconds": 1_800,
        "resolved": 1,
    }
    of_whatsapp = replace(ACME, scopes=READ | {"whatsapp:analytics"})
    for caller, more, people in (
        (SUPERVISOR, {}, [expected]),
        (SUPERVISOR, {"group": "night"}, [expected]),
        (SUPERVISOR, {"group": "day"}, []),
        (SUPERVISOR, {"assignee": kim}, [expected]),
        (SUPERVISOR, {"assignee": lee}, []),
        (SUPERVISOR, {"from": "2026-01-02"}, []),
        (of_whatsapp, {}, []),
        (replace(SUPERVISOR, company="globex"), {"assignee": kim}, []),
    ):
        report = inbox.get(caller, "/reports/people", **{**JANUARY, **more}).result
        assert (report["people"], report["complete"]) == (people, True), (caller, more)


def hired(inbox: InboxSystem, name: str, *groups: str) -> str:
    """Add a person of the company; return their principal."""
    address = f"{len(name)}{groups[-1].replace(':', '.')}@acme.example"
    inbox.people.create(address, groups, invites=False, name=name)
    return inbox.people.find(address).principal


def test_the_backlog_is_counted_by_age(inbox: InboxSystem) -> None:
    _played(inbox)
    with mock.patch.object(clock, "now_ms", return_value=clock.from_text(at(60 * 50))):
        report = inbox.get(path="/reports/backlog").result
    (part,) = report["backlog"]
    assert (part["open"], part["byAge"], part["byWait"]) == (1, [0, 1, 0, 0, 0], [0, 1, 0, 0, 0])
    assert report["complete"]


def test_a_table_in_csv_has_no_formulas(inbox: InboxSystem) -> None:
    _played(inbox, assignee=hired(inbox, "=cmd()", "acme:agent"))
    for path, cells in (
        ("/reports/people", {"name": "'=cmd()", "answer_seconds": "1800"}),
        ("/reports/conversations", {"date": "2026-01-01", "opened": "2", "opened_12": "2"}),
        ("/reports/backlog", {"channel": "email", "open": "1"}),
    ):
        query = {"format": "csv"} | ({} if path.endswith("backlog") else JANUARY)
        event = inbox_call("GET", path, SUPERVISOR, query)
        answer = inbox.module.handler(event, Invocation())
        assert answer["multiValueHeaders"]["Content-Type"] == ["text/csv; charset=utf-8"]
        header, row = csv.reader(io.StringIO(answer["body"]))
        assert cells.items() <= dict(zip(header, row, strict=True)).items(), path


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/reports/conversations", {"from": "2025-01-01", "to": "2026-01-02"}),
        ("/reports/conversations", {"from": "2026-01-02", "to": "2026-01-01"}),
        ("/reports/people", {"from": "2026-01-01", "to": "2026-04-03"}),
        ("/reports/conversations", {"format": "xlsx"}),
    ],
)
def test_a_range_beyond_the_bound_is_refused(
    inbox: InboxSystem, path: str, query: dict[str, str]
) -> None:
    assert inbox.get(SUPERVISOR, path, **query).status == 400


def test_an_entry_that_is_made_again_counts_nothing(inbox: InboxSystem, listed: Listed) -> None:
    listed.show("ada", waiting_since=at(0))
    before = sums(inbox)
    inbox.table.delete(pk(Entry.key(Context.WHATSAPP, "ada")))
    entries.refresh(inbox.tables, listed, "ada", counts_new=False)
    assert sums(inbox) == before
    listed.show("ada", 30, answered_at=at(30))
    assert sums(inbox) - before == Counter(
        {"answered": 1, "as": 1_800, "a2": 1, "bs": 1_800, "b2": 1}
    )


def test_changes_at_the_same_time_are_counted_in_shards_of_the_day(
    inbox: InboxSystem, listed: Listed, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed.show("first")
    once, conflicts = Table.transact_once, [1]

    def contended(table: Table, *writes: Any) -> None:
        if conflicts:
            conflicts.clear()
            raise TransactionConflict
        once(table, *writes)

    monkeypatch.setattr(Table, "transact_once", contended)
    for number in range(20):
        listed.show(f"further {number}", number)
    days = {key: day["opened"] for key, day in inbox.counts().items() if "opened" in day}
    assert len(days) > 1, "a shard"
    assert sum(days.values()) == 21
    (day,) = inbox.get(path="/reports/conversations", **JANUARY).result["days"]
    assert (day["opened"], sum(day["openedByHour"])) == (21, 21)


def test_of_an_entry_of_an_earlier_release_what_happens_from_now_on_is_counted(
    inbox: InboxSystem, listed: Listed
) -> None:
    listed.show("ada", waiting_since=at(0))
    before = sums(inbox)
    inbox.table.update(pk(Entry.key(Context.WHATSAPP, "ada")), drop=["round"])
    entries.refresh(inbox.tables, listed, "ada")
    assert sums(inbox) == before
    inbox.table.update(pk(Entry.key(Context.WHATSAPP, "ada")), drop=["round"])
    listed.show("ada", 30, answered_at=at(30))
    assert (sums(inbox) - before)["answered"] == 1


def test_a_report_says_whether_it_compares_all(
    inbox: InboxSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("Kim", "Maria"):
        hired(inbox, name, "acme:agent")
    _played(inbox)
    Listed(inbox.tables).show("cal")
    for bound, path in (
        ("console.reports.backlog.MOST_OPEN", "/reports/backlog"),
        ("console.reports.routes.MOST_PEOPLE", "/reports/people"),
    ):
        for most, is_complete in ((1, False), (2, True)):
            monkeypatch.setattr(bound, most)
            assert inbox.get(SUPERVISOR, path).result["complete"] is is_complete, (path, most)
