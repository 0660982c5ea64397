"""Finds the secrets that the settings of a project name, and those that its company does not own."""

from collections.abc import Iterator

from conversations.ai.config import AiConfig
from conversations.configuration import ownership
from conversations.configuration.projects import Company
from shared.identity.secret_owners import SECRET_RULE, owns_secret

# The path of a setting and the rule that it breaks.
type Fault = tuple[str, str]


def foreign_secrets(company: Company) -> Iterator[Fault]:
    """Yield the attributes that name a secret or token of another company. Raises AiConfigBroken."""
    for used in ownership.used_by(company):
        try:
            ownership.check_credentials(company, used.method)
        except ownership.NotOwned as fault:
            yield fault.attribute, fault.rule
    for attribute, name, _ in secrets_of_models(company):
        if not owns_secret(company.company_id, name):
            yield attribute, SECRET_RULE


def secrets_of_models(company: Company) -> Iterator[tuple[str, str, str]]:
    """Yield each secret named in the AI configuration of the project's channels, as (attribute, name, field)."""
    for method in company.allowed_channels:
        config = AiConfig.read(company.ai_config, method.value)
        if config.api_key_reference is not None:
            where = f"ai_config.{config.provider}_config.{method}.api_key_reference"
            yield where, config.api_key_reference, "ai_api_key"
        if config.fallback and config.fallback.api_key_reference is not None:
            where = f"ai_config.{config.provider}_config.{method}.fallback.api_key_reference"
            yield where, config.fallback.api_key_reference, "ai_api_key"
        for name, part in (
            ("transcription", config.transcription),
            ("embedding", config.embedding),
        ):
            if part and part.api_key_reference is not None:
                yield f"ai_config.{name}.api_key_reference", part.api_key_reference, "ai_api_key"
        for position, function in enumerate(config.functions):
            if function.secret_reference is not None:
                where = f"ai_config.functions.{position}.secret_reference"
                yield where, function.secret_reference, "signing_key"
