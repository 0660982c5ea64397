"""Composition root of the functions that run actions: their environment and their resources."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config

from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue
from shared.aws.sqs_standard import StandardQueue
from shared.contacts.person import Sources
from shared.identity import keyed_hashes
from shared.policy.consent.records import Consents
from shared.policy.kill_switches import KillSwitches, parameter_store
from shared.providers.action_ledger import Action, Ledger
from shared.providers.whatsapp.aws_eum import Eum
from shared.providers.whatsapp.meta_graph import Graph
from whatsapp.actions.calls.call import ActionResources, Deployment
from whatsapp.sending.gate import Gate
from whatsapp.store.accounts.numbers.ownership import Ownership
from whatsapp.store.items import ACTION_PK_PATTERN, pk

if TYPE_CHECKING:
    from whatsapp.configuration.settings import ActionsSettings


# API Gateway answers for us after 29 seconds, of which the provider may take ten.
quick = Config(connect_timeout=2, read_timeout=4, retries={"total_max_attempts": 2})
# Links must be signed with version 4: newer buckets and regions reject boto3's default signature.
signing = quick.merge(Config(signature_version="s3v4"))
# Neither Graph nor End User Messaging has idempotency keys: one attempt, and the ledger decides about the next.
once = Config(retries={"total_max_attempts": 1}, connect_timeout=3, read_timeout=10)


def _secret(name: str) -> JsonSecret:
    return JsonSecret(lambda: boto3.client("secretsmanager", config=quick), name)


# The parameter store, with the switches and the keys of forms.
parameters = parameter_store(lambda: boto3.client("ssm", config=quick))


def resources_of(settings: ActionsSettings) -> ActionResources:
    """Return the resources of a function, and configure the keys of its hashes."""
    keyed_hashes.configure(_secret(settings.identifier_keys_secret_id))
    sqs = cache(lambda: boto3.client("sqs", config=quick))
    dynamodb = boto3.client("dynamodb", config=quick)
    table = Table(dynamodb, settings.messages_table_name)
    log = Table(dynamodb, settings.conversation_log_table_name)
    consents = Consents(log)
    return ActionResources(
        table=table,
        bucket=Bucket(lambda: boto3.client("s3", config=signing), settings.media_bucket_name),
        conversation_inbound=FifoQueue(sqs, settings.conversations_inbound_queue_url),
        queue=FifoQueue(sqs, settings.whatsapp_queue_url),
        jobs=StandardQueue(sqs, settings.whatsapp_jobs_queue_url),
        campaigns=StandardQueue(sqs, settings.whatsapp_campaigns_queue_url),
        ledger=Ledger(
            table, lambda action_id: pk(ACTION_PK_PATTERN.format(actionId=action_id)), Action
        ),
        graph=Graph(settings.graph_base_url, settings.graph_api_version),
        eum=Eum(
            lambda: boto3.client("socialmessaging", config=once), settings.eum_meta_api_version
        ),
        tokens=_secret(settings.whatsapp_tokens_secret_id),
        message_ttl_days=settings.message_ttl_days,
        media_origins=settings.media_origins,
        gate=Gate(
            table=table,
            switches=KillSwitches(parameters, settings.switches_path),
            consents=consents,
        ),
        consents=consents,
        people=Sources(
            contacts=Table(dynamodb, settings.contacts_table_name),
            inbox=Table(dynamodb, settings.inbox_table_name),
            consents=consents,
        ),
        seal_secret=_secret(settings.api_seal_secret_id),
        webhook_secrets=_secret(settings.whatsapp_app_secret_id),
        ownership=Ownership(log=log, single_company=settings.single_company),
        parameters=parameters,
        flow_keys_path=settings.flow_keys_path,
        deployment=Deployment(
            sns=lambda: boto3.client("sns", config=quick),
            social_topics=settings.social_topic_arns,
            vpc_endpoint=settings.vpc_endpoint_id,
            service_linked_role=settings.service_linked_role_arn,
        ),
    )
