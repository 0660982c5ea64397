"""The settings of a retriever."""

import subprocess
import sys
from typing import Any

import boto3
import pytest
from pydantic import ValidationError

from shared.access.ownership.claims import Owners
from shared.ai.retrieval.bedrock import KnowledgeBaseRetriever
from shared.ai.retrieval.local import LocalRetriever
from shared.ai.retrieval.settings import RetrievalDependencies, RetrievalSettings, retriever_for
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from tests.cases import each


def no_client(*_: object) -> Any:
    raise AssertionError("a client was made")


DEPS = RetrievalDependencies(
    bucket=Bucket(no_client, "bucket"),
    make_bedrock=no_client,
    owners=Owners(Table(boto3.client("dynamodb"), "log")),
)


def test_the_local_retriever_is_the_default() -> None:
    settings = RetrievalSettings()
    assert settings.least_score == 0.0
    assert isinstance(retriever_for(settings, DEPS), LocalRetriever)


def test_a_knowledge_base_selects_bedrock() -> None:
    settings = RetrievalSettings(retriever="bedrock", knowledge_base_id="AB12CD34EF")
    assert settings.least_score == 0.3
    assert isinstance(retriever_for(settings, DEPS), KnowledgeBaseRetriever)


def test_a_stated_score_replaces_the_default() -> None:
    assert RetrievalSettings(min_score=0.2).least_score == 0.2
    assert RetrievalSettings(min_score=0.0).least_score == 0.0


@each(
    "values",
    [
        {"retriever": "bedrock"},
        {"retriever": "bedrock", "knowledge_base_id": "short"},
        {"retriever": "bedrock", "knowledge_base_id": "AB12CD34E\n"},
        {"retriever": "local", "knowledge_base_id": "AB12CD34EF"},
        {"retriever": "google"},
        {"min_score": 1.1},
        {"min_score": -0.1},
        {"min_score": "0.3"},
    ],
)
def test_invalid_settings_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        RetrievalSettings.model_validate(values)


def test_settings_load_no_retriever() -> None:
    script = (
        "import shared.ai.retrieval.settings, sys\n"
        "assert not {'sqlite3', 'yaml', 'nh3', 'boto3', 'shared.ai.retrieval.bedrock'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)  # noqa: S603 - our own text
    assert done.returncode == 0, done.stderr
