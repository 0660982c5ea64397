"""Newsletters over moto: table, bucket and queues of the template, and contents as people and jobs write them."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws

from newsletters.api import configuration, inputs
from newsletters.configuration.resources import Run, WorkerResources
from newsletters.jobs import requests
from newsletters.jobs.requests import Requested
from newsletters.store import jobs
from newsletters.store.bucket.objects import Store
from newsletters.store.content.newsletters import Newsletter, get_newsletter_full
from newsletters.store.content.step_inputs import draft_hash, outline_hash, status_of, topics_hash
from newsletters.store.content.steps import save
from newsletters.store.items import (
    Chunk,
    ChunkMetadata,
    Citation,
    Deletion,
    Draft,
    Job,
    Outline,
    OutlineItem,
    OutlineSection,
    Reference,
    StepItem,
    StepStatus,
    Topics,
)
from newsletters.store.items.item import timestamp
from shared.access.ownership.claims import Owners
from shared.ai.providers.model_creation import ModelDependencies
from shared.ai.retrieval.settings import RetrievalDependencies
from shared.api.auth import Caller, Scope
from shared.api.routing.routes import Request
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.sqs_fifo import FifoQueue
from shared.providers.company_secrets import CompanySecrets
from shared.runtime import clock
from tests import template
from tests.simulation import stored
from tests.simulation.clock import Clock
from tests.simulation.invocations import Invocation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsletters.store.items import StepName

COMPANY, OTHER_COMPANY = "acme", "globex"
USER, COLLEAGUE = "api-key:ann", "api-key:bob"
NOW = 1_793_620_800_000  # 2026-11-02T12:00:00Z
MINUTE_MS = 60 * clock.SECOND_MS
WIDE = "🌾"  # a character of four bytes


@dataclass(kw_only=True)
class Deployment:
    """The resources of the functions, and the clients behind them."""

    resources: WorkerResources
    clock: Clock
    dynamodb: Any
    sqs: Any
    calls: list[str] = field(default_factory=list)  # operations of DynamoDB

    def due_work(self) -> list[Job | Deletion]:
        """The jobs and deletions that are due: a page has them all, and nothing else is among them."""
        found, last = jobs.due(self.table, self.clock.ms, None)
        assert last is None
        return [one for one in found if isinstance(one, Job | Deletion)]

    @property
    def store(self) -> Store:
        return self.resources.store

    @property
    def table(self) -> Table:
        return self.resources.store.table

    def create(
        self, cause: str = "call-1", *, company: str = COMPANY, user: str = USER, **values: Any
    ) -> str:
        """Create a newsletter as the API does, and return its code."""
        caller = Caller(company=company, scopes=frozenset(map(str, Scope)), principal=user)
        request = Request(
            caller=caller,
            input=inputs.NewNewsletterInput(**{"title": "Field notes"} | values),
            id=cause,
            cause=cause,
            context=Invocation(self.clock),  # type: ignore[arg-type] # a Lambda context of this suite
        )
        return configuration.create(self.store, request, None).newsletter_code

    def read(self, code: str) -> Newsletter:
        """The newsletter with this code."""
        found = get_newsletter_full(self.store, code)
        assert found is not None
        return found

    def write(self, code: str, step: StepItem) -> Newsletter:
        """Write content that is completed, with its hashes, as a job does."""
        before = self.read(code)
        done = step.model_copy(
            update=step.with_status(
                StepStatus.COMPLETED, completed_at=timestamp(clock.now_ms()), error=None
            )
        )
        caused = {"status": status_of(before.metadata, done)} if isinstance(done, Draft) else {}
        save(self.store, before, _with_hash(before, done), caused)
        return self.read(code)

    def complete(self, **values: Any) -> str:
        """Create a newsletter with all steps, and return its code."""
        code = self.create(**values)
        self.write(code, topics(code))
        self.write(code, outline(code))
        self.write(code, draft(code))
        return code

    def start(
        self, code: str, name: StepName = "topics", cause: str = "start-1", **options: Any
    ) -> Job:
        """A person starts the generation of a step."""
        requested = Requested(cause=cause, by=USER, options=options)
        return requests.start_step(self.resources, self.read(code), name, requested)

    def run(self, owner: str = "worker-1", *, is_last: bool = False) -> Run:
        """An invocation of a worker with its whole time."""
        return Run(owner=owner, ends_at_ms=clock.now_ms() + 5 * MINUTE_MS, is_last=is_last)

    def items(self) -> dict[tuple[str, str], dict[str, Any]]:
        """All items by key, in DynamoDB's JSON."""
        return {
            (item["PK"]["S"], item["SK"]["S"]): item for item in stored.items_of(self.table.name)
        }

    def item(self, partition: str, sort: str) -> dict[str, Any]:
        """One item, in DynamoDB's JSON."""
        return self.items()[partition, sort]

    def objects(self) -> dict[str, bytes]:
        """All objects of the bucket."""
        return stored.objects_of(self.store.bucket.name)

    def messages(self, queue: FifoQueue | None = None) -> list[dict[str, Any]]:
        """Take all messages of a queue, by default the queue of the steps."""
        url = (queue or self.resources.steps).url
        found: list[dict[str, Any]] = []
        while batch := self.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get(
            "Messages"
        ):
            for message in batch:
                found.append(json.loads(message["Body"]))
                self.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return found

    def pass_minutes(self, minutes: float) -> None:
        """Advance the clock."""
        self.clock.ms += round(minutes * MINUTE_MS)


