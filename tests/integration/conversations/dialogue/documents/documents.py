"""A project that answers from documents of its company."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Any

import pytest

from events.conversations import sample_data
from shared.ai.retrieval.documents import DocumentAttributes
from tests.integration.conversations.steps import (
    function_call,
    model_answer,
    model_says,
    queue_name,
    with_model,
)
from tests.simulation.conversations.document_scenarios import stored_documents

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conversations.outbound.compose.functions.document_search import DocumentSearch
    from shared.ai.retrieval.documents import Documents
    from tests.simulation.conversations.system import System

FIRST = model_answer("Hello Ann, can you start in May?")
SEARCH = function_call("search_documents", query="shift hours")
NIGHT = "https://example.org/night"
KNOWLEDGE = {"enabled": True}


@pytest.fixture
def documents(
    system: System, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Documents]:
    """The company's documents; without indexes of earlier tests."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(search_of(system), "_retrievers", {})
    documents = stored_documents()
    yield documents
    for key in list(documents.bucket.all_keys_under("corpus/")):
        documents.bucket.delete(key)


def search_of(system: System) -> DocumentSearch:
    found: DocumentSearch = system.workers[queue_name(system, "replies")].deps.writer.documents
    return found


def put(documents: Documents, name: str, text: str, title: str, url: str | None = None) -> None:
    attributes = DocumentAttributes(title=title, url=url)
    documents.put(sample_data.COMPANY, name, text, attributes)


def start(
    system: System,
    *answers: str,
    channel: str = "sms",
    knowledge: dict[str, Any] = KNOWLEDGE,
    **changes: Any,
) -> str:
    """A conversation whose model has the documents, and the model's next outputs."""
    with_model(system, FIRST, **changes)
    system.change(knowledge_config=knowledge)
    ref = system.begin(channel)
    model_says(system, *answers)
    return ref


def model_requests(system: System) -> list[Any]:
    return [sent.body for sent in system.sandbox.sent if sent.operation == "create_response"]
