"""Settings and clients that worker and admin share; client timeouts are shorter than the functions' own."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import boto3
from botocore.config import Config

from richpanel.configuration.account import StoredAccount
from richpanel.configuration.resources import Endpoints, Sources
from richpanel.inbound.channels import channel_names
from richpanel.store.items import TTL_ATTRIBUTE
from richpanel.store.rate_limit import Limiter
from shared.aws.dynamodb import Table
from shared.aws.secrets import JsonSecret
from shared.identity import keyed_hashes
from shared.policy.consent.records import Consents
from shared.runtime.settings import Origin, SettingInvalid, Settings, Url

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from richpanel.clients.language_model import Judge

# A hanging table must not use up the whole run: the lease lasts as long as the invocation.
quick = Config(connect_timeout=2, read_timeout=5, retries={"total_max_attempts": 3})


@dataclass(frozen=True, kw_only=True)
class SourcesSettings(Settings):
    """The shared part of the environment."""

    conversation_state_table_name: str
    conversation_log_table_name: str
    richpanel_keys_id: str
    identifier_keys_secret_id: str
    channel_names: tuple[str, ...]
    account_parameter: str  # see richpanel.configuration.account
    help_desk_url: Url
    shopify_url: Origin | None
    shopify_version: str
    shipstation_url: Url | None
    classifier: Literal["rules", "model"]
    model_provider: Literal["bedrock", "openai"]
    model_id: str | None
    openai_base_url: Origin


def sources[Kind: Sources](
    kind: type[Kind],
    settings: SourcesSettings,
    dynamodb: "DynamoDBClient",
    **more: Any,  # noqa: ANN401 - its fields
) -> Kind:
    """
    Create *kind*, `Sources` or a subclass; *more* holds the subclass's fields. Configures the keys for hashing
    identifiers, under which opt-outs are stored.

    Raises SettingInvalid.
    """
    keyed_hashes.configure(
        JsonSecret(
            lambda: boto3.client("secretsmanager", config=quick), settings.identifier_keys_secret_id
        )
    )
    state = Table(dynamodb, settings.conversation_state_table_name, TTL_ATTRIBUTE)
    keys = JsonSecret(
        lambda: boto3.client("secretsmanager", config=quick), settings.richpanel_keys_id
    )
    return kind(
        state=state,
        limiter=Limiter(state),
        keys=keys,
        stored_account=StoredAccount(
            lambda: boto3.client("ssm", config=quick),
            settings.account_parameter,
            channel_names(settings.channel_names),
            state,
        ),
        endpoints=Endpoints(
            help_desk=settings.help_desk_url,
            shopify=settings.shopify_url,
            shopify_version=settings.shopify_version,
            shipstation=settings.shipstation_url,
        ),
        judge=_judge(settings, keys),
        consents=Consents(Table(dynamodb, settings.conversation_log_table_name)),
        **more,
    )


def _judge(settings: SourcesSettings, keys: JsonSecret) -> "Judge | None":
    if settings.classifier == "rules":
        return None
    if settings.model_id is None:
        raise SettingInvalid("MODEL_ID is not set, but CLASSIFIER is model")
    # Still at import, but only where a model classifies.
    from richpanel.clients.language_model import LIMITS, REASONING_TOKENS, Judge, reasons  # noqa: PLC0415 - as above
    from shared.ai.calls.observed import ObservedModel  # noqa: PLC0415 - as above

    if settings.model_provider == "openai":
        from shared.ai.providers.openai import Account, OpenAI, Reasoning  # noqa: PLC0415 - as above

        account = Account(f"{settings.openai_base_url}/v1", keys)
        if reasons(settings.model_id):
            reasoning = Reasoning("low", REASONING_TOKENS)
            model = OpenAI(account, settings.model_id, reasoning)
            return Judge(ObservedModel(model), replace(LIMITS, temperature=None))
        return Judge(ObservedModel(OpenAI(account, settings.model_id)))
    from shared.ai.providers.bedrock import Bedrock, structure_of  # noqa: PLC0415 - as above

    bedrock = Bedrock(
        lambda config: boto3.client("bedrock-runtime", config=config),
        settings.model_id,
        structure=structure_of(settings.model_id),
    )
    return Judge(ObservedModel(bedrock))
