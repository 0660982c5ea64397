"""The export of a contact with a long history: every message once, in steps that do not grow with the history."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from boto3.dynamodb.conditions import ConditionExpressionBuilder

from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket, StoredObject
from shared.privacy import jobs as job_items
from shared.privacy.exports import JOINED_BYTES
from shared.runtime import clock
from tests.integration.whatsapp.conftest import T0, Harness, text
from tests.simulation import stored
from whatsapp.inbound.event import Outcome
from whatsapp.inbound.queued_events import parse_event
from whatsapp.privacy import jobs
from whatsapp.privacy.contents.stored_data import EXPORTED_A_PAGE
from whatsapp.store.inbox.messages import TIMELINE_INDEX
from whatsapp.store.items.contacts.privacy import PrivacyJob

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes

NUMBER = "447700900101"
CALL_MS = 20
MOST_CALLS = jobs.RUN_MS // CALL_MS + 150  # the step that ends after the time of a run
MOST_BYTES = 500_000
TIMELINE = 1  # its number among the lists; the first one has sends in doubt
CALLS_A_PAGE = 10
CALLS_A_JOIN = 6  # beside the reads of parts
MOST_OTHERS = 20
MOST_BYTES_OF_JOB = 1_000
MOST_TURNS = 100


def write_history(harness: Harness, count: int) -> set[str]:
    """Let a customer write a message, and copy its item as often as needed, without calls; returns all keys."""
    harness.take({"messages": [text("wamid.0", at=T0) | {"from": NUMBER}]})
    table = harness.resources.table.name
    (first,) = [item for item in stored.items_of(table) if item["pk"]["S"].startswith("MSG#")]
    keys = {first["pk"]["S"]}
    for number in range(1, count):
        before = clock.to_text(clock.from_text(first["receivedAt"]["S"]) - number)
        body = json.dumps(first).replace("wamid.0", f"wamid.{number}")
        item: dict[str, Any] = json.loads(body) | {"receivedAt": {"S": before}}
        stored.put(table, item)
        keys.add(item["pk"]["S"])
    return keys


def start(harness: Harness) -> None:
    harness.privacy_jobs.start("export", "acme", NUMBER, by="an agent")


def job_of(harness: Harness) -> PrivacyJob:
    job_id = PrivacyJob.ids_of("export", "acme", NUMBER)[0]
    job = job_items.get(harness.resources.table, PrivacyJob, job_id)
    assert job is not None
    return job


def run(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Run an export to its end, each call of DynamoDB in 20 ms; returns the calls of each of its events."""
    made: list[str] = []
    ends = []
    begin = clock.now_ms()
    harness.resources.table._client.meta.events.register(
        "before-call.dynamodb", lambda model, **_: made.append(model.name)
    )
    monkeypatch.setattr(clock, "now_ms", lambda: begin + CALL_MS * len(made))
    start(harness)
    while harness.outbox.entries:
        began = len(made)
        assert harness.handle(harness.outbox.entries.pop(0).body).outcome is Outcome.PERSISTED
        ends.append(len(made) - began)
    return ends


