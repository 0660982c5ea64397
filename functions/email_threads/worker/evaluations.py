"""Plays the mails of stored runs with the model of a mailbox. Nothing is sent or stored with a thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from email_threads.analysis.model_call import NoAnswer, settings_of
from email_threads.api.mailboxes import scenarios
from email_threads.api.mailboxes.scenarios import MailScenario
from email_threads.store.configuration import mailbox_sets, mailbox_versions, mailboxes
from shared.ai.evaluation import answers
from shared.ai.evaluation.bounded_calls import BoundedCalls
from shared.ai.evaluation.judge import Judge
from shared.ai.evaluation.sets import runs
from shared.ai.evaluation.sets.runs import NOT_PLAYABLE, VERSION_GONE, Stopped
from shared.ai.providers.model_creation import model_for
from shared.ai.spending import prices
from shared.ai.spending.company_model import CompanyModel
from shared.aws.secrets import SecretUnreadable
from shared.providers.outcomes import Misconfigured, NotSent
from shared.runtime import clock

if TYPE_CHECKING:
    from email_threads.configuration.resources import Run, SendingResources
    from email_threads.inbound.events import EmailEvaluate
    from email_threads.store.items import Mailbox
    from shared.ai.evaluation.answers import Made
    from shared.ai.evaluation.sets.runs import Outcome, Play

MAILBOX_GONE: Final = "mailbox_gone"
SPARE_MS: Final = 10 * clock.SECOND_MS  # to store the result


def play(resources: SendingResources, event: EmailEvaluate, run: Run) -> bool:
    """Play one scenario; False if there is no such run. Raises Transient for a failure that may pass."""
    until_ms = clock.now_ms() + run.remaining_ms - SPARE_MS

    def player(given: Play) -> tuple[str, list[Outcome]]:
        mailbox = mailboxes.get(resources.table, event.address)
        if mailbox is None or mailbox.company_id != event.company_id:
            return given.unnamed, [Stopped(MAILBOX_GONE) for _ in given.run.versions]
        try:
            scenario = MailScenario.model_validate_json(given.content)
        except ValidationError:  # of an earlier release
            return given.unnamed, [Stopped(NOT_PLAYABLE) for _ in given.run.versions]
        with_all = _Scenario(resources, given, mailbox, scenario, until_ms)
        return scenario.name, [with_all.outcome(number) for number in given.run.versions]

    stored = mailbox_sets.of_mailbox(resources.table, event.company_id, event.address)
    return runs.play(stored, event.run_id, event.position, player, is_last=run.is_last)


def give_up(resources: SendingResources, event: EmailEvaluate, reason: str) -> None:
    """Store that a scenario could not be played."""
    stored = mailbox_sets.of_mailbox(resources.table, event.company_id, event.address)
    runs.give_up(stored, event.run_id, event.position, reason)


@dataclass(frozen=True, slots=True)
class _Scenario:
    """A scenario of a run with its mailbox; no call of a model lasts beyond *until_ms*."""

    resources: SendingResources
    given: Play
    mailbox: Mailbox
    scenario: MailScenario
    until_ms: int

    def outcome(self, number: int) -> Outcome:
        """Play it with a version."""
        company = self.mailbox.company_id
        found = mailbox_versions.of_mailbox(self.resources.table, company, self.mailbox.address)
        version = found.read(number)
        if version is None:
            return Stopped(VERSION_GONE)
        mailbox = mailbox_versions.with_settings(self.mailbox, version.settings, number)
        if self.given.run.recorded:
            return self._recorded(mailbox)
        try:
            return self._asked(mailbox)
        except NoAnswer as failure:
            return Stopped(failure.code)
        except SecretUnreadable:
            return Stopped("secrets_missing")
        except (Misconfigured, NotSent) as refusal:
            return Stopped(refusal.code)

    def _recorded(self, mailbox: Mailbox) -> Outcome:
        def draft(answer: Any) -> Made:  # noqa: ANN401 - see `recorded`
            return scenarios.of_recorded(mailbox, self.scenario, answer)

        return answers.recorded(self.scenario, draft)

    def _asked(self, mailbox: Mailbox) -> Outcome:
        settings, bounds = settings_of(mailbox), self.given.left
        price, company = prices.price_for(settings), mailbox.company_id
        counted = CompanyModel(
            model_for(settings, self.resources.models, company),
            price,
            self.resources.spending.table,
            company,
            spares=True,
        )
        model = BoundedCalls(counted, price, bounds)
        about = {"mails": [one.model_dump() for one in self.scenario.mails]}
        return answers.asked(
            self.scenario,
            lambda: scenarios.made(model, mailbox, self.scenario, self.until_ms),
            Judge(model, self.until_ms),
            about,
            bounds,
        )
