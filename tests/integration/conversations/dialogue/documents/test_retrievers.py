"""Retrievers that fail, are set up wrongly, or are a knowledge base of Bedrock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3
import pytest

from events.conversations import sample_data
from local.sandbox.accounts.knowledge_bases import KnowledgeDocument
from shared.ai.retrieval import RetrieverUnavailable
from shared.ai.retrieval.local import LocalRetriever
from tests.integration.conversations.dialogue.documents.documents import (
    KNOWLEDGE,
    NIGHT,
    SEARCH,
    documents,
    put,
    search_of,
    start,
)
from tests.integration.conversations.steps import model_answer, status_of, texts_by, write

if TYPE_CHECKING:
    from shared.ai.retrieval.documents import Documents
    from tests.simulation.conversations.system import System

__all__ = ["documents"]  # fixtures


def test_a_retriever_that_is_unavailable_delays_the_answer(
    system: System, documents: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(documents, "night", "The night shift begins at ten.", "Shifts", NIGHT)
    ref = start(system, SEARCH, SEARCH, model_answer("It begins at ten [1]."))
    retrieve = LocalRetriever.retrieve
    failures = [RetrieverUnavailable("SlowDown")]

    def fail_once(retriever: LocalRetriever, *args: Any, **options: Any) -> Any:
        if failures:
            raise failures.pop()
        return retrieve(retriever, *args, **options)

    monkeypatch.setattr(LocalRetriever, "retrieve", fail_once)
    write(system)

    assert failures == []
    assert texts_by(system, ref)[-1].startswith("It begins at ten.")


def test_a_corpus_that_is_too_large_hands_off(
    system: System, documents: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(documents, "night", "The night shift begins at ten.", "Shifts", NIGHT)
    monkeypatch.setattr("shared.ai.retrieval.corpora.MOST_DOCUMENTS", 0)
    ref = start(system, SEARCH)

    write(system)

    assert status_of(system, ref) == ("handoff_pending", "corpus_too_large")


@pytest.mark.parametrize(
    ("knowledge", "changes"),
    [
        ({"enabled": True, "retriever": "bedrock"}, {}),
        (
            KNOWLEDGE,
            {
                "functions": [
                    {
                        "name": "search_documents",
                        "description": "Searches.",
                        "target": "https://search.example.com/",
                    }
                ]
            },
        ),
    ],
)
def test_invalid_settings_hand_off(
    system: System, documents: Documents, knowledge: dict[str, Any], changes: dict[str, Any]
) -> None:
    ref = start(system, SEARCH, **changes)
    system.change(knowledge_config=knowledge)

    write(system)

    assert status_of(system, ref) == ("handoff_pending", "configuration_invalid")


def test_a_deployment_without_a_bucket_hands_off(
    system: System, documents: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_of(system), "bucket", None)
    ref = start(system, SEARCH)

    write(system)

    assert status_of(system, ref) == ("handoff_pending", "no_document_bucket")


def test_a_knowledge_base_of_bedrock_answers(
    system: System, documents: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        search_of(system),
        "make_bedrock",
        lambda config: boto3.client(
            "bedrock-agent-runtime", endpoint_url=system.sandbox.url, config=config
        ),
    )
    for company, score in ((sample_data.COMPANY, 0.8), (sample_data.COMPANY, 0.2), ("other", 0.9)):
        system.sandbox.knowledge_bases.documents.append(
            KnowledgeDocument(
                knowledge_base_id="AB12CD34EF",
                text=f"The night shift begins at ten, {score}.",
                metadata={"company_id": company, "title": f"Shifts {score}", "url": NIGHT},
                score=score,
            )
        )
    knowledge = {"enabled": True, "retriever": "bedrock", "knowledge_base_id": "AB12CD34EF"}
    ref = start(system, SEARCH, model_answer("It begins at ten [1]. [2]"), knowledge=knowledge)

    write(system)

    assert texts_by(system, ref)[-1] == f"It begins at ten.\n\nShifts 0.8: {NIGHT}"
