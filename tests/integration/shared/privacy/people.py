"""A small context in memory: letters of people in two lists, and a process that can be killed at any of its calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

import boto3
import pytest

from shared.aws.dynamodb import Attributes, Table
from shared.aws.s3 import Bucket
from shared.privacy.engine import Engine, work
from shared.privacy.inventory import Found, Inventory, Page, Source
from shared.privacy.jobs import Job, Kind
from shared.privacy.remainders import Remainder
from shared.privacy.requests import Jobs
from shared.runtime.failures import Transient
from tests.template import create_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shared.privacy.exports import ExportFolder

ANN, BEN = "ann@acme.example", "ben@acme.example"
NOW: Final = 1_767_268_800_000
PAGE: Final = 2
SETTLES_MS: Final = 90_000
CALL_MS: Final = 20
REMAINDERS = (Remainder("backups", "copies", 35),)


class Killed(BaseException):
    """The process ended."""


class LetterJob(Job):
    """A job of this context; `person` are the ids of the person, stored at the begin of a run."""

    context: ClassVar[str] = "letters"
    of_run: ClassVar[tuple[str, ...]] = (*Job.of_run, "person")

    pk: str
    company_id: str
    person: list[str] | None = None

    @classmethod
    def key_of(cls, job_id: str) -> Attributes:
        return {"pk": f"JOB#{job_id}"}


@dataclass
class Letters:
    """The stored letters by key, with their lists and writers; *fenced* people add no letter from before a request."""

    stored: dict[str, tuple[str, str]] = field(default_factory=dict)
    fenced: set[str] = field(default_factory=set)

    def of(self, person: str) -> set[str]:
        return {key for key, (_, writer) in self.stored.items() if writer == person}


@dataclass
class Process:
    """Calls of the present process: each takes time, and one of them ends the process, before or after its effect."""

    now: int = NOW
    calls: int = 0
    killed_at: tuple[int, str] | None = None

    def call[T](self, effect: Callable[[], T]) -> T:
        self.calls += 1
        self.now += CALL_MS
        moment = self.killed_at
        if moment == (self.calls, "before"):
            raise Killed
        answer = effect()
        if moment == (self.calls, "after"):
            raise Killed
        return answer


@dataclass
class LetterInventory(Inventory):
    """The letters of one person."""

    letters: Letters
    process: Process
    person: Sequence[str]

    fences: ClassVar[Sequence[Source]] = (("drafts", ""), ("inbox", ""))
    sources: ClassVar[Sequence[Source]] = (("drafts", ""), ("inbox", ""), ("empty", ""))

    def fence(self, source: Source, start: Attributes | None, /) -> Page:
        def fence() -> Page:
            self.letters.fenced |= set(self.person)
            page = self._read(source, start)
            return page if source[0] == "drafts" else Page([], page.last)

        return self.process.call(fence)

    def page(self, source: Source, start: Attributes | None, /) -> Page:
        return self.process.call(lambda: self._read(source, start))

    def remove(self, found: Found, /) -> None:
        self.process.call(lambda: self.letters.stored.pop(found.key, None))

    def item(self, found: Found, /) -> Attributes:
        return {"letter": found.key}

    def _read(self, source: Source, start: Attributes | None) -> Page:
        """Return a page of the person's letters in a list, in the order of their keys."""
        after = str((start or {}).get("after", ""))
        theirs = sorted(
            key
            for key, (name, writer) in self.letters.stored.items()
            if name == source[0] and writer in self.person and key > after
        )
        last = {"after": theirs[PAGE - 1]} if len(theirs) > PAGE else None
        return Page([Found(source[0], key) for key in theirs[:PAGE]], last)


@dataclass
class Context:
    """The context with its table, bucket and queue of turns."""

    table: Table
    bucket: Bucket
    letters: Letters = field(default_factory=Letters)
    process: Process = field(default_factory=Process)
    queue: list[str] = field(default_factory=list)
    turn_ms: int = 5_000

    def request(self, kind: Kind, person: str = ANN) -> LetterJob:
        """Request a job as an API does."""
        return self.jobs().start(kind, "acme", person, by="an agent")

    def job_id(self, kind: Kind) -> str:
        """The id of Ann's job."""
        return self.jobs().id_of(kind, "acme", ANN)

    def enqueue(self, job: LetterJob) -> None:
        self.process.call(lambda: self.queue.append(job.job_id))

    def turn(self) -> LetterJob | None:
        """Process the first event of the queue, which stays there if the process is killed or has to wait."""
        done = work(self.engine(), self.queue[0])
        self.queue.pop(0)
        return done

    def settle(self) -> set[int]:
        """Process all events, each as often as it takes. Returns the number of the last call of each turn."""
        last_calls = set()
        while self.queue:
            try:
                self.turn()
            except Killed:
                self.process.killed_at = None
            except Transient as waits:
                self.process.now += waits.wait_ms or 0
            last_calls.add(self.process.calls)
        return last_calls

    def folder(self, job: LetterJob) -> ExportFolder:
        return self.jobs().folder(job)

    def jobs(self) -> Jobs[LetterJob]:
        return Jobs(
            item=LetterJob,
            table=self.table,
            bucket=self.bucket,
            exports=lambda _, job_id: f"exports/{job_id}/",
            lines="letters.jsonl",
            remainders=lambda _: REMAINDERS,
            enqueue=self.enqueue,
        )

    def engine(self) -> Engine[LetterJob]:
        return Engine(
            jobs=self.jobs(),
            inventory=self._inventory,
            turn_ms=self.turn_ms,
            settles_ms=lambda _: SETTLES_MS,
            resolve=lambda job: job.changed(person=[str(job.requested_for)]),
        )

    def _inventory(self, job: LetterJob) -> LetterInventory:
        return LetterInventory(self.letters, self.process, job.person or ())


def a_context(patch: pytest.MonkeyPatch) -> Context:
    """An empty context over moto, all of whose AWS calls go through its process as long as they are patched."""
    dynamodb, s3 = boto3.client("dynamodb"), boto3.client("s3")
    table = create_table(dynamodb, "WhatsAppTable")
    s3.create_bucket(Bucket="media")
    context = Context(Table(dynamodb, table), Bucket(lambda: s3, "media"))
    for client in (dynamodb, s3):
        _through(patch, context.process, client)
    return context


def _through(patch: pytest.MonkeyPatch, process: Process, client: Any) -> None:
    original = client._make_api_call
    patch.setattr(
        client, "_make_api_call", lambda *call: process.call(lambda: original(*call)), raising=False
    )
