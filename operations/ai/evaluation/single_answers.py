"""
Plays scenarios of one answer from files: drafts by mail (`kind: mail`), decisions on tickets (`kind: ticket`), outlines
and sections of newsletters (`kind: newsletter`).

The one place that knows these contexts.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field, TypeAdapter, ValidationError

from conversations.dialogues.scenarios.settings import merged
from email_threads.api.mailboxes import scenarios as mails
from email_threads.api.mailboxes.inputs import MailboxSettings
from email_threads.api.mailboxes.scenarios import MailScenario
from email_threads.store.items import Mailbox
from newsletters.api.company.tries import scenarios as newsletters
from newsletters.api.company.tries.scenarios import NewsletterScenario
from newsletters.api.inputs import VersionedSettings
from richpanel.clients.language_model import Judge as Classifier
from richpanel.configuration import shop_settings
from richpanel.configuration.account_settings import Account
from richpanel.configuration.shop_settings import SettingsInvalid
from richpanel.decisions.command import scenarios as tickets
from richpanel.decisions.command.samples import SampleInvalid
from richpanel.decisions.command.scenarios import TicketScenario
from shared.ai.evaluation import answers
from shared.ai.evaluation.answers import NotMade
from shared.ai.settings import ModelSettings
from shared.runtime.validation.validation_errors import errors_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from richpanel.decisions.command.samples import Sample
    from richpanel.decisions.facts import Shop
    from shared.ai.evaluation.answers import Made, Outcome
    from shared.ai.evaluation.bounded_calls import BoundedCalls
    from shared.ai.evaluation.bounds import Bounds
    from shared.ai.evaluation.judge import Judge

NO_MODEL: Final = {"provider": "openai", "model": "recorded", "api_key_reference": "none"}
KIND: Final = "kind"
_ID: Final = "trial"

type Scenario = Annotated[
    MailScenario | TicketScenario | NewsletterScenario, Field(discriminator=KIND)
]


class ScenarioInvalid(Exception):
    """A scenario cannot be played: its name, and place and rule of each error."""


def is_single(values: Sequence[tuple[str, Any]]) -> bool:
    """Whether the values of a file are scenarios of one answer: the first one has a kind."""
    first = values[0][1] if values else None
    inner = first.get("defaults", first) if isinstance(first, dict) else None
    return isinstance(inner, dict) and KIND in inner


def parsed(values: Iterable[tuple[str, Any]], where: object) -> list[Scenario]:
    """Return the scenarios that *values* have. Raises ScenarioInvalid."""
    adapter: TypeAdapter[Any] = TypeAdapter(Scenario)
    defaults: dict[str, Any] = {}
    found, problems = list[Any](), list[str]()
    for place, value in values:
        if isinstance(value, dict) and value.keys() == {"defaults"}:
            defaults = value["defaults"]
            continue
        name = value.get("name") if isinstance(value, dict) else None
        try:
            found.append(
                adapter.validate_python(merged(defaults, value) if name is not None else value)
            )
        except ValidationError as error:
            problems += [
                f"{where}: {name or place}: {'.'.join(map(str, one['loc']))}: {one['msg']}"
                for one in errors_of(error)
            ]
    names = Counter(one.name for one in found)
    problems += [f"{where}: {name}: the name is used twice" for name, n in names.items() if n > 1]
    if problems:
        raise ScenarioInvalid("\n".join(problems))
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A model that answers, and one that judges, within *bounds*."""

    model: BoundedCalls = field(repr=False)
    judge: Judge | None
    bounds: Bounds


def played(
    scenario: Scenario, settings: Mapping[str, Any] | None = None, asked: Asked | None = None
) -> Outcome:
    """
    Play a scenario with the *settings* of a version, by default its own: with a model, or with its recorded answer and
    then each bad one. Raises ScenarioInvalid.
    """
    if isinstance(scenario, MailScenario):
        return _mail(scenario, mailbox_of(scenario, settings), asked)
    if isinstance(scenario, NewsletterScenario):
        return _newsletter(scenario, _versioned(scenario, settings), asked)
    return _ticket(scenario, None if settings is None else _shop(scenario, settings), asked)


