"""What happens in the measured newsletters: calls of people and the work that they cause, and the figures of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from tests.cost.harness import Figures
from tests.cost.newsletters import runs as set_runs
from tests.simulation.newsletters import scenarios
from tests.simulation.newsletters.scenarios import ONE, settled, started
from tests.simulation.newsletters.steps import issues, readers

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System

type Steps = Callable[[System], object]

DOCUMENT_COUNT: Final = 40
CHUNKS: Final = 25  # of a weekly newsletter
SECTIONS: Final = 5
READERS: Final = 100  # of an issue
PURGED_MS: Final = 41 * 60_000  # after a deletion, its last purge is due
SUBJECTS: Final = (
    "study results evidence trial findings",
    "technology innovation digital tool pilot",
    "policy law regulation strategy adopted",
    "grant call proposals funding deadline",
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of call: the unmeasured set-up *before*, and the measured *steps*. *most_reads* bounds the read units."""

    name: str
    steps: Steps
    figures: Figures
    most_reads: float
    before: Steps = lambda _: None

    def at(self, _: int) -> dict[str, int]:
        """The figures by name, beside any number of other newsletters."""
        return asdict(self.figures)


def documents_added(system: System) -> None:
    """Documents of one passage each, of about 1,100 characters, about the four subjects of the newsletter."""
    today = datetime.fromtimestamp(system.clock.ms // 1_000, UTC).date()
    for number in range(DOCUMENT_COUNT):
        subject = SUBJECTS[number % len(SUBJECTS)]
        words = " ".join(f"term{number}x{word}" for word in range(95))
        system.act(
            "POST",
            "/newsletters/sources",
            {
                "name": f"document-{number}.md",
                "title": f"Document {number} about {subject.split(maxsplit=1)[0]}",
                "text": f"The {subject} of region {number}. {words}.",
                "url": f"https://www.example.org/{number}",
                "date": (today - timedelta(days=number % 10)).isoformat(),
            },
            key=f"{number}",
        )


def _calls(path: str, **query: str) -> Steps:
    def steps(system: System) -> None:
        status, body = system.call("GET", path, query=query or None)
        assert status == 200, body

    return steps


def _works(*steps: Steps) -> Steps:
    """Calls, and one run of a worker for each message that they cause."""

    def all_steps(system: System) -> None:
        for step in steps:
            step(system)
        runs(system)

    return all_steps


def runs(system: System) -> None:
    """One invocation for each message that waits."""
    while batch := system.fifo_queues.receive():
        for queue, message in batch:
            system.run_worker(queue, message)


def _deleted(system: System) -> None:
    """A deletion, its first purge, and the last one, which the schedule starts."""
    scenarios.deleted(system)
    runs(system)
    system.clock.ms += PURGED_MS
    system.run_schedule()
    runs(system)


def _selected(system: System) -> None:
    wanted = {"selected_types": list(scenarios.TYPES), "version": 0}
    system.act("PUT", f"{ONE}/topics", wanted, key="topics")


def _created(system: System) -> None:
    system.act("POST", "/newsletters", scenarios.NEWSLETTER, key="measured")


def _edited(system: System) -> None:
    content = f"{system.row('DRAFT')['generated_content']}\n\nOne more word.\n"
    system.act("PUT", f"{ONE}/draft", {"version": 1, "content": content}, key="draft")


def _delivered(system: System) -> None:
    issues.reported(system, issues.mails(system)[0], "Delivery")
    runs(system)


def _left(system: System) -> None:
    url = issues.unsubscribe_url(issues.mails(system)[0])
    assert issues.opened(system, url, "POST").status == HTTPStatus.OK


def _published(system: System) -> None:
    readers.published(system)


def _signed_up(system: System) -> None:
    assert readers.signed_up(system, issues.made_list(system)).status == HTTPStatus.ACCEPTED


def _confirmed(system: System) -> None:
    path = readers.link_in(issues.mails(system)[-1], "confirm")
    assert readers.visited(system, path, {"act": "save"}).status == HTTPStatus.OK


def _chosen(system: System) -> None:
    path = readers.link_in(issues.mails(system)[0], "preferences")
    fields = {"act": "save", "version": "0", "frequency": "weekly", "language": "en"}
    fields |= dict.fromkeys(("shown", "list"), issues.made_list(system))
    assert readers.visited(system, path, fields).status == HTTPStatus.OK


SELECTED: Final = _selected
RETRIEVED: Final = settled(SELECTED, started("topics"))
PLANNED: Final = settled(RETRIEVED, started("outline"))
DRAFTED: Final = settled(PLANNED, started("draft"))
EXPORTED: Final = settled(DRAFTED, scenarios.exported("pdf", "html"))
APPROVED: Final = settled(
    DRAFTED,
    scenarios.exported("email", "text"),
    issues.with_readers(*(f"reader{number}@orchard.example" for number in range(READERS))),
    issues.drafted,
    issues.approved,
)
SENT: Final = settled(APPROVED, issues.sent)

KINDS: Final = (
    # Figures: write units, requests (all, SQS, S3), lines (log, EMF), their bytes; then read units.
    Kind("its creation", _created, Figures(11, 5, 0, 0, 2, 0, 650), 0),
    Kind("its topics selected", _selected, Figures(8, 6, 0, 0, 2, 0, 650), 1),
    Kind("25 passages retrieved", _works(started("topics")), Figures(94, 23, 3, 1, 3, 1, 1_250), 7, SELECTED),
    Kind("its outline", _works(started("outline")), Figures(64, 23, 3, 0, 4, 1, 1_900), 23, RETRIEVED),
    Kind("its draft of 5 sections", _works(started("draft")), Figures(100, 48, 3, 0, 8, 1, 4_000), 39, PLANNED),
    Kind("its draft edited", _edited, Figures(66, 8, 0, 1, 2, 0, 650), 18, DRAFTED),
    Kind("an export", _works(scenarios.exported("pdf")), Figures(59, 18, 3, 1, 3, 1, 1_250), 53, DRAFTED),
    Kind("a list of 25 newsletters", _calls("/newsletters"), Figures(0, 1, 0, 0, 1, 0, 400), 2),
    Kind("a whole newsletter", _calls(ONE), Figures(0, 1, 0, 0, 1, 0, 400), 17, EXPORTED),
    Kind("the state of its draft", _calls(f"{ONE}/draft/status"), Figures(0, 2, 0, 0, 1, 0, 400), 18, EXPORTED),
    # One line is a warning: the simulation has no function of the inbox that tells open pages of the end.
    Kind("an issue to 100 readers", _works(issues.sent), Figures(1_465, 1_473, 3, 18, 5, 1, 2_010), 1_886, APPROVED),
    Kind("an event of its mail", _delivered, Figures(4, 6, 2, 0, 1, 1, 650), 3, SENT),
    Kind("a reader who leaves", _left, Figures(6, 8, 0, 0, 0, 0, 0), 8, SENT),
    Kind("a sign-up and its mail", _works(_signed_up), Figures(15, 22, 3, 0, 1, 1, 650), 12, _published),
    Kind("its confirmation", _works(_confirmed), Figures(23, 29, 3, 0, 1, 1, 650), 14, settled(_published, _signed_up)),
    Kind("a reader's choices", _works(_chosen), Figures(2, 16, 0, 0, 0, 0, 0), 14, SENT),
    Kind("its deletion", _deleted, Figures(182, 37, 8, 4, 5, 2, 2_100), 25.5, EXPORTED),
    Kind("a run of two recorded scenarios", runs, Figures(8, 16, 4, 0, 2, 2, 1_250), 10, set_runs.begins_recorded),
    Kind("a run of two scenarios with a model", runs, Figures(9, 19, 4, 0, 4, 2, 2_400), 12,
         set_runs.begins_with_model),
)  # fmt: skip
WRITTEN_DOWN: Final = {kind.name: kind.figures for kind in KINDS}
