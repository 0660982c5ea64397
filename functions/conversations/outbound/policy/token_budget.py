"""A project's daily token budget: counts every model call and refuses new turns once the budget is spent."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from aws_lambda_powertools.metrics import MetricUnit
from botocore.exceptions import BotoCoreError, ClientError

from conversations.store.limits import quotas
from shared.ai import port as ai
from shared.policy.facts import Reason
from shared.runtime.observability import describe, logger, metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversations.configuration.projects import Company
    from shared.aws.dynamodb import Table

CHARACTERS_A_TOKEN = 4  # a rule of thumb, for models that do not report usage


@dataclass(slots=True, eq=False)
class Metered:
    """
    A model for one turn of a project. Its first call raises ai.Unavailable (`token_cap`) if the day's budget is spent.

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
        """See `Model.reply`. Estimates the usage if the reply does not report it."""
        if not self._is_begun and self._is_spent():
            raise ai.Unavailable(Reason.TOKEN_CAP, ai.Repeat.NEVER)
        self._is_begun = True
        reply = self.model.reply(request)
        if reply.usage == ai.Usage():
            reply = replace(reply, usage=_estimated(request, reply))
        self._count(reply.usage)
        return reply

    def _is_spent(self) -> bool:
        most = self.company.policy.tokens_per_day
        if most is None:
            return False
        company, project = self.company.company_id, self.company.project_id
        return quotas.tokens_of_today(self.log, company, project) >= most

    def _count(self, usage: ai.Usage) -> None:
        try:
            quotas.add_tokens(self.log, self.company.company_id, self.company.project_id, usage)
        except (ClientError, BotoCoreError) as failure:
            # The reply is already paid for: a retry would cost the uncounted tokens again.
            metrics.add_metric("TokensNotCounted", MetricUnit.Count, 1)
            logger.warning("tokens not counted", extra=describe(failure))


def _estimated(request: ai.Request, reply: ai.Reply) -> ai.Usage:
    written = [reply.text, *(call.arguments for call in reply.tool_calls)]
    return ai.Usage(_tokens(request.texts) + request.file_tokens, _tokens(written))


def _tokens(texts: Sequence[str]) -> int:
    return math.ceil(sum(map(len, texts)) / CHARACTERS_A_TOKEN)
