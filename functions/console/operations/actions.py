"""
The audit log of changes over the API: the log lines that each function writes when a change was made.

Every change of every context writes one line with company, caller and operation, without content. CloudWatch Logs
keeps them as long as the parameter LogRetentionDays says. There is no second record.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from datetime import time as time_of_day
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from console.operations.deployment import CHANGING
from console.operations.measurements import Unavailable
from console.operations.views import ActionsView, ActionView
from shared.api.auth import Forbidden, Scope
from shared.principals import Kind
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mypy_boto3_logs import CloudWatchLogsClient
    from mypy_boto3_logs.type_defs import ResultFieldTypeDef

    from console.operations.inputs import ActionsQuery
    from shared.api.auth import Caller

LONGEST_MS = 15 * clock.SECOND_MS  # of a query
_PAUSE_MS = 250
_OVER = {"Failed", "Cancelled", "Timeout", "Unknown"}
_PEOPLE, _SOFTWARE = (f"{Kind.PERSON}:",), (f"{Kind.API_KEY}:", f"{Kind.CLIENT}:")
_ACTORS = {"people": _PEOPLE, "keys": _SOFTWARE, "all": (*_PEOPLE, *_SOFTWARE)}


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLog:
    """The log groups of the functions that change data."""

    client: Callable[[], CloudWatchLogsClient]
    stage: str

    def changes(self, caller: Caller, query: ActionsQuery) -> ActionsView:
        """
        Return changes of the caller's company, newest first; an operator gets those of all or of one.

        Raises Forbidden for another company, and Unavailable. Logs Insights bills $0.005 for each GB that it reads.
        """
        company = _company(caller, query.company)
        rows = self._rows(query, company)
        found = [action for row in rows if (action := _action(row)) is not None]
        # The query only selects lines by their text; what they say decides.
        wanted = [action for action in found if _is_wanted(action, query, company)]
        wanted.sort(key=lambda action: action.at, reverse=True)
        return ActionsView(actions=wanted, is_complete=len(rows) < query.limit)

    def _rows(
        self, query: ActionsQuery, company: str | None
    ) -> Sequence[Sequence[ResultFieldTypeDef]]:
        start = datetime.combine(query.first_day, time_of_day.min, UTC)
        end = datetime.combine(query.last_day + timedelta(days=1), time_of_day.min, UTC)
        try:
            started = self.client().start_query(
                logGroupNames=[f"/aws/lambda/parley-{self.stage}-{name}" for name in CHANGING],
                startTime=int(start.timestamp()),
                endTime=int(end.timestamp()) - 1,
                queryString=_query(query, company),
                limit=query.limit,
            )
            return self._results(started["queryId"])
        except (ClientError, BotoCoreError) as failure:
            raise Unavailable.of("CloudWatch Logs", failure) from None

    def _results(self, query_id: str) -> Sequence[Sequence[ResultFieldTypeDef]]:
        until = clock.now_ms() + LONGEST_MS
        while True:
            found = self.client().get_query_results(queryId=query_id)
            if found["status"] == "Complete":
                return found["results"]
            if found["status"] in _OVER or clock.now_ms() >= until:
                raise Unavailable(f"CloudWatch Logs: the query is {found['status'].lower()}")
            clock.sleep_ms(_PAUSE_MS)


def _company(caller: Caller, requested: str | None) -> str | None:
    """Return the company whose changes are shown; None, meaning all, only for operators. Raises Forbidden."""
    if Scope.OPERATOR in caller.scopes:
        return requested
    if requested not in {None, caller.company}:
        raise Forbidden(f"company: requires the scope {Scope.OPERATOR}")
    return caller.company


def _query(query: ActionsQuery, company: str | None) -> str:
    """Return the query of Logs Insights. All values have passed a pattern without quotes and slashes."""
    texts = [_field("change", None)]
    if company is not None:
        texts.append(_field("company", re.escape(company) + '"'))
    if query.principal is not None:
        texts.append(_field("principal", re.escape(query.principal) + '"'))
    else:
        texts.append(_field("principal", f"({'|'.join(_ACTORS[query.actors])})"))
    filters = "".join(f" | filter @message like /{text}/" for text in texts)
    return f"fields @timestamp, @message{filters} | sort @timestamp desc | limit {query.limit}"


def _field(name: str, value: str | None) -> str:
    return rf'"{name}":\s*"{value or ""}'


def _action(row: Sequence[ResultFieldTypeDef]) -> ActionView | None:
    """Return the change that a log line is about; None for other lines."""
    text = next((field.get("value", "") for field in row if field.get("field") == "@message"), "")
    try:
        line: Any = json.loads(text)
    except ValueError:
        return None
    if not isinstance(line, dict) or not all(
        line.get(k) for k in ("change", "company", "principal")
    ):
        return None
    return ActionView(
        at=_moment(str(line.get("timestamp", ""))),
        company=str(line["company"]),
        principal=str(line["principal"]),
        context=str(line.get("service", "")),
        change=str(line["change"]),
        conversation=_text(line.get("conversation")),
        correlation_id=_text(line.get("correlation_id")),
    )


def _is_wanted(action: ActionView, query: ActionsQuery, company: str | None) -> bool:
    if company is not None and action.company != company:
        return False
    if query.principal is not None:
        return action.principal == query.principal
    return action.principal.startswith(_ACTORS[query.actors])


def _moment(logged: str) -> str:
    """Return the time of a line (`2026-11-27 12:00:00,123+0000`) as the APIs write times."""
    try:
        moment = datetime.strptime(logged, "%Y-%m-%d %H:%M:%S,%f%z")
    except ValueError:
        return logged
    return clock.to_text(int(moment.timestamp() * clock.SECOND_MS))


def _text(value: object) -> str | None:
    return str(value) if value else None
