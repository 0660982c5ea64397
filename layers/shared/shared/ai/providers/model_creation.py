"""Creates the model that a project has configured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shared.ai.calls.observed import ObservedEmbedder, ObservedModel
from shared.ai.spending import prices
from shared.ai.spending.priced import PricedModel
from shared.providers.outcomes import Misconfigured

if TYPE_CHECKING:
    from collections.abc import Callable

    from botocore.config import Config

    from shared.ai.port import Embedder, Model
    from shared.ai.providers.openai import Account
    from shared.ai.providers.transcription import Transcriber
    from shared.ai.settings import EmbeddingSettings, ModelSettings, TranscriptionSettings
    from shared.providers.company_secrets import CompanySecrets


class _AnyKey:
    """The key of `scripted`, a model that the local stack's sandbox plays: it accepts any key."""

    def value(self) -> dict[str, str]:
        return {"ai_api_key": "scripted"}

    def refreshed(self) -> bool:
        return False


_ANY_KEY = _AnyKey()


@dataclass(slots=True, kw_only=True, eq=False)
class ModelDependencies:
    """
    Access to the model providers. *credentials* are the companies' secrets, by `api_key_reference`.

    *make_bedrock* creates a boto3 `bedrock-runtime` client with the configuration of a call.
    """

    openai_url: str
    credentials: CompanySecrets
    make_bedrock: Callable[[Config], Any]


def model_for(settings: ModelSettings, deps: ModelDependencies, company_id: str) -> Model:
    """
    Create the model of a project, whose replies say what they cost; loads only its provider's client.

    Raises Misconfigured like `account_for`.
    """
    model = ObservedModel(_model_for(settings, deps, company_id))
    return PricedModel(model, prices.price_for(settings))


def _model_for(settings: ModelSettings, deps: ModelDependencies, company_id: str) -> Model:
    if settings.provider == "scripted":
        from shared.ai.providers.openai import Account, OpenAI  # noqa: PLC0415 - see the docstring

        return OpenAI(Account(deps.openai_url, _ANY_KEY), settings.provider)
    if settings.model is None:
        raise Misconfigured("model")
    if settings.provider == "openai":
        from shared.ai.providers.openai import OpenAI, Reasoning  # noqa: PLC0415 - see the docstring

        set_up = settings.reasoning
        reasoning = Reasoning(set_up.effort, set_up.max_tokens) if set_up else None
        return OpenAI(account_for(settings, deps, company_id), settings.model, reasoning)
    from shared.ai.providers.bedrock import Bedrock, Guardrail, structure_of  # noqa: PLC0415 - see the docstring

    return Bedrock(
        deps.make_bedrock,
        settings.model,
        Guardrail.of(settings.guardrail_id) if settings.guardrail_id else None,
        structure_of(settings.model),
        settings.cache_prompt,
    )


def transcriber_for(
    settings: TranscriptionSettings, openai_url: str, credentials: CompanySecrets, company_id: str
) -> Transcriber:
    """Create the transcriber of a project. Raises Misconfigured like `account_for`."""
    from shared.ai.providers.openai import Account  # noqa: PLC0415 - see `model_for`
    from shared.ai.providers.transcription import OpenAiTranscriber  # noqa: PLC0415 - as above

    if settings.provider == "scripted":
        account = Account(openai_url, _ANY_KEY)
    else:
        account = _account(settings.api_key_reference, openai_url, credentials, company_id)
    return OpenAiTranscriber(account, settings.model, settings.language)


def embedder_for(settings: EmbeddingSettings, deps: ModelDependencies, company_id: str) -> Embedder:
    """Create the model of a project's vectors. Raises Misconfigured like `account_for`."""
    from shared.ai.providers.embeddings import BedrockEmbedder, OpenAiEmbedder  # noqa: PLC0415 - see `model_for`

    if settings.provider == "bedrock":
        return ObservedEmbedder(BedrockEmbedder(deps.make_bedrock, str(settings.model)))
    if settings.provider == "openai":
        account = _account(
            settings.api_key_reference, deps.openai_url, deps.credentials, company_id
        )
    else:
        from shared.ai.providers.openai import Account  # noqa: PLC0415 - as above

        account = Account(deps.openai_url, _ANY_KEY)
    return ObservedEmbedder(OpenAiEmbedder(account, settings.model or settings.provider))


def account_for(settings: ModelSettings, deps: ModelDependencies, company_id: str) -> Account:
    """
    Return the OpenAI account of a project, for its model and for `openai_mirror`.

    Raises Misconfigured if it has no key, or its key belongs to another company.
    """
    return _account(settings.api_key_reference, deps.openai_url, deps.credentials, company_id)


def _account(
    api_key_reference: str | None, openai_url: str, credentials: CompanySecrets, company_id: str
) -> Account:
    if api_key_reference is None:
        raise Misconfigured("api_key_reference")
    from shared.ai.providers.openai import Account  # noqa: PLC0415 - few projects have an account there

    return Account(openai_url, credentials.secret(company_id, api_key_reference))
