"""
Findings: missing parts of a deployment, as far as a function can see them; `operations doctor` looks at all of it.

Each check gives findings with a status and facts. The console has the words and the fix of each. A check that AWS
refuses is `unknown` with the reason, and the others follow.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from botocore.exceptions import BotoCoreError, ClientError

from console.operations.deployment import QUEUES
from console.operations.measurements import Unavailable
from console.operations.setup.views import Finding, Findings
from shared.access.refusals import ChangeRefused
from shared.providers import http
from shared.providers.outcomes import InDoubt, NotSent
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from console.operations.alarms import Alarms
    from console.operations.queues import Queues
    from console.operations.setup.stored_switches import StoredSwitches
    from console.operations.setup.whatsapp.credentials import WhatsAppSecrets

# Webhooks, APIs, feeds and timers need executions beside the queues (operations/doctor/capacity.py).
RESERVE = 20
_WITHIN_MS = 6 * clock.SECOND_MS
_OPEN = {"safe_mode": "false", "automation_enabled": "true"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """The checks of one deployment. *functions* returns the client of Lambda, with short timeouts."""

    stage: str
    functions: Callable[[], Any]  # the development environment has no stubs of these calls
    secrets: WhatsAppSecrets
    switches: StoredSwitches
    queues: Queues
    alarms: Alarms

    def findings(self, api_url: str) -> Findings:
        """Return the findings of all checks, those that need an action first."""
        checks: Mapping[str, Callable[[], Iterator[Finding]]] = {
            "executions": self._executions,
            "verify_token": self._verify_token,
            "webhook": lambda: self._webhook(api_url),
            "credentials": self._credentials,
            "switch": self._switches,
            "dead_letters": self._dead_letters,
            "alarms": self._alarms,
        }
        found = [one for name, check in checks.items() for one in _made(name, check)]
        order = ("action", "unknown", "ok")
        return Findings(findings=sorted(found, key=lambda one: order.index(one.status)))

    def _executions(self) -> Iterator[Finding]:
        """Compare what queues may take at once with the limit of the account."""
        client = self.functions()
        account = client.get_account_settings()["AccountLimit"]
        limit = int(account["UnreservedConcurrentExecutions"])
        own = f":function:parley-{self.stage}-"
        pages = client.get_paginator("list_event_source_mappings").paginate()
        used = sum(
            int(source.get("ScalingConfig", {}).get("MaximumConcurrency", 0))
            for page in pages
            for source in page["EventSourceMappings"]
            if own in source.get("FunctionArn", "")
        )
        yield Finding.of("executions", used + RESERVE <= limit, limit=limit, used=used)

    def _verify_token(self) -> Iterator[Finding]:
        yield Finding.of("verify_token", self.secrets.verify_token() is not None)

    def _webhook(self, api_url: str) -> Iterator[Finding]:
        """Ask the webhook as Meta does: the right token is echoed, a wrong one is refused."""
        address, token = self.secrets.address(api_url), self.secrets.verify_token()
        if token is None:
            return  # `verify_token` says so
        challenge = secrets.token_hex(8)
        try:
            right, wrong = (
                _handshake(address, one, challenge) for one in (token, secrets.token_hex(8))
            )
        except (NotSent, InDoubt):
            yield Finding.unknown("webhook", "no answer")
            return
        is_ok = right.data == challenge.encode() and wrong.status == HTTPStatus.FORBIDDEN
        yield Finding.of("webhook", is_ok, status=right.status)

    def _credentials(self) -> Iterator[Finding]:
        apps, tokens = self.secrets.counts()
        yield Finding.of("credentials", apps > 0 and tokens > 0, apps=apps, tokens=tokens)

    def _switches(self) -> Iterator[Finding]:
        for one in self.switches.shown().switches:
            subject = f"{one.context} {one.name}"
            if one.problem is not None:
                yield Finding.unknown("switch", one.problem, subject)
            else:
                is_open = one.text == _OPEN[one.name]
                yield Finding.of("switch", is_open, subject, text=one.text or "-")

    def _dead_letters(self) -> Iterator[Finding]:
        """Count dead letters by SQS alone: metrics would cost."""
        count = 0
        for queue in QUEUES:
            if not queue.is_dead_letters:
                continue
            try:
                count += sum(self.queues.depth(queue))
            except Unavailable as unavailable:
                yield Finding.unknown("dead_letters", str(unavailable), queue.name)
        yield Finding.of("dead_letters", count == 0, count=count)

    def _alarms(self) -> Iterator[Finding]:
        alarms = self.alarms.shown().alarms
        raised = sum(one.state == "ALARM" for one in alarms)
        notify = sum(one.notifies for one in alarms)
        yield Finding.of("alarms", notify > 0 and raised == 0, raised=raised, notify=notify)


def _made(name: str, check: Callable[[], Iterator[Finding]]) -> list[Finding]:
    """Return the findings of a check; what AWS or a secret refuses is its finding."""
    try:
        return list(check())
    except ClientError as failure:
        return [Finding.unknown(name, str(failure.response["Error"]["Code"]))]
    except BotoCoreError as failure:
        return [Finding.unknown(name, type(failure).__name__)]
    except (Unavailable, ChangeRefused) as failure:
        return [Finding.unknown(name, str(failure))]


def _handshake(address: str, token: str, challenge: str) -> http.Answer:
    query = {"hub.mode": "subscribe", "hub.verify_token": token, "hub.challenge": challenge}
    return http.call("GET", f"{address}?{urlencode(query)}", headers={}, within_ms=_WITHIN_MS)
