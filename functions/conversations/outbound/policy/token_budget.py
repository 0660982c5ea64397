"""
A project's budget of a day and a month: counts every model call, and refuses new turns once the budget is spent.

Concurrent turns may exceed it by the calls that are in flight when it is reached.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aws_lambda_powertools.metrics import MetricUnit
from botocore.exceptions import BotoCoreError, ClientError

from conversations.store.limits import quotas
from shared.ai import port as ai
from shared.ai.spending.bounds import MICROS
from shared.policy.facts import Reason
from shared.runtime.observability import describe, logger, metrics

if TYPE_CHECKING:
    from conversations.configuration.projects import Company
    from shared.aws.dynamodb import Table


@dataclass(slots=True, eq=False)
class Metered:
    """
    A model for one turn of a project. Its first call raises ai.Unavailable (`token_cap`) if the budget is spent, and
    raises the alarm SpendingWarned, once a day, if the project's share of it is.

    A turn that has started is completed: the waiting customer gets a reply, and the budget is slightly exceeded.
    """

    model: ai.Model
    log: Table
    company: Company
    _is_begun: bool = field(default=False, init=False)

    @property
    def name(self) -> str:
        """See `Model.name`."""
        return self.model.name

    def reply(self, request: ai.Request) -> ai.Reply:
        """See `Model.reply`."""
        if not self._is_begun and is_spent(self.log, self.company):
            raise ai.Unavailable(Reason.TOKEN_CAP, ai.Repeat.NEVER)
        self._is_begun = True
        reply = self.model.reply(request)
        count(self.log, self.company, reply.usage)
        return reply


def is_spent(log: Table, company: Company) -> bool:
    """Whether a project's budget is spent. Raises the alarm SpendingWarned, once a day, if its share of it is."""
    policy = company.policy
    if policy.tokens_per_day is None and not policy.dollars:
        return False
    is_month = policy.dollars_per_month is not None
    used = quotas.used(log, company.company_id, company.project_id, is_month=is_month)
    is_over = policy.tokens_per_day is not None and used.tokens_today >= policy.tokens_per_day
    shares = [
        spent / (most * MICROS) if most else 1.0
        for most, spent in (
            (policy.dollars_per_day, used.micros_today),
            (policy.dollars_per_month, used.micros_of_month),
        )
        if most is not None
    ]
    if any(share * 100 >= policy.warn_at_percent for share in shares) and not used.is_warned:
        _warn(log, company.company_id, company.project_id)
    return is_over or any(share >= 1 for share in shares)


def count(log: Table, company: Company, usage: ai.Usage) -> None:
    """Count what a call has used."""
    try:
        quotas.add_use(log, company.company_id, company.project_id, usage)
    except (ClientError, BotoCoreError) as failure:
        # The reply is already paid for: a retry would cost the uncounted tokens again.
        metrics.add_metric("TokensNotCounted", MetricUnit.Count, 1)
        logger.warning("tokens not counted", extra=describe(failure))


def _warn(log: Table, company: str, project: str) -> None:
    if quotas.note_warning(log, company, project):
        metrics.add_metric("SpendingWarned", MetricUnit.Count, 1)
        logger.warning("budget nearly spent", extra={"company": company, "project": project})
