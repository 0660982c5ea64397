"""
Vectors of questions that were not answered, by the model of the project's `embedding`.

Each question is given to the model once, masked and cut; its vector is kept at its message. What a reading of
suggestions costs is bounded by the number of questions that are compared, and counts for the budgets of the project and
of the company. Questions without a vector are grouped by their words, and the failure is shown. A question that the
model has refused is not given to it again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from conversations.ai.config import AiConfig, AiConfigBroken
from conversations.ai.knowledge.question_groups import LEAST_COSINE, least_alike_of
from conversations.configuration import projects
from conversations.configuration.projects import ConfigurationInvalid
from conversations.outbound.policy import token_budget
from conversations.store.knowledge.unanswered_words import keep_vectors
from shared.ai import port as ai
from shared.ai.calls import vectors
from shared.ai.providers.model_creation import embedder_for
from shared.ai.spending import prices
from shared.ai.spending.company_model import CompanyCalls
from shared.aws.secrets import SecretUnreadable
from shared.policy.facts import Reason
from shared.providers.outcomes import Misconfigured, NotSent
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conversations.api.projects.tries.playground import PlaygroundDependencies
    from conversations.configuration.projects import Company
    from conversations.store.knowledge.unanswered_words import Question
    from shared.ai.port import Embedder
    from shared.ai.settings import EmbeddingSettings
    from shared.aws.dynamodb import Attributes

WITHIN_MS: Final = 12 * clock.SECOND_MS  # of the 29 seconds of a request
NOT_SET_UP: Final = "not_set_up"


@dataclass(slots=True)
class Meanings:
    """
    Vectors by the id of the question. *model*: the name of the model, None if the project has none; *failure*: why not
    all questions have a vector.
    """

    model: str | None = None
    least_alike: float = LEAST_COSINE
    vectors: dict[str, tuple[int, ...]] = field(default_factory=dict, repr=False)
    failure: str | None = None


def meanings_of(
    deps: PlaygroundDependencies,
    item: Attributes,
    questions: Mapping[str, Question],
    texts: Mapping[str, str],
) -> Meanings:
    """Return the vectors of the *questions* of a project by their masked *texts*, and keep the new ones."""
    try:
        company = projects.parse(item)
        settings = _settings(company)
    except (ConfigurationInvalid, AiConfigBroken):
        return Meanings(failure=NOT_SET_UP)
    if settings is None:
        return Meanings()
    found = Meanings(settings.model or settings.provider, least_alike_of(settings))
    try:
        embedder = embedder_for(settings, deps.model_deps, company.company_id)
    except (SecretUnreadable, Misconfigured, NotSent):
        found.failure = NOT_SET_UP
        return found
    stored = {name: one.vector for name, one in questions.items()}
    known = {name: vectors.read(one, embedder.name) for name, one in stored.items()}
    missing = {name: texts[name] for name, one in known.items() if one is None}
    missing = {name: text for name, text in missing.items() if text.strip()}
    if missing:
        made = _made(deps, company, settings, embedder, missing)
        found.failure = made.failure
        names = list(missing)
        new = {names[position]: vector for position, vector in made.vectors.items()}
        new |= {names[position]: vectors.without_vector(embedder.name) for position in made.refused}
        keep_vectors(deps.log, [(questions[name].noted, vector) for name, vector in new.items()])
        known |= {name: vectors.read(vector, embedder.name) for name, vector in new.items()}
    found.vectors = {name: one for name, one in known.items() if one}
    if found.failure is None and () in known.values():
        found.failure = vectors.REFUSED  # these are grouped by their words
    return found


def _settings(company: Company) -> EmbeddingSettings | None:
    """Return the project's model of vectors, which all its channels share. Raises AiConfigBroken."""
    if not company.ai_config.get("embedding") or not company.allowed_channels:
        return None
    return AiConfig.read(company.ai_config, company.allowed_channels[0].value).embedding


def _made(
    deps: PlaygroundDependencies,
    company: Company,
    settings: EmbeddingSettings,
    embedder: Embedder,
    texts: Mapping[str, str],
) -> vectors.Made:
    """Ask the model for the vectors of texts, within the budgets of the project and of the company."""
    if token_budget.is_spent(deps.log, company):
        return vectors.Made(failure=Reason.TOKEN_CAP)
    price = prices.price_of_embeddings(settings)
    spending = CompanyCalls(deps.spending, company.company_id, spares=True)
    deadline_ms = clock.now_ms() + WITHIN_MS
    made = vectors.vectors_of(embedder, list(texts.values()), price, spending, deadline_ms)
    if made.tokens:
        used = ai.Usage(tokens_in=made.tokens, micros=made.micros(price))
        token_budget.count(deps.log, company, used)
    return made
