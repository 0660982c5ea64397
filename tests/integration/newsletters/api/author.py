"""An author: calls the API, waits for the workers, and starts from a newsletter that has come to a certain step."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from events.newsletters.documents import DOCUMENTS
from tests.simulation.newsletters.system import MODEL, System

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import Snapshot

ONE = "/newsletters/{code}"
TYPES = (
    "Research Findings", "Technology & Innovation Spotlight", "Policy Updates", "Funding Opportunities",
)  # fmt: skip
STEPS = ("topics", "outline", "draft")
STATES = ("created", "selected", "retrieved", "planned", "drafted")
NEWSLETTER = {"title": "Field notes", "target_audience": ["field_staff"], "frequency": "monthly"}
_OF_ITEM = ("id", "title", "description", "included", "user_notes", "rag_reference_ids")

type Answer = tuple[int, dict[str, Any]]


@dataclass(eq=False)
class Author:
    """The author of the system's newsletter."""

    system: System
    snapshots: dict[str, Snapshot] = field(default_factory=dict)

    def at(self, state: str) -> Author:
        """Go to one of STATES: its newsletter has the content of all steps up to there."""
        if state not in self.snapshots:
            place = STATES.index(state)
            if place:
                self.at(STATES[place - 1])
            self._go_on(state)
            self.snapshots[state] = self.system.snapshot()
        self.system.restore(self.snapshots[state])
        return self

    def _go_on(self, state: str) -> None:
        match state:
            case "created":
                self.do("PUT", "/newsletters/settings", {"version": 0, "ai": MODEL})
                for document in DOCUMENTS:
                    self.do("POST", "/newsletters/sources", document.source(self.today))
                created = self.do("POST", "/newsletters", NEWSLETTER)
                self.system.code = created["newsletter_code"]
            case "selected":
                self.select(*TYPES)
            case _:
                self.generate(STEPS[STATES.index(state) - 2])

    @property
    def today(self) -> Any:
        return datetime.fromtimestamp(self.system.clock.ms // 1_000, UTC).date()

    def days_ago(self, days: int) -> str:
        return f"{self.today - timedelta(days=days):%Y-%m-%d}"

    def call(self, method: str, path: str, body: Any = None, **more: Any) -> Answer:
        """Call the API; return status and body."""
        return self.system.call(method, path, body, **more)

    def do(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        """The result of a call that succeeds."""
        status, answer = self.call(method, path, body, **more)
        assert status < 300, answer
        return answer["result"]

    def refused(self, method: str, path: str, body: Any = None, **more: Any) -> tuple[int, str]:
        """Status and code of a call that is refused, and changes nothing but the record of its key."""
        before = self.kept()
        status, answer = self.call(method, path, body, **more)
        assert status >= 400, answer
        assert self.kept() == before
        return status, answer["error"]["code"]

    def problems(self, method: str, path: str, body: Any, **more: Any) -> dict[str, str]:
        """The problems of an invalid call, by field."""
        before = self.kept()
        status, answer = self.call(method, path, body, **more)
        assert (status, answer["error"]["code"]) == (400, "invalid_input"), answer
        assert self.kept() == before
        return {one["field"]: one["problem"] for one in answer["error"]["details"]}

    def kept(self) -> dict[str, Any]:
        """All items of newsletters and companies."""
        partitions = ("NEWSLETTER#", "NLWORK#", "NLCOMPANY#")
        return {k: v for k, v in self.system.items().items() if k.startswith(partitions)}

    @property
    def whole(self) -> dict[str, Any]:
        found: dict[str, Any] = self.do("GET", ONE)
        return found

    def version(self, part: str) -> int:
        return int(self.whole[part]["version"])

    def patch(self, **changes: Any) -> Any:
        return self.do("PATCH", ONE, {"version": self.version("metadata"), **changes})

    def select(self, *types: str, custom: tuple[dict[str, str], ...] = ()) -> Any:
        body = {
            "version": self.version("topics"),
            "selected_types": list(types),
            "custom_topics": list(custom),
        }
        return self.do("PUT", f"{ONE}/topics", body)

    def start(self, step: str, **options: Any) -> Any:
        return self.do("POST", f"{ONE}/{step}/start", options)

    def status(self, step: str) -> dict[str, Any]:
        found: dict[str, Any] = self.do("GET", f"{ONE}/{step}/status")
        return found

    def generate(self, step: str, **options: Any) -> dict[str, Any]:
        """Generate a step; return it."""
        ended = self.attempt(step, **options)
        assert ended["status"] == "completed", ended
        found: dict[str, Any] = self.whole[step]
        return found

    def attempt(self, step: str, **options: Any) -> dict[str, Any]:
        """Start a step and wait until its job has ended; return its status."""
        self.start(step, **options)
        self.system.settle()
        return self.status(step)

    @property
    def sections(self) -> list[dict[str, Any]]:
        """The outline as a client sends it back."""
        return [
            {
                "id": section["id"],
                "name": section["name"],
                "items": [{name: one[name] for name in _OF_ITEM} for one in section["items"]],
            }
            for section in self.whole["outline"]["sections"]
        ]

    def save_outline(self, sections: list[dict[str, Any]]) -> Any:
        body = {"version": self.version("outline"), "sections": sections}
        return self.do("PUT", f"{ONE}/outline", body)

    def save_draft(self, content: str) -> Any:
        body = {"version": self.version("draft"), "content": content}
        return self.do("PUT", f"{ONE}/draft", body)

    def export(self, *formats: str) -> dict[str, bytes]:
        """Export in formats; return the files."""
        self.do("POST", f"{ONE}/exports", {"formats": list(formats)})
        self.system.settle()
        draft = self.system.row("DRAFT")
        objects = self.system.objects()
        return {one: objects[draft["exports"][one]["s3_key"]] for one in formats}


def items_of(sections: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All items of an outline."""
    return [item for section in sections for item in section["items"]]


def content_section(sections: list[dict[str, Any]]) -> dict[str, Any]:
    """The first section that reports passages."""
    return next(one for one in sections if any(i["rag_reference_ids"] for i in one["items"]))
