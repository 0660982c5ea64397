"""Changes and shows webhooks of accounts: subscriptions at Meta, and stored settings."""

from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field

from shared.access.ownership import ids, proofs
from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from shared.aws.secrets import texts
from shared.runtime import clock
from whatsapp.actions.accounts.administration.parked import SECURITY
from whatsapp.actions.accounts.administration.sends import OPS
from whatsapp.actions.calls import participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Flag, HttpsUrl, Input, WabaId
from whatsapp.actions.calls.provider_objects import SubscribedApps
from whatsapp.actions.dispatch.registration import Group
from whatsapp.api.json_view import View
from whatsapp.inbound.webhook import secrets_of_apps
from whatsapp.sending.failures import NotConfigured
from whatsapp.store.accounts import webhook_configs
from whatsapp.store.accounts.numbers import recent_messages
from whatsapp.store.items import Phone
from whatsapp.store.items.accounts.accounts import WebhookConfig
from whatsapp.transmission import STORED_LATELY_MS

WEBHOOKS = Group("webhooks")
WEBHOOK_PATH = "/webhooks/whatsapp"
FIELDS = frozenset(
    {
        "messages", "smb_message_echoes", "history", "calls", "message_template_status_update",
        "message_template_quality_update", "message_template_components_update", "template_category_update",
        "phone_number_quality_update", "phone_number_name_update", "business_capability_update", "account_update",
        "account_alerts", "account_review_update", "security", "group_lifecycle_update", "group_participants_update",
        "group_settings_update", "group_status_update", "flows", "payment_configuration_update", "user_preferences",
        "user_id_update", "smb_app_state_sync", "automatic_events", "tracking_events", "partner_solutions",
    }
)  # fmt: skip
_MOST_NUMBERS = 10
_OBJECT = "whatsapp_business_account"


class OfAccount(Input):
    """An account of the company."""

    meta_waba_id: WabaId


class RegisterWebhook(OfAccount):
    """
    An account. `webhookUrl`: an address of this deployment, by default its webhook. `subscribedEvents`: fields that the
    app is to receive, for all its accounts.
    """

    webhook_url: HttpsUrl | None = None
    subscribed_events: Annotated[list[str], Field(min_length=1, max_length=50)] | None = None


class Unregister(OfAccount):
    """An account; `confirm` must be true."""

    confirm: Literal[True]


class SetConfig(OfAccount):
    """The state of an account's webhook; `webhookUrl` must be an address of this deployment."""

    enabled: Flag = True
    webhook_url: HttpsUrl | None = None


class Registered(View):
    """A subscription. *fields*: the app's fields, if the call named some."""

    meta_waba_id: str
    webhook_url: str
    fields: list[str] | None = None


class Config(View):
    """
    Webhook settings. `verifyToken` and `appSecret` are references, `secret name#field`; the counts are of values.

    `lastMessageAt`: when a customer's message arrived at a number of the account, among the newest messages of its
    first ten numbers; only `get_webhook_config` looks it up.
    """

    meta_waba_id: str
    enabled: bool
    verify_token: str | None = None
    app_secret: str | None = None
    updated_at: str | None = None
    active_verify_tokens: int
    active_app_secrets: int
    last_message_at: str | None = None


@WEBHOOKS.changes("remote_graph", Scope.WHATSAPP_ADMIN)
def register_webhook(call: Call[RegisterWebhook]) -> Registered:
    """
    Subscribe our app to an account, with this deployment's webhook as its address.

    Meta verifies the address at once: the verify token comes from the secret store, never from the call. With
    `subscribedEvents` the app's fields are set first, which concerns all accounts of the app. Not confirmed by our own
    traffic: that Meta takes the fields as JSON, under the app's own token.
    """
    asked = call.input
    unknown = sorted(set(asked.subscribed_events or ()) - FIELDS)
    if unknown:
        problem = "must contain known webhook fields only"
        raise InvalidInput([{"field": "subscribedEvents", "problem": problem}])
    phone = participants.account_of(call, asked.meta_waba_id)[0]
    graph = remote.graph_of_account(call, asked.meta_waba_id)
    url, token = _own_url(call, asked.webhook_url), _verify_token(call)
    if asked.subscribed_events:
        _subscribe_fields(call, phone, url, token, sorted(set(asked.subscribed_events)))
    body = {"override_callback_uri": url, "verify_token": token}
    graph.post(asked.meta_waba_id, "subscribed_apps", body=body)
    _keep(call, asked.meta_waba_id, enabled=True)
    return Registered(
        meta_waba_id=asked.meta_waba_id,
        webhook_url=url,
        fields=sorted(set(asked.subscribed_events)) if asked.subscribed_events else None,
    )


@OPS.changes("remote_graph", Scope.WHATSAPP_ADMIN)
def unregister_webhook(call: Call[Unregister]) -> Config:
    """Unsubscribe our app from an account: Graph sends no more events of it. Numbers on AWS are not affected."""
    waba = call.input.meta_waba_id
    remote.graph_of_account(call, waba).delete(waba, "subscribed_apps")
    return _view(call, _keep(call, waba, enabled=False))


