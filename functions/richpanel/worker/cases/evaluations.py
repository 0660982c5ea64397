"""Plays the tickets of stored runs with the model of the deployment. Neither the help desk nor the shop is called."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter, ValidationError

from richpanel.configuration import shop_settings
from richpanel.configuration.shop_settings import SettingsInvalid
from richpanel.decisions.command import scenarios
from richpanel.decisions.command.samples import SampleInvalid
from richpanel.decisions.command.scenarios import TicketScenario
from richpanel.inbound.evaluation_step import EvaluationStep
from richpanel.store import sets, settings
from richpanel.worker.cases.costs import HELP_DESK
from shared.ai import port as ai
from shared.ai.evaluation import answers
from shared.ai.evaluation.answers import NotMade
from shared.ai.evaluation.bounded_calls import BoundedCalls
from shared.ai.evaluation.judge import Judge as Questions
from shared.ai.evaluation.sets import runs
from shared.ai.evaluation.sets.runs import NOT_PLAYABLE, VERSION_GONE, Stopped
from shared.ai.spending import prices
from shared.ai.spending.company_model import CompanyModel
from shared.aws.secrets import SecretUnreadable
from shared.events.record_body import parse_body
from shared.events.versions import NewerVersion
from shared.runtime import clock
from shared.runtime.failures import Permanent

if TYPE_CHECKING:
    from richpanel.clients.language_model import Judge
    from richpanel.configuration.account_settings import Account
    from richpanel.configuration.resources import Resources
    from richpanel.decisions.command.samples import Sample
    from richpanel.decisions.facts import Shop
    from shared.ai.evaluation.answers import Made
    from shared.ai.evaluation.sets.runs import Outcome, Play

SPARE_MS: Final = 10 * clock.SECOND_MS  # to store the result
_STEPS: Final[TypeAdapter[EvaluationStep]] = TypeAdapter(EvaluationStep)


def play(resources: Resources, body: str, until_ms: int, *, is_last: bool) -> bool:
    """Play one scenario; False if there is no such run. Raises Transient for a failure that may pass, and Permanent."""
    step = parse_body(body, _STEPS)

    def player(given: Play) -> tuple[str, list[Outcome]]:
        try:
            scenario = TicketScenario.model_validate_json(given.content)
            sample = scenarios.sample_of(scenario)
        except (ValidationError, SampleInvalid):  # of an earlier release
            return given.unnamed, [Stopped(NOT_PLAYABLE) for _ in given.run.versions]
        with_all = _Scenario(resources, given, scenario, sample, until_ms - SPARE_MS)
        return scenario.name, [with_all.outcome(number) for number in given.run.versions]

    stored = sets.of_help_desk(resources.state)
    return runs.play(stored, step.run_id, step.position, player, is_last=is_last)


def give_up(resources: Resources, body: str, reason: str) -> None:
    """Store that a scenario could not be played."""
    try:
        step = parse_body(body, _STEPS)
    except (Permanent, NewerVersion):
        return
    runs.give_up(sets.of_help_desk(resources.state), step.run_id, step.position, reason)


@dataclass(frozen=True, slots=True)
class _Scenario:
    """A scenario of a run with its ticket; no question is judged beyond *until_ms*."""

    resources: Resources
    given: Play
    scenario: TicketScenario
    sample: Sample
    until_ms: int

    def outcome(self, number: int) -> Outcome:
        """Play it with a version, 0: with the standard settings."""
        try:
            account = self._account(number)
        except SettingsInvalid:
            return Stopped(NOT_PLAYABLE)
        if account is None:
            return Stopped(VERSION_GONE)
        if self.given.run.recorded:
            return self._recorded(account.shop)
        try:
            return self._asked(account)
        except SecretUnreadable:
            return Stopped("secrets_missing")

    def _account(self, number: int) -> Account | None:
        fields: dict[str, Any] = {}
        if number != settings.STANDARD:
            version = settings.versions_of(self.resources.state).read(number)
            if version is None:
                return None
            fields = version.settings
        account = self.resources.stored_account.deployed()
        return shop_settings.applied(account, shop_settings.parse(fields), number)

    def _recorded(self, shop: Shop) -> Outcome:
        def decision(answer: Any) -> Made:  # noqa: ANN401 - see `recorded`
            return scenarios.of_recorded(self.sample, answer, shop)

        return answers.recorded(self.scenario, decision)

    def _asked(self, account: Account) -> Outcome:
        shop, bounds = account.shop, self.given.left
        own = None if account.only_rules else self.resources.judge
        if own is None:  # only rules classify
            return answers.asked(
                self.scenario, lambda: self._made(None, shop), None, self._about, bounds
            )
        model = BoundedCalls(self._counted(own), prices.model_price(own.model.name), bounds)
        return answers.asked(
            self.scenario,
            lambda: self._made(replace(own, model=model), shop),
            Questions(model, self.until_ms),
            self._about,
            bounds,
        )

    def _made(self, judge: Judge | None, shop: Shop) -> Made:
        """Return the decision. Raises NotMade if the model could not be asked: rules have decided without it."""
        made = scenarios.of_judge(self.sample, judge, shop)
        failed = judge.model.failed if judge and isinstance(judge.model, BoundedCalls) else None
        if failed is not None:
            raise NotMade(failed.code, may_pass=failed.repeat is ai.Repeat.LATER)
        return made

    def _counted(self, own: Judge) -> CompanyModel:
        """Return the model, whose calls count for the limits of the help desk's company."""
        company = self.resources.account.company or HELP_DESK
        assert self.resources.spending is not None  # noqa: S101 - for mypy: the worker bounds costs
        counts = self.resources.spending.table
        price = prices.model_price(own.model.name)
        return CompanyModel(own.model, price, counts, company, spares=True)

    @property
    def _about(self) -> dict[str, object]:
        return {"ticket": self.scenario.text, "channel": self.scenario.channel}
