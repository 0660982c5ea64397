"""
The admin API of the help-desk middleware over HTTP: switches, conversations, parked events, dead letters, health.

The function also answers calls of requests about a person over all contexts.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import boto3
from aws_lambda_powertools.utilities.typing import LambdaContext

from richpanel.api import conversations, decisions, health_check, inputs, replays, views
from richpanel.api.access import (
    SPARE_MS,
    Erased,
    Instruction,
    NotFound,
    NothingToDecide,
)
from richpanel.api.bootstrap import AdminSettings, dependencies
from richpanel.api.configuration import settings as shop_settings
from richpanel.api.configuration import switches
from richpanel.api.configuration.account import HelpDeskSecrets
from richpanel.api.configuration.settings import Change
from richpanel.api.dry_runs.ticket_snapshots import NotSetUp
from richpanel.api.replays import HelpDeskFailed
from richpanel.api.sets.routes import SetRoutes
from richpanel.configuration.bootstrap import quick
from richpanel.recovery.bootstrap import recovery_of
from richpanel.store.items import ApiRequest
from richpanel.store.settings import Outdated
from shared.ai.evaluation.sets import calls as sets
from shared.ai.versions.inputs import GoLiveInput, VersionQuery, number_of
from shared.ai.versions.stored import NoVersion
from shared.ai.versions.views import LiveView, VersionView, WrittenVersionView
from shared.api.audit_log.log import AuditedSettings
from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.idempotency import Requests
from shared.api.models.inputs import NoInput
from shared.api.routing.routes import Request, Routes
from shared.events.recovery.routes import ERRORS, RecoveryRoutes
from shared.policy.kill_switches import SwitchNotSet
from shared.privacy import PART
from shared.privacy import settings as privacy_settings

settings = AdminSettings.load()
deps = dependencies(settings)
recovery = recovery_of(
    idempotency=deps.idempotency,
    state=deps.state,
    audit=deps.audit,
    queues=deps.queues,
    dead_letters=deps.dead_letters,
    company=lambda: deps.account.company,
)
routes = Routes(
    title="Parley: help desk",
    document="/admin/richpanel/openapi.json",
    errors={
        **ERRORS,
        **privacy_settings.ERRORS,
        NotFound: (HTTPStatus.NOT_FOUND, "not_found"),
        Erased: (HTTPStatus.CONFLICT, "erased"),
        NoVersion: (HTTPStatus.NOT_FOUND, "not_found"),
        Outdated: (HTTPStatus.CONFLICT, "outdated"),
        **sets.ERRORS,
        NotSetUp: (HTTPStatus.CONFLICT, "not_set_up"),
        NothingToDecide: (HTTPStatus.CONFLICT, "nothing_to_decide"),
        HelpDeskFailed: (HTTPStatus.SERVICE_UNAVAILABLE, "help_desk_failed"),
        SwitchNotSet: (HTTPStatus.SERVICE_UNAVAILABLE, "switch_not_set"),
    },
    requests=Requests(deps.idempotency, ApiRequest),
    audit_log=AuditedSettings.load().audit_log(boto3.client("dynamodb", config=quick)),
    company=lambda: deps.account.company,
)
deployed_model = views.ModelView(
    classifier=settings.classifier,
    deployed=settings.classifier,
    provider=settings.model_provider if settings.classifier == "model" else None,
    model=settings.model_id if settings.classifier == "model" else None,
)
help_desk_secrets = HelpDeskSecrets(
    deps, settings.richpanel_keys_id, settings.richpanel_webhook_secret_id
)
RecoveryRoutes(recovery=recovery, seal_secret=deps.seal_secret).declare(
    routes,
    read=(Scope.RICHPANEL_READ, Scope.RICHPANEL_OPERATE),
    replay=(Scope.RICHPANEL_OPERATE,),
)

routes.add(SetRoutes(deps))


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """API Gateway proxy event in, proxy response out; a call of a request about a person has an answer of its own."""
    if PART in event:
        return _answered(event[PART])
    return routes.respond(event, context)


def _answered(call: object) -> dict[str, Any]:
    from richpanel.privacy.part import HelpDeskPart  # noqa: PLC0415 - of rare calls
    from richpanel.privacy.tickets import Tables  # noqa: PLC0415 - as above
    from shared.aws.s3 import Bucket  # noqa: PLC0415 - as above
    from shared.privacy import part_calls  # noqa: PLC0415 - as above

    part = HelpDeskPart.of(
        Tables(deps.state, deps.audit, deps.contacts),
        Bucket(lambda: boto3.client("s3", config=quick), settings.media_bucket_name),
        deps.keys,
        lambda: deps.account.company,
    )
    return part_calls.answer(part, None, call)


@routes.reads("GET /admin/richpanel/switches", Scope.RICHPANEL_READ, Scope.RICHPANEL_OPERATE)
def get_switches(_request: Request[NoInput]) -> views.SwitchesView:
    """Return each switch's current value and the newest changes first, with their callers."""
    return switches.shown(deps)