def _mail(scenario: MailScenario, mailbox: Mailbox, asked: Asked | None) -> Outcome:
    if asked is not None:
        about = {"mails": [one.model_dump() for one in scenario.mails]}
        draft = partial(mails.made, asked.model, mailbox, scenario)
        return answers.asked(scenario, draft, asked.judge, about, asked.bounds)

    def recorded(answer: Any) -> Made:  # noqa: ANN401 - see `recorded`
        return mails.of_recorded(mailbox, scenario, answer)

    return answers.recorded(scenario, recorded)


def _ticket(scenario: TicketScenario, shop: Shop | None, asked: Asked | None) -> Outcome:
    sample = _sample(scenario)
    if asked is None:
        return answers.recorded(scenario, lambda answer: tickets.of_recorded(sample, answer, shop))
    model, about = asked.model, {"ticket": scenario.text, "channel": scenario.channel}

    def decision() -> Made:
        made = tickets.of_judge(sample, Classifier(model), shop)
        if model.failed is not None:  # rules have decided without it
            raise NotMade(model.failed.code)
        return made

    return answers.asked(scenario, decision, asked.judge, about, asked.bounds)


def _newsletter(
    scenario: NewsletterScenario, settings: VersionedSettings, asked: Asked | None
) -> Outcome:
    checks_claims = bool(settings.check_claims)
    if asked is None:
        return answers.recorded(
            scenario,
            lambda answer: newsletters.of_recorded(scenario, answer, checks_claims=checks_claims),
        )
    own = ModelSettings.model_validate(settings.ai.model_dump()) if settings.ai else None
    step = partial(
        newsletters.made,
        asked.model,
        scenario,
        own or newsletters.RECORDED,
        checks_claims=checks_claims,
    )
    return answers.asked(scenario, step, asked.judge, scenario.about, asked.bounds)


def _versioned(
    scenario: NewsletterScenario, settings: Mapping[str, Any] | None
) -> VersionedSettings:
    """Return *settings*, None: those of the scenario. Raises ScenarioInvalid."""
    if settings is None:
        return scenario.settings
    try:
        return VersionedSettings.model_validate(dict(settings))
    except ValidationError as error:
        raise _broken(scenario.name, errors_of(error)) from None


def mailbox_of(scenario: MailScenario, settings: Mapping[str, Any] | None) -> Mailbox:
    """Return a mailbox with *settings*, None: those of the scenario. Raises ScenarioInvalid."""
    given = scenario.mailbox
    if settings is not None:
        try:
            given = MailboxSettings.model_validate(dict(settings))
        except ValidationError as error:
            raise _broken(scenario.name, errors_of(error)) from None
    own = {name: one for name, one in given.values().items() if one is not None}
    return Mailbox(conversation_id=_ID, address=_ID, company_id=_ID, **({"ai": NO_MODEL} | own))


def _shop(scenario: TicketScenario, settings: Mapping[str, Any]) -> Shop:
    try:
        read = shop_settings.parse(dict(settings))
    except SettingsInvalid as refusal:
        one = refusal.problems[0]
        text = f"{scenario.name}: settings.{one['field']}: {one['problem']}"
        raise ScenarioInvalid(text) from None
    return shop_settings.applied(Account(shop=tickets.STANDARD, channels={}), read, 1).shop


def _broken(name: str, errors: Sequence[Any]) -> ScenarioInvalid:
    rules = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in errors]
    return ScenarioInvalid("\n".join(f"{name}: settings.{rule}" for rule in rules))


def _sample(scenario: TicketScenario) -> Sample:
    try:
        return tickets.sample_of(scenario)
    except SampleInvalid as fault:
        raise ScenarioInvalid(f"{scenario.name}: {fault}") from None
