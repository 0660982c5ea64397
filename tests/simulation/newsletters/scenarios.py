"""What people do with newsletters in the crash matrix: the system before it, and the calls that are disturbed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from events.newsletters.documents import DOCUMENTS
from tests.simulation import stored
from tests.simulation.newsletters.system import ANN, BEN, MODEL, System

type Steps = Callable[[System], object]

ONE = "/newsletters/{code}"
SET: Final = "/newsletters/settings/sets/grants"
TYPES: Final = ("research_findings", "technology_innovation", "policy_updates", "funding")
NEWSLETTER: Final = {
    "title": "What the season taught us",
    "description": "News for extension workers",
    "target_audience": ["field_staff"],
    "user_name": "Ann Example",
}
DOCUMENT_COUNT: Final = 4
EDITED: Final = "One more word."
QUICK_FORMATS: Final = ("markdown", "text", "html", "email")


@dataclass(frozen=True)
class Scenario:
    """*before* is done and settled; every call of the *acts*, and of the work that they cause, is disturbed."""

    name: str
    acts: Sequence[Steps]
    before: Steps

    def __str__(self) -> str:
        return self.name


def settled(*steps: Steps) -> Steps:
    """Steps one after the other, each with the work that it causes; in the initial state made once for a system."""

    def all_steps(system: System) -> None:
        def make() -> None:
            for step in steps:
                step(system)
                system.settle()

        system.reach(all_steps, make)

    return all_steps


# Steps


def others_are_stored(system: System) -> None:
    """Items of other systems in the same table, and a newsletter of another company."""
    for key in ("PROPOSAL#PROP-20260101-AAAA", "NEWSLETTER#NL-20260101-ZZZZ"):
        item = {"PK": key, "SK": "METADATA", "title": "Another one", "GSI1PK": f"USER#{ANN}",
                "GSI1SK": "NEWSLETTER#2026-01-01T00:00:00Z"}  # fmt: skip
        stored.put(system.table, {name: {"S": value} for name, value in item.items()})
    system.act("POST", "/newsletters", NEWSLETTER, company="other", user="zoe")


def configured(system: System, **more: Any) -> None:
    present = system.read("/newsletters/settings")["version"]
    settings = {"version": present, "ai": MODEL, **more}
    system.act("PUT", "/newsletters/settings", settings, key=f"settings {present}")


def documents_added(system: System) -> None:
    today = datetime.fromtimestamp(system.clock.ms // 1_000, UTC).date()
    for document in DOCUMENTS[:DOCUMENT_COUNT]:
        system.act("POST", "/newsletters/sources", document.source(today), key=document.name)


def created(system: System) -> None:
    system.code = system.act("POST", "/newsletters", NEWSLETTER)["newsletter_code"]


def topics_selected(system: System) -> None:
    version = _version(system, "topics")
    wanted = {"selected_types": list(TYPES), "version": version}
    system.act("PUT", f"{ONE}/topics", wanted, key=f"topics {version}")


def started(step: str, key: str = "first", **options: bool) -> Steps:
    return lambda system: system.act("POST", f"{ONE}/{step}/start", options, key=key)


def cancelled(step: str) -> Steps:
    return lambda system: system.act("POST", f"{ONE}/{step}/cancel", {}, key="cancel")


def exported(*formats: str, key: str = "first") -> Steps:
    wanted = {"formats": list(formats)}
    return lambda system: system.act("POST", f"{ONE}/exports", wanted, key=key)


def deleted(system: System) -> None:
    system.act("DELETE", ONE)


def configuration_changed(system: System) -> None:
    changes = {"version": 0, "title": "Another title", "tone_preset": "expert_analysis"}
    changes["version"] = _version(system, "metadata")
    system.act("PATCH", ONE, changes, key=f"title {changes['version']}")


def outline_edited(system: System) -> None:
    """A person excludes an item, edits one, and adds one."""
    present = system.read(ONE)["outline"]
    names = (
        "id", "title", "description", "included", "user_notes", "rag_reference_ids",
    )  # fmt: skip
    sections = [
        {
            "id": section["id"],
            "name": section["name"],
            "items": [{name: item[name] for name in names} for item in section["items"]],
        }
        for section in present["sections"]
    ]
    sections[1]["items"][0]["title"] = "A better title"
    sections[-1]["items"].append({"title": "An item of a person"})
    wanted = {"version": present["version"], "sections": sections}
    system.act("PUT", f"{ONE}/outline", wanted, key=f"outline {present['version']}")


def draft_edited(system: System) -> None:
    present = system.read(ONE)["draft"]
    content = f"{present['content']}\n\n{EDITED}\n"
    wanted = {"version": present["version"], "content": content}
    system.act("PUT", f"{ONE}/draft", wanted, key=f"draft {present['version']}")


def review_requested(system: System) -> None:
    wanted = {"version": _version(system, "metadata"), "note": "Please look."}
    system.act("POST", f"{ONE}/review/request", wanted, key="review")


def approved(system: System) -> None:
    wanted = {"version": _version(system, "metadata")}
    system.act("POST", f"{ONE}/review/approve", wanted, key="review", user=BEN)


def requested(kind: str, user: str = ANN) -> Steps:
    path = f"/newsletters/users/{kind}"
    return lambda system: system.act("POST", path, {"user_id": user}, key=kind, user="privacy")


def set_stored(system: System) -> None:
    """A set with a section, of which no version has passed anything."""
    items = [{"title": "A call of the Green Fund", "passages": [1]}]
    text = "The Green Fund opens a call for farmers."
    written = {
        "passages": [{"topic": "Funding Opportunities", "title": "Green Fund", "text": text}],
        "section": {"name": "Opportunities", "kind": "opportunities", "items": items},
    }
    one = {
        "kind": "newsletter",
        "name": "grant",
        "step": "section",
        "newsletter": written,
        "expect": {"cites": "Green Fund"},
    }
    system.act("POST", SET, {"scenarios": [one], "gate": True}, key="set")


def run_begun(system: System) -> None:
    system.act("POST", f"{SET}/runs", {"version": 1}, key="run")


def _version(system: System, part: str) -> int:
    whole = system.read(ONE)
    found = whole.get(part) or {}
    return int(found.get("version", 0))


# States

PREPARED: Final = settled(others_are_stored, configured, documents_added, created)
SELECTED: Final = settled(PREPARED, topics_selected)
RETRIEVED: Final = settled(SELECTED, started("topics"))
PLANNED: Final = settled(RETRIEVED, started("outline"))
DRAFTED: Final = settled(PLANNED, started("draft"))
EXPORTED: Final = settled(DRAFTED, exported(*QUICK_FORMATS))

SCENARIOS: Final = [
    Scenario("an outline", [started("outline")], RETRIEVED),
    Scenario("a draft", [started("draft")], PLANNED),
    Scenario(
        "a draft with a check of its claims",
        [started("draft")],
        settled(PLANNED, partial(configured, check_claims=True)),
    ),
    Scenario("topics", [started("topics")], SELECTED),
    Scenario(
        "a draft that replaces edits",
        [started("draft", "again", replace_edits=True)],
        settled(DRAFTED, draft_edited),
    ),
    Scenario(
        "an outline after edits",
        [started("outline", "again")],
        settled(PLANNED, outline_edited),
    ),
    Scenario("exports", [exported(*QUICK_FORMATS)], DRAFTED),
    Scenario(
        "exports of an edited draft",
        [exported("markdown", "text", key="again")],
        settled(EXPORTED, draft_edited),
    ),
    Scenario("a cancelled outline", [started("outline"), cancelled("outline")], RETRIEVED),
    Scenario(
        "an outline after a cancelled one",
        [started("outline"), cancelled("outline"), started("outline", "again")],
        RETRIEVED,
    ),
    Scenario(
        "a start while it is running",
        [started("outline"), started("outline", "again")],
        RETRIEVED,
    ),
    Scenario("a deletion", [deleted], EXPORTED),
    Scenario("a deletion while a job is queued", [started("draft"), deleted], PLANNED),
    Scenario(
        "a deletion while exports are queued", [exported("markdown", "text"), deleted], DRAFTED
    ),
    Scenario(
        "a newsletter from its creation to its topics",
        [created, topics_selected, started("topics")],
        settled(others_are_stored, configured, documents_added),
    ),
    Scenario("a run of an evaluation", [run_begun], settled(PREPARED, set_stored)),
    Scenario("settings and documents", [configured, documents_added], others_are_stored),
    Scenario(
        "changes of people",
        [configuration_changed, outline_edited, draft_edited, review_requested, approved],
        EXPORTED,
    ),
    Scenario(
        "an erasure of the author", [requested("erase")], settled(EXPORTED, requested("export"))
    ),
    Scenario(
        "an erasure of the reviewer",
        [requested("erase", BEN)],
        settled(DRAFTED, review_requested, approved),
    ),
    Scenario("an export of the author", [requested("export")], EXPORTED),
]
