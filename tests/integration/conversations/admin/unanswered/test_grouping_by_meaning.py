"""Questions that were not answered are grouped by a model of vectors, within budgets, each asked about once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from conversations.api.projects.knowledge import meanings
from conversations.store import erasures
from conversations.store.items.log import Message, of
from local.scripted_model.meanings import vector_of
from shared.ai import port as ai
from shared.ai.calls import vectors
from shared.ai.port import Embedded
from shared.ai.spending import ceilings, usage
from shared.runtime import clock
from tests.integration.conversations.admin.projects.test_projects import (
    ADMIN,
    OF_PROJECT,
    numbers,
    settings,
)
from tests.integration.conversations.admin.unanswered.suggestions import (
    BACK,
    asked,
    suggested,
    suggestions,
)
from tests.integration.conversations.harness import COMPANY, PROJECT, Harness
from tests.integration.logs import recorded

if TYPE_CHECKING:
    from collections.abc import Sequence

GERMAN = "Darf ich mein Zelt zurückschicken?"
EMBEDDING = {"provider": "bedrock", "model": "amazon.titan-embed-text-v2:0"}


@dataclass
class Model:
    """A model of vectors that keeps what it was asked. It *fails* from a call on."""

    failure: ai.Unavailable | None = None
    fails_from: int = 0
    asked: list[str] = field(default_factory=list)
    calls: int = 0
    name: str = "bedrock:amazon.titan-embed-text-v2:0"
    most_texts: int = 1

    def embed(self, texts: Sequence[str], within_ms: int) -> Embedded:
        assert 0 < within_ms <= vectors.CALL_MS
        self.calls += 1
        if self.failure and self.calls > self.fails_from:
            raise self.failure
        self.asked += texts
        return Embedded(tuple(tuple(vector_of(one, 256)) for one in texts), 1_000)


@pytest.fixture
def model(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> Model:
    """The model of the project."""
    played = Model()
    monkeypatch.setattr(meanings, "embedder_for", lambda *_: played)
    monkeypatch.setattr(vectors, "_CALLS_AT_ONCE", 1)
    configure(harness)
    return played


def configure(harness: Harness, policy: dict[str, Any] | None = None, **embedding: Any) -> None:
    changes: dict[str, Any] = settings(embedding=EMBEDDING | embedding)
    harness.set_up(COMPANY, PROJECT, **changes, **({"policy": policy} if policy else {}))


def both_languages(harness: Harness) -> tuple[str, str]:
    first, _ = asked(harness, BACK, name="req-1")
    second, _ = asked(harness, GERMAN, name="req-2")
    return first, second


def spent_by_company(harness: Harness) -> int:
    table = harness.resources.log.beside(harness.module.settings.spending_table_name)
    return ceilings.spent(table, COMPANY, clock.to_text(harness.now[0])[:10])[0]


def limit(harness: Harness, micros: int) -> None:
    table = harness.resources.log.beside(harness.module.settings.spending_table_name)
    usage.set_ceilings(table, COMPANY, {"day_micros": micros}, by="a person")


def test_the_same_question_in_german_and_english_is_one_suggestion(
    harness: Harness, model: Model
) -> None:
    both_languages(harness)
    asked(harness, "When is the shop open?", name="req-3")

    shown = suggested(harness).result

    assert [(one["new"], one["grouped_by"]) for one in shown["suggestions"]] == [
        (2, "embedding"),
        (1, "embedding"),
    ]
    assert {one["text"] for one in shown["suggestions"][0]["questions"]} == {BACK, GERMAN}
    assert (shown["embedding_model"], shown.get("embedding_failure")) == (EMBEDDING["model"], None)


def test_without_a_model_questions_are_grouped_by_words_and_languages_stay_apart(
    harness: Harness,
) -> None:
    both_languages(harness)

    shown = suggested(harness).result

    assert [one["grouped_by"] for one in shown["suggestions"]] == ["words", "words"]
    assert (shown.get("embedding_model"), shown.get("embedding_failure")) == (None, None)


def test_a_question_is_given_to_the_model_once_masked(harness: Harness, model: Model) -> None:
    asked(harness, "I am Ann Doe, +44 7700 900123. May I send my tent back?", name="req-1")
    suggestions(harness)
    asked(harness, GERMAN, name="req-2")

    for _ in range(3):
        assert len(suggestions(harness)) == 1

    assert len(model.asked) == 2
    assert not any(word in "".join(model.asked) for word in ("Ann", "Doe", "900123"))


def test_another_model_is_asked_anew(harness: Harness, model: Model) -> None:
    both_languages(harness)
    suggestions(harness)
    model.name = "bedrock:cohere.embed-v4:0"

    suggestions(harness)

    assert len(model.asked) == 4


@pytest.mark.parametrize(
    ("answered", "groups"), [(0, {"words": 2}), (1, {"embedding": 1, "words": 1})]
)
def test_a_failure_is_shown_and_the_questions_without_a_vector_are_grouped_by_words(
    harness: Harness, model: Model, answered: int, groups: dict[str, int]
) -> None:
    both_languages(harness)
    model.failure, model.fails_from = ai.Unavailable("ThrottlingException"), answered

    shown = suggested(harness).result

    found = [one["grouped_by"] for one in shown["suggestions"]]
    assert {by: found.count(by) for by in found} == groups
    assert shown["embedding_failure"] == "ThrottlingException"
    model.failure = None
    assert len(suggestions(harness)) == 1
    assert len(model.asked) == 2  # what was answered before is kept


def test_after_a_failure_no_further_call_is_made(harness: Harness, model: Model) -> None:
    both_languages(harness)
    model.failure = ai.Unavailable("AccessDeniedException", ai.Repeat.NEVER)

    suggestions(harness)

    assert model.calls == 1


def test_vectors_count_for_the_company_and_the_project_and_stop_at_their_limits(
    harness: Harness, model: Model
) -> None:
    both_languages(harness)
    limit(harness, 0)
    assert suggested(harness).result["embedding_failure"] == "spending_limit"
    assert model.calls == 0

    limit(harness, 1_000)
    suggestions(harness)

    assert spent_by_company(harness) == 40  # 2,000 tokens at $0.02 for a million
    line, names = "GET /projects/{project_id}/spending", OF_PROJECT
    month = harness.call(line, names=names, who=ADMIN).result
    assert month["dollars"] == "0.000040"
    assert {one["model"] for one in month["prices"]} >= {EMBEDDING["model"]}


def test_a_spent_budget_of_the_project_asks_for_no_vector(harness: Harness, model: Model) -> None:
    configure(harness, policy={"dollars_per_day": 0})
    both_languages(harness)

    assert suggested(harness).result["embedding_failure"] == "token_cap"
    assert model.calls == 0


def test_a_call_of_unknown_outcome_leaves_its_estimate(harness: Harness, model: Model) -> None:
    limit(harness, 1_000)
    both_languages(harness)
    model.failure = ai.Unavailable("ReadTimeoutError", may_be_billed=True)

    suggestions(harness)

    assert spent_by_company(harness) > 0


def test_the_price_and_the_least_likeness_are_settings(harness: Harness, model: Model) -> None:
    configure(harness, price=10.0, least_alike=0.99)
    limit(harness, 1_000_000)
    both_languages(harness)
    asked(harness, "Send my tent, please: for the beach, back?", name="req-3")

    assert [one["new"] for one in suggestions(harness)] == [2, 1]
    assert spent_by_company(harness) == 30_000


def test_the_vector_of_an_erased_question_is_not_kept(
    harness: Harness, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref, question = asked(harness, BACK)
    log, embed = harness.resources.log, Model.embed

    def erased_meanwhile(self: Model, texts: Sequence[str], within_ms: int) -> Embedded:
        erasures.remove(log, of(ref, question.own_sk)["pk"], question.own_sk)
        return embed(self, texts, within_ms)

    monkeypatch.setattr(Model, "embed", erased_meanwhile)
    suggestions(harness)

    assert log.get(of(ref, question.own_sk)) is None


def test_a_kept_vector_is_small_and_reaches_no_log(
    harness: Harness, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = recorded(monkeypatch)
    ref, question = asked(harness, BACK)

    suggestions(harness)

    stored = Message.read(harness.resources.log.get(of(ref, question.own_sk)) or {})
    assert stored.vector is not None
    assert len(stored.vector) < 400
    assert "tent" not in stream.getvalue()
    assert stored.vector.rpartition(" ")[2] not in stream.getvalue()


@pytest.mark.parametrize(
    ("embedding", "field"),
    [
        ({"provider": "bedrock"}, "ai_config.embedding"),
        ({"provider": "bedrock", "model": "anthropic.claude-sonnet"}, "ai_config.embedding"),
        ({"provider": "openai", "model": "text-embedding-3-small"}, "ai_config.embedding"),
        (EMBEDDING | {"least_alike": 2}, "ai_config.embedding.least_alike"),
        (EMBEDDING | {"price": -1}, "ai_config.embedding.price"),
        (EMBEDDING | {"dimension": 3}, "ai_config.embedding.dimension"),
        (
            {"provider": "openai", "model": "m", "api_key_reference": "parley/prod/companies/x/y"},
            "ai_config.embedding.api_key_reference",
        ),
    ],
)
def test_a_setting_that_breaks_a_rule_is_refused_with_its_field(
    harness: Harness, embedding: dict[str, Any], field: str
) -> None:
    body = {"settings": settings(embedding=embedding)}
    line = "POST /projects/{project_id}/versions"

    refused = harness.call(line, body, names=OF_PROJECT, who=ADMIN)

    assert refused.status == 400
    assert field in {
        one["field"].removeprefix("settings.") for one in refused.body["error"]["details"]
    }
    assert numbers(harness) == []


def test_a_refused_question_is_grouped_by_its_words_and_the_others_by_their_meaning(
    harness: Harness, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_languages(harness)
    asked(harness, "Please repair the torn sail of my boat", name="req-3")
    whole = model.embed

    def embed(texts: Sequence[str], within_ms: int) -> Embedded:
        found = whole(texts, within_ms)
        if "sail" in "".join(texts):
            raise ai.Unavailable("ValidationException", ai.Repeat.NEVER)
        return found

    monkeypatch.setattr(model, "embed", embed)

    for _ in range(2):
        shown = suggested(harness).result
        groups = [(one["grouped_by"], len(one["question_ids"])) for one in shown["suggestions"]]
        assert sorted(groups) == [("embedding", 2), ("words", 1)]
        assert shown["embedding_failure"] == "text_refused"

    assert len(model.asked) == 3  # the refused one is not given to the model again