@OPS.reads("remote_graph", Scope.WHATSAPP_ADMIN)
def get_webhook_subscriptions(call: Call[OfAccount]) -> SubscribedApps:
    """Return the apps that are subscribed to an account, and their replaced addresses, as Meta returns them."""
    waba = call.input.meta_waba_id
    answer = remote.graph_of_account(call, waba).get(waba, "subscribed_apps")
    return SubscribedApps.model_validate(answer)


@SECURITY.changes("local", Scope.WHATSAPP_ADMIN)
def set_webhook_config(call: Call[SetConfig]) -> Config:
    """
    Store whether an account's webhook is in use, with the references of its secrets.

    A record only: Meta keeps sending until `unregister_webhook`, and signed events are accepted.
    """
    participants.account_of(call, call.input.meta_waba_id)
    if call.input.webhook_url is not None:
        _own_url(call, call.input.webhook_url)
    return _view(call, _keep(call, call.input.meta_waba_id, enabled=call.input.enabled))


@SECURITY.reads("local", Scope.WHATSAPP_ADMIN)
def get_webhook_config(call: Call[OfAccount]) -> Config:
    """Return an account's webhook settings, the number of active secrets behind each reference, and what came last."""
    waba = call.input.meta_waba_id
    phones = participants.account_of(call, waba)[:_MOST_NUMBERS]
    stored = webhook_configs.get(call.table, waba)
    view = _view(call, stored or _config(call, waba, enabled=False, at=None))
    found = [recent_messages.newest_received(call.table, one.phone_arn) for one in phones]
    return view.model_copy(update={"last_message_at": max(filter(None, found), default=None)})


def _own_url(call: Call[Any], given: str | None) -> str:
    """Return the address of this deployment's webhook, or the given one on its host. Raises NotConfigured."""
    if call.api_url is None:
        raise NotConfigured("the API's address is unknown in a direct invocation; call over HTTP")
    if given is not None and urlsplit(given).hostname != urlsplit(call.api_url).hostname:
        problem = "must be an address of this deployment"
        raise InvalidInput([{"field": "webhookUrl", "problem": problem}])
    return given or f"{call.api_url}{WEBHOOK_PATH}"


def _verify_token(call: Call[Any]) -> str:
    tokens = texts(call.resources.webhook_secrets.value().get("verify_token"))
    if not tokens:
        raise NotConfigured("the secret of the webhook has no verify_token")
    return tokens[0]


def _subscribe_fields(
    call: Call[Any], phone: Phone, url: str, token: str, fields: list[str]
) -> None:
    """
    Set the fields of the number's app, which must be the company's own: they hold for all accounts of the app.

    Raises InvalidInput, NotConfigured without the app's secret, and as remote calls.
    """
    app = phone.app_id or ""
    own = call.resources.ownership
    if app and not own.owns(call.company, ids.meta_id(ids.APP, app)):
        problem = (
            f"must be left out: they concern all accounts of the number's app, which {proofs.RULE}"
        )
        raise InvalidInput([{"field": "subscribedEvents", "problem": problem}])
    stored = call.resources.webhook_secrets
    secrets = secrets_of_apps(stored.value()).get(app)
    if not secrets and stored.refreshed(STORED_LATELY_MS):
        secrets = secrets_of_apps(stored.value()).get(app)  # stored a moment ago
    if not secrets:
        raise NotConfigured("the secret of the webhook has no secret of the number's app")
    as_app = remote.GraphAccount(call.resources, f"{app}|{secrets[0]}")
    body = {
        "object": _OBJECT,
        "callback_url": url,
        "fields": ",".join(fields),
        "verify_token": token,
    }
    as_app.post(app, "subscriptions", body=body)


def _keep(call: Call[Any], waba: str, *, enabled: bool) -> WebhookConfig:
    at = clock.to_text(clock.now_ms())
    return webhook_configs.replace(call.table, _config(call, waba, enabled=enabled, at=at))


def _config(call: Call[Any], waba: str, *, enabled: bool, at: str | None) -> WebhookConfig:
    name = call.resources.webhook_secrets.name
    app = next((p.app_id for p in participants.account_of(call, waba) if p.app_id), None)
    return WebhookConfig(
        pk=WebhookConfig.key(waba),
        company=call.company,
        waba_meta_id=waba,
        verify_token=f"{name}#verify_token",
        app_secret=f"{name}#apps.{app}" if app else None,
        enabled=enabled,
        updated_at=at,
    )


def _view(call: Call[Any], config: WebhookConfig) -> Config:
    secret = call.resources.webhook_secrets.value()
    app = (config.app_secret or "").rpartition("#apps.")[2]
    return Config(
        meta_waba_id=config.waba_meta_id,
        enabled=config.enabled,
        verify_token=config.verify_token,
        app_secret=config.app_secret,
        updated_at=config.updated_at,
        active_verify_tokens=len(texts(secret.get("verify_token"))),
        active_app_secrets=len(secrets_of_apps(secret, participants.apps_of(call)).get(app, [])),
    )
