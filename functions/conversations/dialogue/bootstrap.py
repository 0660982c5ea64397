"""Composition root of the functions that send messages: settings, lazily created clients and dependencies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config

from conversations.configuration.bootstrap import ConnectedSettings, resources_of
from conversations.configuration.ownership import Claims
from conversations.configuration.resources import People
from conversations.dialogue.context import DialogueDependencies
from conversations.outbound.compose.functions.calls import Effects
from conversations.outbound.compose.functions.document_search import DocumentSearch
from conversations.outbound.compose.openai_mirror import Mirror
from conversations.outbound.compose.writer import MessageWriter
from conversations.outbound.policy.gate import PolicyGate
from conversations.outbound.policy.sender_throttle import Throttles
from conversations.outbound.providers.clients import ProviderClients
from conversations.outbound.providers.gateway import Providers
from conversations.outbound.turns.plan import TurnDependencies
from shared.access.ownership.claims import Owners
from shared.ai.providers.model_creation import ModelDependencies
from shared.ai.spending.configuration import SpendingSettings, spending_of
from shared.aws.client_configs import PATIENT
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue
from shared.policy.kill_switches import KillSwitches, parameter_store
from shared.providers.company_secrets import CompanySecrets
from shared.runtime import clock
from shared.runtime.settings import Origin, Url, is_local_stage


@dataclass(frozen=True, kw_only=True)
class SpeakingSettings(ConnectedSettings, SpendingSettings):
    """Environment variables of a function that sends messages."""

    whatsapp_queue_url: str
    email_threads_queue_url: str
    email_configuration_set: str
    whatsapp_tokens_secret_id: str
    switches_path: str
    public_base_urls: tuple[Url, ...] = ()
    twilio_base_url: Origin
    openai_base_url: Origin
    graph_base_url: Origin
    graph_api_version: str
    eum_meta_api_version: str
    processor_version: str
    attempts_table_name: str
    contacts_table_name: str
    inbox_table_name: str
    max_attempts: int
    newsletters_bucket_name: str | None = None  # has the documents that models may search


# No provider supports idempotency keys: the SDK makes one attempt, and the ledger decides on retries.
once = Config(retries={"total_max_attempts": 1}, connect_timeout=3, read_timeout=10)


def dialogue_dependencies(settings: SpeakingSettings) -> DialogueDependencies:
    """Build the dependencies of a function that sends messages."""
    resources = resources_of(settings, PATIENT)
    sqs = resources.replies.client
    credentials = CompanySecrets(lambda: boto3.client("secretsmanager", config=PATIENT))
    switches = KillSwitches(
        parameter_store(lambda: boto3.client("ssm", config=PATIENT)), settings.switches_path
    )
    policy_gate = PolicyGate(log=resources.log, switches=switches)
    gateway = _gateway(
        settings,
        credentials,
        policy_gate,
        inbox=FifoQueue(lambda: sqs, settings.whatsapp_queue_url),
        threads=FifoQueue(lambda: sqs, settings.email_threads_queue_url),
        region=sqs.meta.region_name,
    )
    effects = Effects(
        resources=resources,
        consents=policy_gate.consents,
        credentials=credentials,
        loopback=_is_local(settings),
    )
    model_deps = ModelDependencies(
        openai_url=f"{settings.openai_base_url}/v1",
        credentials=credentials,
        make_bedrock=lambda config: boto3.client("bedrock-runtime", config=config),
    )
    mirror = Mirror(model_deps)
    spending = spending_of(settings, resources.log)
    return DialogueDependencies(
        resources=resources,
        turns=TurnDependencies(
            resources=resources, gateway=gateway, policy_gate=policy_gate, mirror=mirror
        ),
        policy_gate=policy_gate,
        writer=MessageWriter(
            resources=resources,
            people=People(
                contacts=resources.log.beside(settings.contacts_table_name),
                inbox=resources.log.beside(settings.inbox_table_name),
            ),
            model_deps=model_deps,
            credentials=credentials,
            effects=effects,
            documents=_documents(settings, Owners(resources.log)),
            mirror=mirror,
            spending=spending,
        ),
        spending=spending,
        effects=effects,
        processor_version=settings.processor_version,
    )


def _documents(settings: SpeakingSettings, owners: Owners) -> DocumentSearch:
    name = settings.newsletters_bucket_name
    return DocumentSearch(
        bucket=Bucket(lambda: boto3.client("s3", config=PATIENT), name) if name else None,
        make_bedrock=lambda config: boto3.client("bedrock-agent-runtime", config=config),
        owners=owners,
    )


def _gateway(
    settings: SpeakingSettings,
    credentials: CompanySecrets,
    policy_gate: PolicyGate,
    *,
    inbox: FifoQueue,
    threads: FifoQueue,
    region: str,
) -> Providers:
    return Providers(
        clients=ProviderClients(
            twilio_url=settings.twilio_base_url,
            graph_url=settings.graph_base_url,
            graph_version=settings.graph_api_version,
            eum_meta_version=settings.eum_meta_api_version,
            make_client=_client_without_retries,
        ),
        tokens=JsonSecret(
            lambda: boto3.client("secretsmanager", config=PATIENT),
            settings.whatsapp_tokens_secret_id,
        ),
        credentials=credentials,
        consents=policy_gate.consents,
        claims=Claims(policy_gate.log),
        throttles=Throttles(policy_gate.log),
        inbox=inbox,
        threads=threads,
        public_url=next(iter(settings.public_base_urls), ""),
        region=region,
        configuration_set=settings.email_configuration_set,
    )


def _client_without_retries(service: str, *, within_ms: int | None = None) -> Any:  # noqa: ANN401 - of any service
    config = once
    if within_ms is not None:
        seconds = within_ms / clock.SECOND_MS
        config = once.merge(Config(connect_timeout=seconds, read_timeout=seconds))
    return boto3.client(service, config=config)  # type: ignore[call-overload] # by its name


def _is_local(settings: SpeakingSettings) -> bool:
    return is_local_stage() and "127.0.0.1" in settings.openai_base_url
