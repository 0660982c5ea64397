"""
Decides on a ticket that does not exist, with a version of the shop's settings and the deployment's model.

Reads the settings only: neither the help desk nor the shop. Nothing is sent or stored.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from richpanel.api.configuration import settings as stored_settings
from richpanel.api.views import DecisionTrialView
from richpanel.classification.taxonomy import teams
from richpanel.configuration import shop_settings
from richpanel.decisions.command.samples import Sample, SampleInvalid, decided, parse_sample
from richpanel.decisions.command.scenarios import text_of
from richpanel.decisions.replies.renderer import VariableMissing
from richpanel.worker.cases import costs
from shared.ai import port as ai
from shared.ai.playground.traces import Traced
from shared.api.errors import InvalidInput
from shared.aws.sqs_fifo import to_json
from shared.runtime import clock

if TYPE_CHECKING:
    from richpanel.api.access import ApiDependencies
    from richpanel.api.inputs import DecisionTrialInput
    from richpanel.configuration.account_settings import Account
    from richpanel.decisions.facts import Shop
    from richpanel.decisions.outcome import Decision

_CALLS = 4  # the opinion and the verdict, each at most twice


def answer(
    deps: ApiDependencies, given: DecisionTrialInput, remaining_ms: int
) -> DecisionTrialView:
    """Return the decision. Raises NoVersion and InvalidInput."""
    sample = _sample(given)
    account, number = _account(deps, given)
    shop, judge = account.shop, None if account.only_rules else costs.asked_by_people(deps)
    traced = Traced(judge.model) if judge else None
    if judge and traced:
        within_ms = min(judge.limits.within_ms, remaining_ms // _CALLS)
        limits = replace(judge.limits, within_ms=within_ms)
        judge = replace(judge, model=traced, limits=limits)
    decision = decided(sample, judge=judge, shop=shop)
    usage = ai.Usage()
    for call in traced.calls if traced else ():
        usage += ai.Usage(call.tokens_in, call.tokens_out)
    return DecisionTrialView(
        version=number,
        intent=decision.intent,
        secondary=list(decision.secondary),
        team=teams[decision.team].name,
        tags=[*decision.tags, *(decision.reply.tags_when_sent if decision.reply else ())],
        tier=None if decision.tier is None else int(decision.tier),
        takes_over=decision.takes_over,
        template=decision.reply.template if decision.reply else None,
        text=_text(decision, shop, given.first_name),
        considered=decision.considered,
        reason=decision.reason,
        shut=[result.gate for result in decision.gates if not result.is_open],
        rule=decision.rule,
        language=decision.language,
        confidence=round(decision.routing_confidence, 2),
        risk_flags=sorted(decision.risk_flags),
        trace=None if traced is None else traced.trace(usage),
    )


def _sample(given: DecisionTrialInput) -> Sample:
    """Return the message as the command for decisions reads it. Raises InvalidInput."""
    now = clock.to_text(clock.now_ms())
    subject = {} if given.subject is None else {"subject": given.subject}
    facts = {"now": now, "first_name": given.first_name, **subject, **given.context}
    read = {"id": "trial", "text": given.text, "channel": given.channel, "context": facts}
    try:
        return parse_sample(to_json(read).encode())
    except SampleInvalid as refusal:
        field, _, problem = str(refusal).partition(": ")
        raise InvalidInput([{"field": field, "problem": problem or field}]) from None


def _account(deps: ApiDependencies, given: DecisionTrialInput) -> tuple[Account, int | None]:
    """Return the account with the settings that a call names, by default those in force, and their version."""
    number = given.number
    if number is None:
        number = stored_settings.shown(deps.state).number
    fields = stored_settings.of_version(deps.state, number).as_fields()
    changed = {name: v for name, v in {**fields, **given.settings}.items() if v is not None}
    settings = stored_settings.checked(changed)
    account = shop_settings.applied(deps.stored_account.deployed(), settings, number)
    return account, None if given.settings else number


def _text(decision: Decision, shop: Shop, first_name: str | None) -> str | None:
    """Return the reply as it would be sent, as text; None without one. Raises InvalidInput."""
    try:
        return text_of(decision, shop, first_name)
    except VariableMissing as missing:
        raise InvalidInput([{"field": "context.order", "problem": str(missing)}]) from None
