"""Describes the deployment: settings, numbers, infrastructure."""

from typing import Any, Literal

from shared.api.auth import Scope
from shared.aws.secrets import texts
from shared.runtime import clock
from whatsapp.actions.accounts.administration.reference import LEGACY, UTILITY, VERSION
from whatsapp.actions.calls import participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import NoInput
from whatsapp.api.json_view import View
from whatsapp.inbound.webhook import secrets_of_apps
from whatsapp.sending.gate import SAFE_MODE
from whatsapp.store.accounts import webhook_configs
from whatsapp.store.items import Phone
from whatsapp.store.items.accounts.accounts import InfraConfig


class NumberConfig(View):
    """The settings of a number. *hasToken*: a reference to a Graph token is set; the token itself is never shown."""

    phone: str
    display_phone: str
    meta_waba_id: str
    provider: str
    enabled: bool
    automation: str
    is_default: bool
    auto_mark_read: bool
    message_ttl_days: int | None = None
    app_id: str | None = None
    aws_phone: str | None = None
    aws_waba: str | None = None
    has_token: bool


class EffectiveConfig(View):
    """
    The settings in force. *sending*: `off` while safe mode is on; `unreadable` counts as off.

    *messageTtlDays* 0: messages are kept. The counts are of secrets that are active now: of the
    deployment's verify tokens, and of the secrets of the company's apps.
    """

    version: str
    graph_api_version: str
    eum_meta_api_version: str
    message_ttl_days: int
    sending: Literal["on", "off", "unreadable"]
    webhook_url: str | None = None
    active_verify_tokens: int
    active_app_secrets: int
    numbers: list[NumberConfig]


class Infra(View):
    """
    The infrastructure of the deployment. *vpcEndpoint* and *serviceLinkedRole* are absent if its template has none.

    *updatedAt* is absent before the first `refresh_infra`.
    """

    vpc_endpoint: str | None = None
    service_linked_role: str | None = None
    updated_at: str | None = None


@UTILITY.reads("local", Scope.WHATSAPP_ADMIN)
def get_config(call: Call[NoInput]) -> EffectiveConfig:
    """Return the settings in force and the settings of the company's numbers; of secrets only their count."""
    resources = call.resources
    secret = resources.webhook_secrets.value()
    return EffectiveConfig(
        version=VERSION,
        graph_api_version=resources.graph.version,
        eum_meta_api_version=resources.eum.meta_api_version,
        message_ttl_days=resources.message_ttl_days,
        sending=_sending(call),
        webhook_url=f"{call.api_url}/webhooks/whatsapp" if call.api_url else None,
        active_verify_tokens=len(texts(secret.get("verify_token"))),
        active_app_secrets=sum(
            len(each) for each in secrets_of_apps(secret, participants.apps_of(call)).values()
        ),
        numbers=[_number(phone) for phone in participants.phones_of(call)],
    )


@UTILITY.reads("local", Scope.WHATSAPP_ADMIN)
def get_infra(call: Call[NoInput]) -> Infra:
    """Return the infrastructure that `refresh_infra` has stored."""
    return _view(webhook_configs.get_infra(call.table))


@LEGACY.changes("local", Scope.WHATSAPP_ADMIN)
def refresh_infra(call: Call[NoInput]) -> Infra:
    """Store the VPC endpoint and the service-linked role that the deployment's template names. Writes only a change."""
    deployment = call.resources.deployment
    infra = InfraConfig(
        pk=InfraConfig.pk_pattern,
        vpc_endpoint=deployment.vpc_endpoint or None,
        service_linked_role=deployment.service_linked_role or None,
        updated_at=clock.to_text(clock.now_ms()),
    )
    return _view(webhook_configs.replace_infra(call.table, infra))


def _sending(call: Call[Any]) -> Literal["on", "off", "unreadable"]:
    switches = call.resources.gate.switches.texts()
    if switches is None:
        return "unreadable"
    return "on" if switches.get(SAFE_MODE) == "false" else "off"


def _number(phone: Phone) -> NumberConfig:
    shown = phone.model_dump(include=set(NumberConfig.model_fields))
    shown |= {"is_default": bool(phone.is_default)}
    return NumberConfig(
        meta_waba_id=phone.waba_meta_id, has_token=phone.token_ref is not None, **shown
    )


def _view(stored: InfraConfig | None) -> Infra:
    if stored is None:
        return Infra()
    return Infra(
        vpc_endpoint=stored.vpc_endpoint,
        service_linked_role=stored.service_linked_role,
        updated_at=stored.updated_at,
    )
