"""Erases and exports a person in a system, and finds remaining personal data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import boto3

from conversations.configuration.bootstrap import ledger_of
from conversations.privacy import erasure
from conversations.privacy.dependencies import ErasureDependencies
from events.conversations import sample_data
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.providers.company_secrets import CompanySecrets
from tests.erasure.runs import run

if TYPE_CHECKING:
    from conversations.store.items.parts.privacy_job import PrivacyJob
    from shared.privacy.jobs import Kind
    from tests.simulation.conversations.system import System


def eraser(system: System) -> ErasureDependencies:
    """The dependencies of an erasure; their calls go through the interceptor."""
    log = Table(boto3.client("dynamodb"), system.tables["log"])

    return ErasureDependencies(
        table=Table(boto3.client("dynamodb"), system.tables["conversations"]),
        log=log,
        bucket=Bucket(lambda: boto3.client("s3"), system.bucket),
        ledger=ledger_of(log),
        credentials=CompanySecrets(lambda: boto3.client("secretsmanager")),
        openai_url=f"{system.sandbox.url}/v1",
    )


def erase(system: System, *addresses: str) -> PrivacyJob:
    """Erase the person with these addresses, by default the candidate."""
    named = addresses or (sample_data.CANDIDATE,)
    return done(eraser(system), "erase", *named)


def done(deps: ErasureDependencies, kind: Kind, *named: str) -> PrivacyJob:
    """The job of the person with these addresses, after all of its turns."""
    subject = erasure.subject_of(named)
    job = erasure.jobs_of(deps).start(kind, sample_data.COMPANY, subject, by="an operator")
    return run(erasure.engine_of(deps), job.job_id)


def exported(system: System, *addresses: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Export the person with these addresses; the lines, and the names of the files."""
    deps = eraser(system)
    job = done(deps, "export", *(addresses or (sample_data.CANDIDATE,)))
    folder = erasure.jobs_of(deps).folder(job)
    text = deps.bucket.get(f"{folder.prefix}{folder.lines}").decode()
    files = deps.bucket.keys_under(f"{folder.prefix}files/")
    return [json.loads(line) for line in text.splitlines()], files


def traces(system: System, *words: str) -> list[str]:
    """The table keys and objects that still contain these words."""
    items = [
        " ".join(key[:2]).split("#")[0]
        for key, row in system.rows().items()
        if key[0] != "company" and any(word in str((key, row)) for word in words)
    ]
    files = [
        key
        for key, body in system.objects().items()
        if any(word in f"{key} {body.decode('utf-8', 'replace')}" for word in words)
    ]
    return sorted([*items, *files])
