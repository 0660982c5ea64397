"""Checks that every dependency of the middleware answers. Runs in the admin function, not in the worker."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from richpanel.api.access import ApiDependencies
from richpanel.api.views import HealthView
from richpanel.clients import shop_access
from richpanel.clients.tickets import Team
from richpanel.store import audits, events, states
from richpanel.store.items import AuditAction
from richpanel.store.rate_limit import Priority
from richpanel.worker.cases import costs
from shared.aws.secrets import SecretUnreadable
from shared.aws.sqs_fifo import messages_in
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from shared.runtime.observability import describe
from shared.runtime.settings import SettingInvalid

if TYPE_CHECKING:
    from shared.aws.dead_letters import DeadLetters
    from shared.aws.sqs_fifo import FifoQueue

OK = "ok"
# The keys may have been stored just before, by another process.
KEYS_READ_AT_MOST_EVERY_MS = 5 * clock.SECOND_MS
NOT_SET_UP = "not_set_up"
NEEDED_KEYS = ("richpanel", "salt")
OTHER_KEYS = (*shop_access.KEYS, "shipstation_key", "shipstation_secret")
ORDER_SCOPES = frozenset({"read_orders", "read_all_orders"})
SCOPE_MISSING = "scope_missing: read_orders"


def examine(deps: ApiDependencies, deadline_ms: int) -> HealthView:
    """Check tables, queues, keys and switches, and send one request to each provider. Changes nothing."""
    queues: dict[str, FifoQueue | DeadLetters] = {
        "mail_queue": deps.queues.mail,
        "live_queue": deps.queues.live,
        "dead_letters": deps.dead_letters,
    }
    counts = {
        name: _look(partial(messages_in, queue.client, queue.url)) for name, queue in queues.items()
    }
    event_rows = _look(lambda: events.get_many(deps.idempotency, ["evt:rp:nobody:nothing"]))
    swept = _look(lambda: states.sweep(deps.state))
    traces = _look(lambda: audits.page(deps.audit, AuditAction.SWITCHES, limit=1))
    refreshed = _look(partial(deps.keys.refreshed, KEYS_READ_AT_MOST_EVERY_MS))
    secret = _look(deps.keys.value) if refreshed.code == OK else _Look(refreshed.code)
    account = _look(lambda: deps.account.fault)
    keys = {name: bool((secret.result or {}).get(name)) for name in (*NEEDED_KEYS, *OTHER_KEYS)}
    shop = _ask_shop(deps, deadline_ms) if deps.endpoints.shopify else None
    help_desk = _ask_help_desk(deps, deadline_ms) if keys["richpanel"] else _Look(NOT_SET_UP)
    model = _look(partial(_ask_model, deps)) if _look(lambda: deps.judge_in_use).result else None
    is_set_up = all(keys[name] for name in NEEDED_KEYS)
    checks = {
        "idempotency_table": event_rows.code,
        "conversation_state_table": swept.code,
        "audit_actions_table": traces.code,
        **{name: count.code for name, count in counts.items()},
        "keys": NOT_SET_UP if secret.code == OK and not is_set_up else secret.code,
        "account": account.result or account.code,
        "switches": OK if deps.switchboard.texts(fresh=True) else "unreadable",
        "help_desk": help_desk.code,
        **({"shop": shop.code} if shop else {}),
        **({"model": model.result or model.code} if model else {}),
    }
    return HealthView(
        healthy=set(checks.values()) <= {OK},
        checks=checks,
        waiting={name: count.result for name, count in counts.items() if count.result is not None},
        keys=keys,
        swept_at=swept.result.completed_at if swept.result else None,
        teams={team.id: team.name for team in help_desk.result or () if team.id},
        shop_scopes=sorted(shop.result) if shop and shop.result is not None else None,
    )


@dataclass(frozen=True, slots=True)
class _Look[Result]:
    code: str
    result: Result | None = None


def _look[Result](at: Callable[[], Result]) -> _Look[Result]:
    try:
        return _Look(OK, at())
    except (
        ClientError,
        BotoCoreError,
        Permanent,
        Transient,
        SecretUnreadable,
        SettingInvalid,
    ) as failure:
        return _Look(str(describe(failure).get("reason", type(failure).__name__)))


def _ask_model(deps: ApiDependencies) -> str:
    judge = costs.asked_by_people(deps)
    return judge.check() if judge else NOT_SET_UP


def _ask_shop(deps: ApiDependencies, deadline_ms: int) -> _Look[frozenset[str]]:
    """Return the scopes for orders that the shop has granted."""
    client = _look(lambda: deps.shop(deadline_ms))
    if client.result is None:
        return _Look(NOT_SET_UP if client.code == OK else client.code)
    scopes = _look(client.result.scopes)
    if scopes.result is None:
        return scopes
    granted = scopes.result & ORDER_SCOPES
    return _Look(OK if "read_orders" in granted else SCOPE_MISSING, granted)


def _ask_help_desk(deps: ApiDependencies, deadline_ms: int) -> _Look[list[Team]]:
    client = _look(lambda: deps.help_desk(Priority.BACKGROUND, deadline_ms))
    if client.result is None:
        return _Look(NOT_SET_UP if client.code == OK else client.code)
    return _look(client.result.teams)