@routes.changes("PUT /admin/richpanel/switches", Scope.RICHPANEL_OPERATE)
def put_switches(
    request: Request[inputs.SwitchesInput],
) -> Callable[[], views.ChangedSwitchesView]:
    """Set some switches."""
    texts = switches.checked(request.input.model_extra or {})
    return lambda: switches.set_switches(deps, texts, Instruction.of(request))


@routes.reads("GET /admin/richpanel/decisions", Scope.RICHPANEL_READ, Scope.RICHPANEL_OPERATE)
def get_decisions(
    request: Request[inputs.DecisionListQuery],
) -> Page[views.DecisionListView]:
    """Return the decisions of a day that match, newest first."""
    return decisions.list_decisions(deps, request)


@routes.reads("GET /admin/richpanel/forecast", Scope.RICHPANEL_READ, Scope.RICHPANEL_OPERATE)
def get_forecast(request: Request[inputs.ForecastQuery]) -> views.ForecastView:
    """Return what dry run has decided in the last days, and how that compares with what people did."""
    from richpanel.api.dry_runs import forecast  # noqa: PLC0415 - of rare calls

    return forecast.made(deps, request.input, request.deadline_ms(SPARE_MS))


@routes.reads(
    "GET /admin/richpanel/conversations/{ticket_id}", Scope.RICHPANEL_READ, Scope.RICHPANEL_OPERATE
)
def get_conversation(
    request: Request[inputs.DecisionsQuery], ticket_id: str
) -> Page[views.ConversationView]:
    """Return a conversation's state and its audit, newest first."""
    return conversations.look_up(deps, request, ticket_id)


@routes.changes(
    "POST /admin/richpanel/conversations/{ticket_id}/replay",
    Scope.RICHPANEL_OPERATE,
    status=HTTPStatus.ACCEPTED,
)
def replay(
    request: Request[inputs.ReplayInput], ticket_id: str
) -> views.ReplayView | Callable[[], views.ReplayView]:
    """Return a dry-run decision on the newest message, or queue unfinished work for the worker."""
    conversation_id, deadline_ms = conversations.id_of(ticket_id), request.deadline_ms(SPARE_MS)
    if request.input.mode == "dry_run":
        return views.ReplayView(replays.dry_run(deps, conversation_id, deadline_ms))
    return lambda: views.ReplayView(
        replays.repair(deps, conversation_id, Instruction.of(request), deadline_ms)
    )


@routes.changes(
    "POST /admin/richpanel/conversations/{ticket_id}/clear-risk", Scope.RICHPANEL_OPERATE
)
def clear_risk(request: Request[NoInput], ticket_id: str) -> Callable[[], views.ClearedView]:
    """Remove all risk flags from a conversation."""
    conversation_id = conversations.id_of(ticket_id)
    return lambda: conversations.clear_risk(deps, conversation_id, Instruction.of(request))


@routes.changes("DELETE /admin/richpanel/conversations/{ticket_id}", Scope.RICHPANEL_OPERATE)
def erase(request: Request[NoInput], ticket_id: str) -> Callable[[], views.ErasedView]:
    """Erase a conversation. Its tombstone stays; event and action rows, without personal data, stay until expiry."""
    conversation_id = conversations.id_of(ticket_id)
    privacy_settings.refuse_single_person(deps.contacts, request.caller.company)
    return lambda: conversations.erase(deps, conversation_id, Instruction.of(request))


@routes.reads("GET /admin/richpanel/settings", Scope.RICHPANEL_READ, Scope.RICHPANEL_OPERATE)
def get_settings(request: Request[inputs.SettingsQuery]) -> views.SettingsView:
    """Return the shop's settings in force, or the settings of an older version."""
    return shop_settings.shown(deps.state, request.input.number)


@routes.reads(
    "GET /admin/richpanel/settings/versions", Scope.RICHPANEL_READ, Scope.RICHPANEL_OPERATE
)
def get_settings_versions(
    request: Request[inputs.SettingsVersionsQuery],
) -> views.SettingsVersionsView:
    """Return the versions of the shop's settings, newest first."""
    query = request.input
    return shop_settings.versions(deps.state, before=query.before, limit=query.limit)


@routes.reads(
    "GET /admin/richpanel/settings/versions/{number}", Scope.RICHPANEL_READ, Scope.RICHPANEL_OPERATE
)
def get_settings_version(request: Request[VersionQuery], number: str) -> VersionView:
    """Return a version of the shop's settings, and how it differs from another one."""
    return shop_settings.compared(deps.state, number_of(number), request.input)


