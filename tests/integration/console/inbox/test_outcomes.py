"""What came of an assistant's answers, against a recount, and GET /reports/outcomes."""

from __future__ import annotations

import csv
import io
import random
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from shared.inbox import entries
from shared.inbox.items import Context
from shared.inbox.reports.outcomes import Outcome
from shared.inbox.tallies import Tally
from tests.integration.console.inbox.histories import History, at, killed
from tests.integration.console.system import ACME, READ, Invocation, Listed, inbox_call
from tests.template import properties

if TYPE_CHECKING:
    from tests.integration.console.system import InboxSystem

RANGE: dict[str, Any] = {"from": "2026-01-01", "to": "2026-01-31", "project": "hiring"}
AI: dict[str, Any] = {"context": Context.CONVERSATIONS, "project_id": "hiring"}
ALONE: dict[str, Any] = {"context_status": "reply_sent"}
PEOPLE: dict[str, Any] = {"context_status": "handoff_pending"}
CLOSED: dict[str, Any] = {"context_status": "closed", "status": "resolved"}
OPTED_OUT: dict[str, Any] = {"context_status": "opted_out", "status": "resolved"}


def outcomes(inbox: InboxSystem, **query: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = inbox.get(path="/reports/outcomes", **RANGE | query).result[
        "outcomes"
    ]
    return found


def counted(inbox: InboxSystem, **query: Any) -> Counter[str]:
    """The counts of all days, as the table in CSV has them."""
    event = inbox_call("GET", "/reports/outcomes", ACME, RANGE | query | {"format": "csv"})
    table = inbox.module.handler(event, Invocation())["body"]
    found: Counter[str] = Counter()
    for row in csv.DictReader(io.StringIO(table)):
        one = Outcome(row["outcome"], row["cause"], int(row["version"]), row["language"])
        found[f"{row['channel']} {one.name}"] += int(row["count"])
    return found


class Answered(History):
    """Random changes of conversations of an assistant, with their own count of what came of them."""

    def step(self) -> tuple[str, dict[str, Any]]:
        """Change a conversation; return its reference and head."""
        self.minute += self.random.randint(1, 2_000)
        reference = self.random.choice("abcd")
        head = self.heads.get(reference)
        acts = (
            ["_answer"] if head is None else ["_answer", "_hand_off", "_end", "_rate", "_opt_out"]
        )
        before = head or {"_ended": None, "ratings": {}, "language": None, "ai_version": None}
        self.heads[reference] = now = dict(before)
        getattr(self, self.random.choice(acts))(now)
        return reference, AI | {name: v for name, v in now.items() if name[0] != "_"}

    def _count(self, head: dict[str, Any], kind: str, cause: str = "", times: int = 1) -> None:
        language = (head["language"] or "und").partition("-")[0]
        self.expected[
            "whatsapp " + Outcome(kind, cause, head["ai_version"] or 0, language).name
        ] += times

    def _opens(self, head: dict[str, Any]) -> None:
        if head["_ended"] is not None:
            if self.minute - head["_ended"] <= 72 * 60:
                self._count(head, "reopened_72h")
            head["_ended"] = None
        if head.get("status") != "open":
            head["_had_people"] = False
        head |= {"status": "open", "ended_at": None, "last_activity_at": at(self.minute)}
        head["waiting_since"] = at(self.minute)

    def _answer(self, head: dict[str, Any]) -> None:
        head["ai_version"] = self.random.choice([None, 7, 8])
        head["language"] = self.random.choice([None, "de", "pt-BR"])
        self._opens(head)
        head |= ALONE

    def _hand_off(self, head: dict[str, Any]) -> None:
        cause = self.random.choice(["ai_refused", "taken_over", "Words of a model.", None])
        head["handed_off_for"] = cause
        self._opens(head)
        if not head["_had_people"]:
            self._count(
                head, "handed_off", cause if cause in {"ai_refused", "taken_over"} else "other"
            )
        head["_had_people"] = True
        head |= PEOPLE

    def _end(self, head: dict[str, Any]) -> None:
        if head["_ended"] is None:
            self._count(head, "ended_with_people" if head["_had_people"] else "ended_alone")
            self._over(head, CLOSED)

    def _opt_out(self, head: dict[str, Any]) -> None:
        if head["_ended"] is None:
            self._count(head, "opted_out")
            self._over(head, OPTED_OUT)

    def _over(self, head: dict[str, Any], how: dict[str, Any]) -> None:
        head |= {**how, "_ended": self.minute, "ended_at": at(self.minute), "waiting_since": None}

    def _rate(self, head: dict[str, Any]) -> None:
        kind, reason = self.random.choice([("rated_up", ""), ("rated_down", "wrong")])
        version = self.random.choice([7, 8])
        name = f"{kind}:{reason}|{version}" if reason else f"{kind}|{version}"
        ratings = Counter(head["ratings"])
        times = 1 if not ratings[name] or self.random.random() < 0.7 else -1
        ratings[name] += times
        head["ratings"] = {one: n for one, n in ratings.items() if n}
        self._count(head | {"ai_version": version}, kind, reason, times)


@pytest.mark.parametrize("seed", range(2))
def test_outcomes_are_those_of_a_recount_despite_repeats_and_kills(
    inbox: InboxSystem, seed: int
) -> None:
    history, listed = Answered(seed), Listed(inbox.tables)
    disturbed = random.Random(seed)  # noqa: S311 - as above

    for _ in range(40):
        reference, head = history.step()
        when = disturbed.choice(["before", "after", "never"])
        if when != "never":
            with killed(when, "transact_once"):
                listed.show(reference, **head)
        listed.show(reference, **head)
        entries.refresh(inbox.tables, listed, reference)

    assert counted(inbox) == Counter({name: n for name, n in history.expected.items() if n})


def played(inbox: InboxSystem) -> None:
    """One that ends alone and is opened again after two days, and one that people end."""
    listed = Listed(inbox.tables)
    of_ada = AI | {"ai_version": 7, "language": "de"}
    listed.show("ada", **of_ada, **ALONE)
    listed.show("ada", **of_ada, **CLOSED, ended_at=at(60))
    listed.show("ada", **of_ada, **ALONE, waiting_since=at(2_900), last_activity_at=at(2_900))
    of_ben = AI | {"ai_version": 8, "language": "en", "handed_off_for": "no_progress"}
    listed.show("ben", **of_ben, **PEOPLE, ratings={"rated_down:wrong|8": 1, "rated_up|8": 2})
    listed.show("ben", **of_ben, **CLOSED, ended_at=at(90), ratings={"rated_up|8": 2})


def test_a_report_has_outcomes_by_day_channel_version_and_language(inbox: InboxSystem) -> None:
    played(inbox)

    first, second = sorted(
        (one for one in outcomes(inbox) if one["date"] == "2026-01-01"),
        key=lambda one: int(one["version"]),
    )
    assert (first["version"], first["language"], first["channel"]) == (7, "de", "whatsapp")
    assert (first["endedAlone"], first["endedWithPeople"], first["handedOff"]) == (1, 0, {})
    assert (second["endedAlone"], second["endedWithPeople"]) == (0, 1)
    assert second["handedOff"] == {"no_progress": 1}
    (later,) = [one for one in outcomes(inbox) if one["reopenedSoon"]]
    assert (later["date"], later["version"], later["reopenedSoon"]) == ("2026-01-03", 7, 1)
    assert {one["version"] for one in outcomes(inbox, version=8)} == {8}
    assert {one["language"] for one in outcomes(inbox, language="de")} == {"de"}
    assert outcomes(inbox, channel="sms") == outcomes(inbox, project="other") == []


def test_outcomes_of_a_trial_are_counted_for_its_arm_in_the_same_transaction(
    inbox: InboxSystem,
) -> None:
    log = inbox.tables.inbox.beside(str(properties("ConversationLogTable")["TableName"]))
    listed = Listed(inbox.tables)
    of_ada = AI | {"ai_version": 8, "tally": Tally(log.name, "PROJECT#a", "COUNTS", "trial")}
    listed.show("ada", **of_ada, **PEOPLE, handed_off_for="no_progress")

    with killed("before", "transact_once"):
        listed.show("ada", **of_ada, **CLOSED, ended_at=at(60))
    listed.show("ada", **of_ada, **CLOSED, ended_at=at(60), ratings={"scored:5|8": 1})
    listed.show("ada", **of_ada, **CLOSED, ended_at=at(60), ratings={"scored:5|8": 1})

    counts = log.get({"pk": "PROJECT#a", "sk": "COUNTS"}) or {}
    assert {name: int(n) for name, n in counts.items() if name.startswith("trial_")} == {
        "trial_handed_off": 1,
        "trial_ended_with_people": 1,
        "trial_scored_5": 1,
    }


def test_a_rating_that_is_taken_back_is_not_in_the_sum(inbox: InboxSystem) -> None:
    played(inbox)

    found = counted(inbox)
    assert found["whatsapp v8_en_rated_up"] == 2
    assert "whatsapp v8_en_rated_down_wrong" not in found


def test_conversations_without_an_assistant_have_no_outcomes(inbox: InboxSystem) -> None:
    listed = Listed(inbox.tables)
    for context in (Context.WHATSAPP, Context.EMAIL_THREADS):
        listed.show("ada", context=context, project_id="hiring")
        listed.show("ada", context=context, project_id="hiring", status="resolved", ended_at=at(9))

    assert outcomes(inbox) == []


def test_a_key_reads_outcomes_of_its_projects_and_company_only(inbox: InboxSystem) -> None:
    played(inbox)
    hiring = replace(ACME, projects=frozenset({"hiring"}))
    sales = replace(ACME, projects=frozenset({"sales"}))
    elsewhere = replace(ACME, company="globex")
    without = replace(ACME, scopes=READ - {"conversations:read"})
    path = "/reports/outcomes"

    assert inbox.get(hiring, path=path, **RANGE).result["outcomes"]
    assert inbox.get(sales, path=path, **RANGE).status == 403
    assert inbox.get(elsewhere, path=path, **RANGE).result["outcomes"] == []
    assert inbox.get(without, path=path, **RANGE).status == 403
    assert inbox.get(path=path, **{**RANGE, "project": "a b"}).status == 400
