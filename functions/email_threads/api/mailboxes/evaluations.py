"""Checks the scenarios of a mailbox's sets, and starts their runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from email_threads.api.mailboxes.scenarios import MailScenario
from email_threads.api.mailboxes.settings import mailbox_of
from email_threads.inbound.events import EmailEvaluate, evaluation_entry
from email_threads.store.configuration import mailbox_sets, mailbox_versions
from shared.ai.evaluation import answers
from shared.ai.evaluation.sets.calls import SetCalls
from shared.api.errors import InvalidInput

if TYPE_CHECKING:
    from email_threads.api.queries import ApiDependencies
    from shared.ai.evaluation.sets.calls import Problem
    from shared.ai.evaluation.sets.inputs import RunInput
    from shared.ai.evaluation.sets.items import StoredSet
    from shared.ai.evaluation.sets.views import RunView
    from shared.api.auth import Caller
    from shared.api.routing.routes import Request


def calls_of(deps: ApiDependencies, caller: Caller, address: str) -> SetCalls:
    """Return the calls about the sets of a mailbox of the caller's company. Raises NotFound."""
    mailbox = mailbox_of(deps.table, caller.company, address)
    stored = mailbox_sets.of_mailbox(deps.table, caller.company, mailbox.address)
    return SetCalls(stored, caller.company, (mailbox.address,), deps.seal)


def problems_of(place: str, given: dict[str, Any], names: set[str]) -> list[Problem]:
    """Return why a scenario at *place* is refused, with field and rule; its name is added to *names*."""
    if given.get("mailbox"):
        rule = "must be absent: versions have settings"
        return [{"field": f"{place}.mailbox", "problem": rule}]
    return answers.problems_of(MailScenario, place, given, names)


def begin(
    deps: ApiDependencies, address: str, found: StoredSet, request: Request[RunInput]
) -> RunView:
    """Start a run. Repeatable. Raises NotFound, NoVersion, and InvalidInput without two versions."""
    caller, given = request.caller, request.input
    mailbox = mailbox_of(deps.table, caller.company, address)
    number = given.version or mailbox_versions.live_version(deps.table, mailbox)
    if number is None:
        raise InvalidInput([{"field": "version", "problem": "is needed: the mailbox has none"}])
    versions = mailbox_versions.of_mailbox(deps.table, caller.company, address)
    for one in filter(None, (number, given.against)):
        versions.get(one)
    run, positions = calls_of(deps, caller, address).begin(found, request, number)
    steps = [
        EmailEvaluate(
            company_id=caller.company, address=address, run_id=run.run_id, position=position
        )
        for position in positions
    ]
    deps.queue.send(map(evaluation_entry, steps))
    return run
