"""Begins and stops trials of a mailbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

from email_threads.analysis.trials import rules
from email_threads.api.mailboxes import versions
from email_threads.api.mailboxes.settings import mailbox_of
from email_threads.api.mailboxes.trials.queries import stored_of
from email_threads.store.configuration import mailbox_sets, mailbox_versions
from email_threads.store.items import Automation, MailboxTrial
from shared.ai.evaluation.sets.calls import refuse_unpassed
from shared.ai.trials import calls
from shared.ai.trials.calls import TrialCalls
from shared.ai.trials.items import Mode
from shared.ai.trials.views import shown
from shared.ai.versions.stored import NoVersion
from shared.api.errors import InvalidInput

if TYPE_CHECKING:
    from email_threads.api.queries import ApiDependencies
    from email_threads.store.items import Mailbox
    from shared.ai.trials.inputs import StopInput, TrialInput
    from shared.ai.trials.views import TrialView
    from shared.api.routing.routes import Request


def begin(deps: ApiDependencies, address: str, request: Request[TrialInput]) -> TrialView:
    """
    Begin a trial. Repeatable. Raises NotFound, InvalidInput for broken rules, TrialRefused, and SetRefused for a share
    of a version that has not passed a gate.
    """
    company = request.caller.company
    mailbox = mailbox_of(deps.table, company, address)
    stored = stored_of(deps, mailbox)

    def is_running(trial_id: str) -> bool:
        present = mailbox_of(deps.table, company, address)
        return rules.running(stored, trial_id, present) is not None

    begun = TrialCalls(
        stored=stored,
        named=lambda: mailbox_of(deps.table, company, address).ai_trial,
        live_beside=lambda given: _live_beside(deps, mailbox, given),
        is_running=is_running,
        naming=lambda before, trial_id: stored.naming(mailbox, before, trial_id),
        make=lambda trial: MailboxTrial(**trial.model_dump()),
    ).begin(request)
    return shown(begun)


def stop(
    deps: ApiDependencies, address: str, trial_id: str, request: Request[StopInput]
) -> TrialView:
    """Stop a trial, or withdraw the version of one that has ended. Repeatable. Raises NotFound and NoTrial."""
    stored = stored_of(deps, mailbox_of(deps.table, request.caller.company, address))
    ended = calls.stop(stored, trial_id, request)
    stored.put_away(trial_id)
    return shown(ended)


def _live_beside(deps: ApiDependencies, mailbox: Mailbox, given: TrialInput) -> int:
    """Return the live version. Raises InvalidInput and SetRefused for a version that may not be tried."""
    table, company, address = deps.table, mailbox.company_id, mailbox.address
    if mailbox.ai is None or mailbox.automation is not Automation.EMAIL_THREADS:
        raise _refused("address", "must be a mailbox whose model drafts answers")
    stored = mailbox_versions.of_mailbox(table, company, address)
    try:
        version = stored.get(given.version)
    except NoVersion:
        raise _refused("version", "must be a version of the mailbox") from None
    live = mailbox_versions.live_version(table, mailbox)
    if live is None or given.version == live:
        raise _refused("version", "must be another version than the live one")
    versions.check_settings(mailbox, version.settings)
    if Mode(given.mode) is Mode.SHARE:  # it goes live for these customers
        refuse_unpassed(mailbox_sets.of_mailbox(table, company, address), given.version)
    return live


def _refused(field: str, rule: str) -> InvalidInput:
    return InvalidInput([{"field": field, "problem": rule}])