def test_an_export_has_every_message_of_a_history_once(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = write_history(harness, 500)
    calls = run(harness, monkeypatch)
    bucket, job = harness.resources.bucket, job_of(harness)
    folder = harness.privacy_jobs.folder(job)
    sizes = [one.size for one in bucket.objects_under(f"{folder.prefix}parts/")]
    lines = bucket.get(f"{folder.prefix}{folder.lines}").splitlines()
    found = [json.loads(line)["item"]["pk"] for line in lines]

    assert job.state == "done"
    assert Counter(key for key in found if key.startswith("MSG#")) == Counter(keys)
    # Neither an event nor an object grows with the history.
    assert max(calls) <= MOST_CALLS
    assert max(sizes) <= MOST_BYTES


class History(Table):
    """A table with so many copies of a message in its timeline, each made when it is read; *calls* are its reads."""

    def __init__(self, table: Table, count: int) -> None:
        super().__init__(table._client, table.name)
        (key,) = [key for key in stored.keys_of(table.name) if key.startswith("MSG#")]
        self.message = table.get({"pk": key}) or {}
        self.count, self.calls = count, Counter[str]()

    def position(self, number: int) -> Attributes:
        """Return where a page continues after so many messages."""
        index = {name: self.message[name] for name in ("conversationPk", "receivedAt")}
        return self._key(number - 1) | index

    def query(
        self,
        index: str | None,
        condition: ConditionBase,
        *,
        limit: int | None = None,
        start: Attributes | None = None,
        **options: Any,
    ) -> tuple[list[Attributes], Attributes | None]:
        built = ConditionExpressionBuilder().build_expression(condition, is_key_condition=True)
        partition = self.message["conversationPk"]
        is_timeline = partition in built.attribute_value_placeholders.values()
        if index != TIMELINE_INDEX or not is_timeline or limit is None:
            return super().query(index, condition, limit=limit, start=start, **options)
        self.calls["Query"] += 1
        begin = self._number(start) + 1 if start else 0
        end = min(begin + limit, self.count)
        following = self.position(end) if end < self.count else None
        return [self._key(number) for number in range(begin, end)], following

    def get_many(
        self,
        keys: Sequence[Attributes],
        *,
        is_consistent: bool = True,
        fields: Sequence[str] = (),
    ) -> list[Attributes]:
        made = [key for key in keys if key["pk"].startswith("MSG#wamid.")]
        self.calls["BatchGetItem"] += -(-len(made) // 100)
        others = super().get_many(
            [key for key in keys if key not in made], is_consistent=is_consistent, fields=fields
        )
        return [*others, *(self.message | key for key in made)]

    @staticmethod
    def _key(number: int) -> Attributes:
        return {"pk": f"MSG#wamid.{number:06d}"}

    @staticmethod
    def _number(key: Attributes) -> int:
        return int(key["pk"].removeprefix("MSG#wamid."))


class Parts(Bucket):
    """A bucket with so many copies of the first part of an export; *calls* are the calls of a join."""

    def __init__(self, bucket: Bucket, count: int) -> None:
        super().__init__(lambda: bucket.client, bucket.name)
        self.count, self.calls = count, Counter[str]()
        self.part = b""
        self.joined: list[int] = []  # bytes of each part of the upload
        self.is_complete = False

    def objects_under(self, prefix: str, after: str = "") -> Iterator[StoredObject]:
        keys = [f"{prefix}{number:06d}.jsonl" for number in range(self.count)]
        found = keys[bisect_right(keys, after) :]
        for number, key in enumerate(found):
            self.calls["ListObjectsV2"] += number % 1_000 == 0
            yield StoredObject(key, "", len(self.part), datetime.now(UTC))

    def put(self, key: str, body: bytes, content_type: str = "application/json") -> None:
        self.part = self.part or body
        assert len(body) <= MOST_BYTES

    def get(self, key: str) -> bytes:
        self.calls["GetObject"] += 1
        return self.part

    def begin_upload(self, key: str, content_type: str) -> str:
        return "upload"

    def upload_part(self, key: str, upload: str, number: int, body: bytes) -> str:
        self.calls["UploadPart"] += 1
        assert number == len(self.joined) + 1
        self.joined.append(len(body))
        return f"etag-{number}"

    def complete_upload(self, key: str, upload: str, etags: Sequence[str]) -> None:
        assert len(etags) == len(self.joined)
        self.is_complete = True


@dataclass
class Steps:
    """Calls of each step of an export that reads a page of the timeline, or joins; sizes of the job's item."""

    pages: list[int] = field(default_factory=list)
    joins: list[int] = field(default_factory=list)
    others: int = 0
    bytes: list[int] = field(default_factory=list)


def steps_of(harness: Harness, table: History, bucket: Parts, looked_at: int) -> Steps:
    """Run the first and the last *looked_at* pages of a history, all other lists, and the whole join."""
    resources = replace(harness.resources, table=table, bucket=bucket)
    start(harness)
    found = Steps()
    while harness.outbox.entries:
        table.calls.clear()
        bucket.calls.clear()
        before = job_of(harness)
        event = parse_event(harness.outbox.entries.pop(0).body)
        table.calls.clear()
        assert jobs.work(resources, event) is Outcome.PERSISTED
        calls, after = table.calls.total() + bucket.calls.total(), job_of(harness)
        found.bytes.append(len(json.dumps(after.attributes(), default=str)))
        if before.step == "finish" or bucket.joined:
            found.joins.append(calls)
        elif before.source == TIMELINE:
            found.pages.append(calls)
        else:
            found.others += 1
        if len(found.pages) == looked_at and after.source == TIMELINE:
            read = table.count - looked_at * EXPORTED_A_PAGE
            far = after.changed(start=table.position(read), page=read // EXPORTED_A_PAGE)
            job_items.replace(harness.resources.table, far)
    assert job_of(harness).state == "done"
    assert bucket.is_complete
    return found


def test_no_step_of_an_export_of_100_000_messages_grows_with_the_history(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pages between the first and the last ones are left out: each continues where the stored job says."""
    turn_ms = jobs.RUN_MS
    monkeypatch.setattr(jobs, "RUN_MS", 0)  # one step for each event
    harness.take({"messages": [text("wamid.0", at=T0) | {"from": NUMBER}]})
    table = History(harness.resources.table, 100_000)
    table._client.meta.events.register(
        "before-call.dynamodb", lambda model, **_: table.calls.update([model.name])
    )
    parts = table.count // EXPORTED_A_PAGE
    bucket = Parts(harness.resources.bucket, parts)

    steps = steps_of(harness, table, bucket, 2)

    parts_a_step = -(-JOINED_BYTES // len(bucket.part))
    assert steps.pages == [CALLS_A_PAGE] * 4
    assert len(steps.joins) == -(-parts // parts_a_step)
    assert max(steps.joins) <= parts_a_step + CALLS_A_JOIN
    assert sum(bucket.joined) == parts * len(bucket.part)
    assert max(bucket.joined) < JOINED_BYTES + len(bucket.part)
    # The job's item has a position, and an ETag for each step of the join.
    assert max(steps.bytes) <= MOST_BYTES_OF_JOB + 50 * len(steps.joins)
    # All pages, in turns of the queue: some minutes.
    assert parts * CALLS_A_PAGE * CALL_MS // turn_ms <= MOST_TURNS
    assert steps.others <= MOST_OTHERS
