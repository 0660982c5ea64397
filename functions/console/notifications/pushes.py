"""
Pushes to browsers whose pages are closed (Web Push, RFC 8030), without content: the browser shows that something waits.

    1 absent   a person with an open page gets none: the page tells; nor one who is not to be disturbed
    2 new      only if something is unread that no push was sent for
    3 claim    under the condition that nothing has changed: one run goes on
    4 push     one attempt

An event may come twice. A run that is killed after the claim leaves out a push; the next notification brings one, and
the list has all.
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from aws_lambda_powertools.metrics import MetricUnit
from pydantic import BaseModel, ConfigDict

from console.notifications import lists, vapid
from console.notifications.recipients import is_present
from console.reading_rights import SCOPES
from console.store import notification_states
from shared.api import principals
from shared.api.auth import Caller
from shared.inbox.live import subscriptions
from shared.inbox.live.items import PARTITION_KEY, SORT_KEY, Connection
from shared.providers.outcomes import InDoubt, NotSent
from shared.runtime import clock
from shared.runtime.observability import describe, logger, metrics

if TYPE_CHECKING:
    from console.api.inbox import InboxDependencies
    from shared.access.logins import StoredLogins
    from shared.inbox.live.items import PushSubscription

# A browser that is offline gets the latest push within this time; several are one (RFC 8030, Topic).
KEPT_SECONDS: Final = 4 * 3_600
TOPIC: Final = "parley"
WITHIN_MS: Final = 3_000
# The browser has ended it, or subscribed with another key.
_ENDED: Final = frozenset(
    {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND, HTTPStatus.GONE}
)


class Started(BaseModel):
    """The event of a feed: browsers of a company, by the sort keys of their items."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    company: str
    browsers: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PushDependencies:
    """*logins* knows the address of the console, which services may write to their operators about."""

    inbox: InboxDependencies
    logins: StoredLogins


def send(deps: PushDependencies, event: dict[str, Any]) -> None:
    """Send the pushes of a feed's event. Raises ClientError, BotoCoreError and Transient: Lambda repeats it then."""
    started = Started.model_validate(event)
    contact = deps.logins.value().console_url
    if not contact:
        return  # settings of an earlier release: some services take no push without a contact
    partition = Connection.partition(started.company)
    keys = [{PARTITION_KEY: partition, SORT_KEY: one} for one in started.browsers]
    for browser in subscriptions.get_many(deps.inbox.live, keys):
        newest = _newest(deps, browser)
        if newest > browser.pushed_to and subscriptions.claim(deps.inbox.live, browser, newest):
            _push(deps, browser, contact)


def _newest(deps: PushDependencies, browser: PushSubscription) -> str:
    """Return the time of the newest unread notification that a push may be sent for; empty if there is none."""
    inbox = deps.inbox
    state = notification_states.get(inbox.table, browser.company, browser.principal)
    if state.is_quiet(clock.now_ms()) or is_present(inbox.live, browser.company, browser.principal):
        return ""
    caller = Caller(
        company=browser.company, scopes=frozenset(SCOPES.values()), principal=browser.principal
    )
    of_teams = browser.owners - {browser.principal}
    teams = [one.removeprefix(f"{principals.Kind.TEAM}:") for one in sorted(of_teams)]
    found = lists.of_caller(inbox, caller, state, teams)
    return next((one.at for one in found if not state.has_read(one.sk)), "")


def _push(deps: PushDependencies, browser: PushSubscription, contact: str) -> None:
    from shared.providers import http  # noqa: PLC0415 - no answer of the API needs it

    headers = {
        "Authorization": vapid.authorization(browser.endpoint, contact),
        "TTL": str(KEPT_SECONDS),
        "Topic": TOPIC,
        "Urgency": "high",
    }
    try:
        answer = http.call("POST", browser.endpoint, headers=headers, body=b"", within_ms=WITHIN_MS)
    except (NotSent, InDoubt) as failure:
        logger.warning("push failed", extra=describe(failure))
        metrics.add_metric("PushesFailed", MetricUnit.Count, 1)
        return
    if answer.status in _ENDED:
        subscriptions.remove(deps.inbox.live, browser.own_key)
        logger.info("push subscription ended", extra={"status": answer.status})
    elif answer.status >= HTTPStatus.BAD_REQUEST:
        logger.warning("push refused", extra={"status": answer.status})
        metrics.add_metric("PushesFailed", MetricUnit.Count, 1)
    else:
        metrics.add_metric("PushesSent", MetricUnit.Count, 1)
