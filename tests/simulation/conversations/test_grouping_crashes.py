"""A reading of suggestions that dies at any call loses no question, and the next one groups them all."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest

from events.conversations import sample_data
from shared.ai.spending import ceilings, usage
from shared.runtime import clock
from tests.simulation.conversations.document_scenarios import (
    AI_CONFIG,
    OPENAI_SECRET_ID,
    _answer,
    _call,
    _model_says,
    _writes,
)
from tests.simulation.conversations.memory_scenarios import tables_of
from tests.simulation.interceptor import Died, When

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

LIST = "GET /projects/{project_id}/knowledge/suggestions"
EMBEDDING = {"provider": "openai", "model": "scripted", "api_key_reference": OPENAI_SECRET_ID}


def unanswered(system: System) -> None:
    """Two questions without a passage, of a project that groups them by their meaning."""
    system.reset()
    system.put_secret(OPENAI_SECRET_ID, {"ai_api_key": "made up"})
    system.begin("sms")
    config = AI_CONFIG | {"embedding": EMBEDDING}
    system.change(ai_config=config, knowledge_config={"enabled": True})
    limits = {"month_micros": 10**9}
    usage.set_ceilings(tables_of(system)["spending"], sample_data.COMPANY, limits, by="kim")
    for text in ("Where can I park?", "May I send my tent back?"):
        _model_says(system, _call("search_documents", query="site"), _answer("Which one?"))
        _writes(system, "sms", text)


def suggestions(system: System) -> list[dict[str, Any]]:
    found = system.call_admin_api(LIST, {}, project_id=sample_data.PROJECT)
    assert found.get("embedding_failure") is None
    rows: list[dict[str, Any]] = found["suggestions"]
    return sorted(rows, key=lambda one: str(one["question_ids"]))


def asked(system: System) -> int:
    """How often the model of vectors was asked."""
    return sum("embeddings" in one.path for one in system.sandbox.sent)


@pytest.mark.long
def test_a_reading_that_dies_at_any_call_is_repeated_and_groups_the_same_questions(
    system: System,
) -> None:
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(tempfile, "tempdir", folder):
        unanswered(system)
        before = system.snapshot()
        system.new_process()
        system.interceptor.rewind()
        clean = suggestions(system)
        calls = len(system.interceptor.calls)
        assert {one["grouped_by"] for one in clean} == {"embedding"}
        assert asked(system) == 1
        spent = spent_by_company(system)
        suggestions(system)
        assert asked(system) == 1  # each question has its vector

        deaths = 0
        for number in range(1, calls + 1):
            for when in When:
                system.restore(before)
                system.new_process()
                system.interceptor.rewind()
                system.interceptor.die_at = (number, when)
                try:
                    suggestions(system)
                except Died:
                    deaths += 1
                system.interceptor.die_at = None
                system.new_process()

                assert suggestions(system) == clean
                # A call whose vectors were not kept is paid again, an estimate that was not settled stays.
                assert spent <= spent_by_company(system)
        assert deaths > calls


def spent_by_company(system: System) -> int:
    date = clock.to_text(system.clock.ms)[:10]
    return ceilings.spent(tables_of(system)["spending"], sample_data.COMPANY, date)[1]