@routes.changes(
    "POST /admin/richpanel/settings/versions", Scope.RICHPANEL_OPERATE, status=HTTPStatus.CREATED
)
def create_settings_version(
    request: Request[inputs.SettingsDraftInput],
) -> Callable[[], WrittenVersionView]:
    """Store settings of the shop as a new version, which is not in force."""
    by = request.caller.principal
    return lambda: shop_settings.create(deps.state, deps.audit, request.input, by, request.cause)


@routes.changes("POST /admin/richpanel/settings/versions/{number}/live", Scope.RICHPANEL_OPERATE)
def put_settings_version_live(request: Request[GoLiveInput], number: str) -> Callable[[], LiveView]:
    """Put a version of the shop's settings in force, also an older one."""
    named = number_of(number)
    return lambda: shop_settings.put_in_force(deps.state, deps.audit, named, request)


@routes.reads("GET /admin/richpanel/templates", Scope.RICHPANEL_READ, Scope.RICHPANEL_OPERATE)
def get_templates(_request: Request[NoInput]) -> views.TemplatesView:
    """Return the reply templates with their variables and standard wordings."""
    return shop_settings.standard()


@routes.reads(
    "POST /admin/richpanel/settings/preview", Scope.RICHPANEL_READ, Scope.RICHPANEL_OPERATE
)
def preview_reply(request: Request[inputs.PreviewInput]) -> views.PreviewView:
    """Return a reply as it would be sent, with the given settings or with the settings in force."""
    return shop_settings.preview(deps.account, deps.state, request.input)


@routes.reads("POST /admin/richpanel/playground", Scope.RICHPANEL_OPERATE)
def try_settings(request: Request[inputs.DecisionTrialInput]) -> views.DecisionTrialView:
    """Decide on a ticket that does not exist, with a version of the settings, without sending or storing."""
    from richpanel.api.dry_runs import playground  # noqa: PLC0415 - loads the classifier

    return playground.answer(deps, request.input, request.remaining_ms - SPARE_MS)


@routes.changes("PUT /admin/richpanel/settings", Scope.RICHPANEL_OPERATE)
def put_settings(request: Request[inputs.SettingsInput]) -> Callable[[], views.SettingsView]:
    """Store new settings of the shop as the next version; absent parts stay."""
    given = request.input
    new = shop_settings.completed(deps.state, given.based_on, given.settings)
    change = _change(request, given.based_on)
    return lambda: shop_settings.store(deps.state, deps.audit, change, new)


@routes.changes("POST /admin/richpanel/settings/rollback", Scope.RICHPANEL_OPERATE)
def roll_back_settings(
    request: Request[inputs.SettingsRollbackInput],
) -> Callable[[], views.SettingsView]:
    """Put an older version of the shop's settings in force again, as the next version."""
    number = request.input.number
    old = shop_settings.of_version(deps.state, number)
    change = _change(request, request.input.based_on)
    return lambda: shop_settings.store(deps.state, deps.audit, change, old, rolled_back_to=number)


def _change(request: Request[Any], based_on: int) -> Change:
    return Change(by=request.caller.principal, based_on=based_on, cause=request.cause)


@routes.reads("GET /admin/richpanel/account", Scope.RICHPANEL_READ, Scope.RICHPANEL_OPERATE)
def get_account(request: Request[NoInput]) -> views.AccountView:
    """Return the help-desk account in force, which keys are stored, and the address of the webhook."""
    return help_desk_secrets.shown(request.api_url, deployed_model)


@routes.changes("POST /admin/richpanel/keys", Scope.OPERATOR)
def store_keys(request: Request[inputs.KeysInput]) -> Callable[[], views.KeysView]:
    """Store keys of the help desk, the shop, the shipping service or the model. They are never shown again."""
    return help_desk_secrets.store(request.caller, request.input)


@routes.changes("POST /admin/richpanel/webhook-tokens", Scope.OPERATOR)
def make_webhook_token(request: Request[NoInput]) -> Callable[[], views.TokenView]:
    """Make a further token of the webhook, which only the first answer has. The earlier ones stay valid."""
    return help_desk_secrets.make_token(request.caller)


@routes.changes("DELETE /admin/richpanel/webhook-tokens", Scope.OPERATOR)
def end_webhook_tokens(request: Request[NoInput]) -> Callable[[], views.TokensView]:
    """End all tokens of the webhook but the newest one."""
    return help_desk_secrets.end_earlier_tokens(request.caller)


@routes.reads("GET /admin/richpanel/health", Scope.RICHPANEL_READ, Scope.RICHPANEL_OPERATE)
def health(request: Request[NoInput]) -> views.HealthView:
    """Return whether tables, queues, keys, switches and the help desk answer. Status 200 even if they do not."""
    return health_check.examine(deps, request.deadline_ms(SPARE_MS))