@contextmanager
def deployed() -> Iterator[Deployment]:
    """An empty deployment at a fixed time."""
    moment = Clock(NOW)
    with pytest.MonkeyPatch.context() as patch, mock_aws():
        patch.setattr(clock, "now_ms", moment.now_ms)
        patch.setattr(clock, "sleep_ms", lambda ms: moment.sleep(ms / 1_000))
        dynamodb, storage, sqs = boto3.client("dynamodb"), boto3.client("s3"), boto3.client("sqs")
        name = template.properties("NewslettersBucket")["BucketName"]
        storage.create_bucket(Bucket=name)
        bucket = Bucket(lambda: storage, name)
        table = Table(dynamodb, template.create_table(dynamodb, "NewslettersTable"))
        template.create_table(dynamodb, "AuditLogTable")
        deployment = Deployment(
            resources=WorkerResources(
                store=Store(table, bucket),
                steps=FifoQueue(lambda: sqs, template.create_queue(sqs, "NewsletterStepsQueue")),
                exports=FifoQueue(
                    lambda: sqs, template.create_queue(sqs, "NewsletterExportsQueue")
                ),
                spending=Table(dynamodb, template.create_table(dynamodb, "SpendingTable")),
                models=ModelDependencies(
                    openai_url="https://model.invalid/v1",
                    credentials=CompanySecrets(lambda: boto3.client("secretsmanager")),
                    make_bedrock=lambda config: boto3.client("bedrock-runtime", config=config),
                ),
                retrieval=RetrievalDependencies(
                    bucket=bucket,
                    make_bedrock=lambda config: boto3.client(
                        "bedrock-agent-runtime", config=config
                    ),
                    owners=Owners(
                        Table(dynamodb, template.create_table(dynamodb, "ConversationLogTable"))
                    ),
                ),
            ),
            clock=moment,
            dynamodb=dynamodb,
            sqs=sqs,
        )
        dynamodb.meta.events.register(
            "before-call.dynamodb",
            lambda model, **_: deployment.calls.append(model.name),
            unique_id="calls-of-test",
        )
        yield deployment
        dynamodb.meta.events.unregister("before-call.dynamodb", unique_id="calls-of-test")


def chunk(number: int = 1, text: str = "Maize yields rose.", **values: Any) -> Chunk:
    """A retrieved passage."""
    return Chunk(
        topic="Research Findings",
        source="local-corpus",
        content=text,
        metadata=ChunkMetadata(url=f"https://field.example/{number}", date="2026-10-30"),
        chunk_id=f"chunk-{number:012x}",
        **{"score": 0.8913, "title": f"Report {number}"} | values,
    )


def topics(code: str, chunks: list[Chunk] | None = None) -> Topics:
    """Step 2 with passages."""
    found = [chunk()] if chunks is None else chunks
    return Topics(
        **Topics.key(code),
        updated_at="",
        selected_types=["Research Findings"],
        retrieved_content=found,
        total_chunks_retrieved=len(found),
    )


def many_chunks(code: str, count: int = 75) -> Topics:
    """Step 2 with the largest passages."""
    return topics(code, [chunk(number, WIDE * 2_000) for number in range(count)])


def outline(code: str, items: list[OutlineItem] | None = None) -> Outline:
    """Step 3 with one section."""
    listed = [
        OutlineItem(
            id="item-1-1",
            title="Maize",
            source="rag_content",
            rag_reference_id=chunk().chunk_id,
            rag_reference_ids=[chunk().chunk_id],
        )
    ]
    return Outline(
        **Outline.key(code),
        updated_at="",
        sections=[OutlineSection(id="section-1", name="Research", order=1, items=items or listed)],
        references=[Reference(id=chunk().chunk_id, title="Report 1", text="Maize yields rose.")],
        generated_at=timestamp(clock.now_ms()),
    )


def draft(code: str, text: str = "# Field notes\n\nMaize yields rose. [1]", **values: Any) -> Draft:
    """Step 4 with a text."""
    return Draft(
        **Draft.key(code),
        updated_at="",
        generated_content=text,
        sections={"research": "Maize yields rose. [1]"},
        section_order=["research"],
        citations=[Citation(n=1, chunk_id=chunk().chunk_id, title="Report 1")],
        word_count=5,
        estimated_read_time="1 minute",
        generated_at=timestamp(clock.now_ms()),
        **values,
    )


def _with_hash(before: Newsletter, step: StepItem) -> StepItem:
    match step:
        case Topics():
            made_from = topics_hash(before.metadata, step)
        case Outline():
            made_from = outline_hash(before.metadata, before.topics)
        case _:
            made_from = draft_hash(before.metadata, before.outline)
    return step.model_copy(update={"inputs_hash": made_from})
