"""The settings of a company as the jobs use them: its model and its retriever."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from newsletters.jobs.failures import StepFailed
from shared.ai.retrieval.settings import RetrievalSettings
from shared.ai.settings import ModelSettings
from shared.aws.sqs_fifo import to_json
from shared.aws.tables.dynamodb_json import plain

if TYPE_CHECKING:
    from newsletters.store.items import CompanySettings


def model_of(settings: CompanySettings | None) -> ModelSettings:
    """Return the settings of the company's model. Raises StepFailed (`ai_not_configured`)."""
    if settings is None or settings.ai is None:
        raise StepFailed("ai_not_configured")
    try:
        return ModelSettings.model_validate_json(to_json(plain(settings.ai)))
    except ValidationError:
        raise StepFailed("ai_not_configured") from None


def retrieval_of(settings: CompanySettings | None) -> RetrievalSettings:
    """Return the settings of the company's retriever; without any, the embedded search. Raises StepFailed."""
    try:
        return RetrievalSettings.model_validate_json(
            to_json(plain(settings.retrieval if settings else {}))
        )
    except ValidationError:
        raise StepFailed("knowledge_base_refused") from None
