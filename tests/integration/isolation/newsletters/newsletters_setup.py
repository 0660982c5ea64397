"""Newsletters of two companies, with passages, drafts, exports, documents, jobs and parked events of company A."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from newsletters.api.queries import settings as settings_of
from newsletters.inbound.events import StepRequested
from newsletters.store.bucket import revisions
from newsletters.store.content.newsletters import get_newsletter_full
from newsletters.store.content.step_inputs import content_hash, status_of
from newsletters.store.content.steps import save, save_export
from newsletters.store.items import Export
from shared.api.auth import Scope
from shared.aws.sqs_fifo import Entry, digest
from shared.contacts import conditions, segments
from shared.events.queued_events import body_of
from tests.integration.isolation.deployed_companies import WITH_A, WITHOUT_A, QueuedCompanies
from tests.integration.newsletters.deployment import draft, outline, topics
from tests.simulation.kernel import running
from tests.simulation.newsletters.steps.issues import contacts_of, reader
from tests.simulation.newsletters.steps.readers import published, rows_of_readers, signed_up
from tests.simulation.newsletters.system import System

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType


COMPANY_A, COMPANY_B = "acme", "globex"
OWNER, ATTACKER = "api-key:owner", "api-key:attacker"
BOTH = "user-of-both"  # has newsletters in both companies
ALL = " ".join(Scope)
SOURCE = {"name": "report.md", "title": "canary-words", "text": "# canary-words\n\nMaize."}
SET = "canary-words"
SCENARIO = {
    "kind": "newsletter",
    "name": "canary-words",
    "step": "outline",
    "newsletter": {"passages": [{"topic": "Events", "text": "canary-words"}]},
    "answer": {"blocks": []},
    "expect": {"contains": "canary-words"},
}
CONFIGURATION = {"title": "canary-words", "target_audience": ["researchers"]}


def issue_input(code: str, list_id: str) -> dict[str, Any]:
    """An issue of a newsletter to a list."""
    return {
        "newsletter_code": code,
        "list_ids": [list_id],
        "sender": "news@shop.example",
        "sender_name": "canary-words",
        "subject": "canary-words",
        "postal_address": "1 Mill Lane",
        "permission_line": "You asked for it.",
    }


def series_input() -> dict[str, Any]:
    """A series that drafts a newsletter each Friday."""
    return {
        "title": "canary-words",
        "newsletter": {"target_audience": ["researchers"], "description": "canary-words"},
        "selected_types": ["Events"],
        "rule": {"unit": "weeks", "weekdays": [5], "time": "09:00"},
        "timezone": "Europe/Berlin",
    }


@dataclass
class TwoCompanies(QueuedCompanies[System]):
    """The simulated newsletters, with newsletters of A and B."""

    def __post_init__(self) -> None:
        """A's newsletters and parked events, with a snapshot before and after them. B has one of a common user."""
        system = self.system.reset()
        of_b = self._create(user=BOTH, company=COMPANY_B, title="Of B")
        without = system.snapshot()
        code, other = self._create(), self._create()
        of_both = self._create(user=BOTH)
        self._fill(code)
        paces = {"google": {"per_hour": 600, "domains": ["mill.example"]}}
        settings = {"version": 0, "four_eyes": True, "mailbox_providers": paces}
        self._call("PUT", "settings", settings)
        for name in (SOURCE["name"], "report-2.md"):
            self._call("POST", "sources", {**SOURCE, "name": name})
        self._call("POST", f"{code}/review/request", {"version": 1, "note": "canary-words"})
        version = self._call("POST", "settings/versions", {"settings": {"check_claims": True}})
        for name in (SET, "canary-words-2"):
            self._call("POST", f"settings/sets/{name}", {"scenarios": [SCENARIO]})
        given = {"version": version["number"], "recorded": True}
        run = self._call("POST", f"settings/sets/{SET}/runs", given)
        export = self._call("POST", "users/export", {"user_id": "canary-words"})
        system.drain()
        for step in ("summary", "title"):
            self._put(body_of(StepRequested(code=code, step=step, job_id="j")))  # type: ignore[arg-type] # not a step
            system.clock.ms += 1_000
        system.drain()
        system.interceptor.fails_if = lambda call: call.startswith("dynamodb.GetItem")
        self._put(body_of(StepRequested(code=other, step="topics", job_id="dead")))
        system.drain()
        system.interceptor.rewind()
        readers = published(
            system, title="canary-words", description="canary-words", topics=["Bees"]
        )
        self._call("PUT", "warm-ups/shop.example", {"version": 0, "limits": [7]})
        signed_up(system, readers, "canary-words@orchard.example")
        system.drain()
        reader(system, readers, "canary-words@orchard.example", company=COMPANY_A)
        condition = conditions.read({"field": "language", "operator": "is", "value": "de"})
        segment = segments.create(
            contacts_of(system), COMPANY_A, "German", condition, by=OWNER, cause="segment"
        )
        colours = {"accent": "#7a1f5c", "page": "#fdf6e3"}
        look = self._call("POST", "templates", {"name": "canary-words", "colours": colours})
        given = issue_input(code, readers) | {"segment_ids": [segment.sk]}
        issue = self._call("POST", "issues", given)["issue_id"]
        self._call("POST", "issues", issue_input(other, readers))
        of_series = {
            **series_input(),
            "issue": {
                n: v for n, v in issue_input(code, readers).items() if n != "newsletter_code"
            },
        }
        series = self._call("POST", "series", of_series)["series_id"]
        job = self._call("POST", f"{code}/topics/start", {})["job_id"]
        self._call("POST", f"{code}/exports", {"formats": ["markdown"]})
        self.keep({WITH_A: system.snapshot(), WITHOUT_A: without})
        parked = self.shown("GET /newsletters/parked")["result"]["events"]
        letters = self.shown("GET /newsletters/dead-letters")["result"]["letters"]
        self.with_a()
        self.names = {
            "code": code,
            "other": other,
            "of_both": of_both,
            "of_b": of_b,
            "job": job,
            "source": SOURCE["name"],
            "parked_id": parked[0]["eventId"],
            "letter": letters[0]["id"],
            "privacy_job": export["id"],
            "issue": issue,
            "list": readers,
            "series": series,
            "template": look["template_id"],
            "run": run["run_id"],
            "recipient": rows_of_readers(system, "SIGNUP")[0]["recipient"],
        }
        self.ids = (code, other, of_both, job, issue)

    def module_of(self, line: str) -> ModuleType:
        return self.system.api

    def four_eyes_of_a(self) -> bool:
        """Whether A's settings are as A has set them."""
        return settings_of(self.system.api.deps, COMPANY_A).four_eyes

    def _create(self, user: str = OWNER, company: str = COMPANY_A, **values: Any) -> str:
        self.system.clock.ms += 1_000
        body = CONFIGURATION | values
        created = self._result("POST", "/newsletters", body, user=user, company=company)
        return str(created["newsletter_code"])

    def _call(self, method: str, path: str, body: Any) -> Any:
        return self._result(method, f"/newsletters/{path}", body, user=OWNER, company=COMPANY_A)

    def _result(self, method: str, path: str, body: Any, *, user: str, company: str) -> Any:
        status, answer = self.system.call(
            method, path, body, scopes=ALL, user=user, company=company
        )
        assert status < 300, answer
        return answer["result"]

    def _fill(self, code: str) -> None:
        """All steps, and an exported file, as workers write them."""
        store = self.system.api.resources.store
        text = "# canary-words\n\n## canary-words\n\nMaize."
        written = draft(code, text).model_copy(
            update={
                "sections": {"research": "Maize."},
                "section_names": {"research": "canary-words"},
            }
        )
        for step in (topics(code), outline(code), written):
            found = get_newsletter_full(store, code)
            assert found is not None
            save(store, found, step, {"status": status_of(found.metadata, written)})
        found = get_newsletter_full(store, code)
        assert found is not None
        assert found.draft is not None
        kept = revisions.to_keep(store, code, found.draft, by=OWNER, cause="generated")
        store.table.transact(kept)
        key = f"newsletters/{code}/export.html"
        store.bucket.put(key, b"canary-words")
        export = Export(
            s3_key=key,
            generated_at=found.metadata.updated_at,
            file_size=12,
            content_hash=content_hash(found.metadata, found.draft),
        )
        save_export(store, found, ("html", export), {"status": "exported"})

    def _put(self, body: str) -> None:
        group = digest(body)
        self.system.fifo_queues.put(self.system.steps_queue, Entry(body, group, group))


@contextmanager
def two_companies() -> Iterator[TwoCompanies]:
    """The system, created once per module."""
    with running(System) as system:
        yield TwoCompanies(system)
