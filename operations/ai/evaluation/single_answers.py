"""
Plays scenarios of one answer from files: drafts by mail (`kind: mail`) and decisions on tickets (`kind: ticket`).

The one place that knows both contexts.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field, TypeAdapter, ValidationError

from conversations.dialogues.scenarios.settings import merged
from email_threads.api.mailboxes import scenarios as mails
from email_threads.api.mailboxes.scenarios import MailScenario
from email_threads.store.items import Mailbox
from richpanel.decisions.command import scenarios as tickets
from richpanel.decisions.command.samples import SampleInvalid
from richpanel.decisions.command.scenarios import TicketScenario
from shared.ai.evaluation import answers
from shared.runtime.validation_errors import errors_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shared.ai.evaluation.answers import Made, Outcome

NO_MODEL: Final = {"provider": "openai", "model": "recorded", "api_key_reference": "none"}
KIND: Final = "kind"
_ID: Final = "trial"

type Scenario = Annotated[MailScenario | TicketScenario, Field(discriminator=KIND)]


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


def played(scenario: Scenario) -> Outcome:
    """Play a scenario with its recorded answer, then each bad one. Raises ScenarioInvalid."""
    if isinstance(scenario, MailScenario):
        mailbox = mailbox_of(scenario, {})

        def draft(answer: Any) -> Made:  # noqa: ANN401 - see `recorded`
            return mails.of_recorded(mailbox, scenario, answer)

        return answers.recorded(scenario, draft)
    sample = _sample(scenario)
    return answers.recorded(scenario, lambda answer: tickets.of_recorded(sample, answer))


def mailbox_of(scenario: MailScenario, settings: dict[str, Any]) -> Mailbox:
    """Return a mailbox with *settings*, and those of the scenario."""
    own = {name: one for name, one in scenario.mailbox.values().items() if one is not None}
    whole = {"ai": NO_MODEL} | settings | own
    return Mailbox(conversation_id=_ID, address=_ID, company_id=_ID, **whole)


def _sample(scenario: TicketScenario) -> Any:  # noqa: ANN401 - the help desk's own
    try:
        return tickets.sample_of(scenario)
    except SampleInvalid as fault:
        raise ScenarioInvalid(f"{scenario.name}: {fault}") from None
