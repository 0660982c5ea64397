"""Newsletters beside the other contexts, whose bylines have the address of a person."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import boto3

from newsletters.configuration.resources import Resources
from newsletters.inbound.events import PrivacyRequested, PurgeRequested
from newsletters.privacy import jobs
from newsletters.privacy.requests import jobs_of, subject_of
from newsletters.store.bucket.objects import Store, export_key
from newsletters.store.content.newsletters import create_newsletter, get_newsletter_full
from newsletters.store.content.steps import save, save_export
from newsletters.store.items import Draft, Metadata, PrivacyJob
from newsletters.store.items.steps import Export
from newsletters.worker.purge import purge
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.privacy.parts import JobsPart
from shared.runtime import clock
from shared.runtime.failures import Transient
from tests.integration.newsletters.deployment import draft
from tests.integration.whatsapp.conftest import Outbox
from tests.template import create_table, properties


@dataclass
class Bylines:
    """The resources of newsletters, and the queue of their worker."""

    resources: Resources
    queue: Outbox
    part: JobsPart[PrivacyJob]

    def write(self, company: str, number: int, mail: str, name: str) -> str:
        """A newsletter with this byline and an exported file, which shows the name."""
        at = clock.to_text(clock.now_ms())
        code = f"NL-2026010{number}-ABCD"
        store = self.resources.store
        metadata = Metadata(
            **Metadata.key(code),
            GSI1PK="USER#user:kim",
            GSI1SK=f"NEWSLETTER#{at}{number}",
            id=code,
            newsletterCode=code,
            title="Field notes",
            user_id="user:kim",
            user_email=mail,
            user_name=name,
            created_at=f"{at}{number}",
            updated_at=at,
            company_id=company,
        )
        assert create_newsletter(store, metadata).newsletterCode == code
        for step in (draft(code), None):
            found = get_newsletter_full(store, code)
            assert found is not None
            if step is not None:
                save(store, found, step, {})
                continue
            key = export_key(code, "pdf")
            store.bucket.put(key, f"by {name}".encode())
            exported = Export(
                s3_key=key, generated_at=at, file_size=1, sha256="hash", content_hash="hash"
            )
            save_export(store, found, ("pdf", exported), {})
        return code

    def read(self, code: str) -> tuple[Metadata, Draft]:
        """A newsletter's configuration and draft."""
        found = get_newsletter_full(self.resources.store, code)
        assert found is not None
        assert found.draft is not None
        return found.metadata, found.draft

    def work(self) -> None:
        """The worker takes what is queued."""
        waiting = [*self.queue.entries]
        self.queue.entries.clear()
        resources: Any = self.resources
        for entry in waiting:
            event = json.loads(entry.body)
            if event["type"] == "newsletter.purge":
                purge(resources, PurgeRequested(code=event["code"]))
                continue
            try:
                jobs.work(resources, PrivacyRequested(job_id=event["job_id"]))
            except Transient:
                self.queue.entries.append(entry)


def bylines_on_moto() -> Bylines:
    """Newsletters without any."""
    dynamodb, s3 = boto3.client("dynamodb"), boto3.client("s3")
    name = properties("NewslettersBucket")["BucketName"]
    s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    queue: Any = Outbox()
    resources = Resources(
        store=Store(
            Table(dynamodb, create_table(dynamodb, "NewslettersTable")), Bucket(lambda: s3, name)
        ),
        steps=queue,
        exports=queue,
    )
    part = JobsPart(context="newsletters", jobs=jobs_of(resources), subject_of=subject_of)
    return Bylines(resources, queue, part)
