"""Reads trials with the outcomes of both versions, and the drafts in shadow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.analysis.trials import rules
from email_threads.api.mailboxes.settings import mailbox_of
from email_threads.api.mailboxes.trials import views
from email_threads.store import drafts
from email_threads.store.configuration.mailbox_trials import MailboxTrials
from shared.ai.spending import prices
from shared.ai.trials.calls import found
from shared.ai.trials.items import BEGUN, FAILED, Arm, EndCause, Mode, count_name
from shared.ai.trials.views import TrialsView, shown
from shared.api.auth import Scope
from shared.api.cursors import Listing, Page

if TYPE_CHECKING:
    from collections import Counter

    from email_threads.api.queries import ApiDependencies
    from email_threads.store.items import Draft, Mail, Mailbox, MailboxTrial
    from shared.ai.trials.inputs import TrialsQuery
    from shared.api.auth import Caller

LONGEST_TEXT: Final = 4_000  # of a text in the list
_KINDS: Final = ("conversations", "answers", "handed_off", "sent", "corrected", "edits", "words")


def listed(
    deps: ApiDependencies, caller: Caller, address: str, query: TrialsQuery
) -> Page[TrialsView]:
    """Return a page of the trials of a mailbox. Raises NotFound."""
    stored = stored_of(deps, mailbox_of(deps.table, caller.company, address))
    listing = Listing(caller.company, "TRIALS", (address,))
    start = listing.position(deps.seal, query.cursor) if query.cursor else None
    rows, last = stored.page(query.limit, start)
    page = TrialsView(trials=[shown(one) for one in rows])
    return Page(page, listing.cursor(deps.seal, last) if last else None)


def outcomes(
    deps: ApiDependencies, caller: Caller, address: str, trial_id: str
) -> views.DraftTrialOutcomesView:
    """Return a trial with what came of both versions, after its rules have been asked. Raises NotFound and NoTrial."""
    mailbox = mailbox_of(deps.table, caller.company, address)
    stored = stored_of(deps, mailbox)
    trial = found(stored, trial_id)
    if not trial.is_over:
        trial = _ruled(stored, mailbox, trial)
    elif mailbox.ai_trial == trial_id:
        stored.put_away(trial_id)
    counts = stored.counts(trial)
    return views.DraftTrialOutcomesView(
        **shown(trial).model_dump(),
        begun=counts[BEGUN],
        failed=counts[FAILED],
        live=_arm(trial, counts, Arm.LIVE),
        trial=_arm(trial, counts, Arm.TRIAL),
    )


def shadows(
    deps: ApiDependencies, caller: Caller, address: str, trial_id: str, query: TrialsQuery
) -> Page[views.ShadowDraftsView]:
    """Return a page of the drafts in shadow beside the live ones. Raises NotFound, NoTrial and Forbidden."""
    caller.require(Scope.EMAIL_READ)  # it has texts of customers
    stored = stored_of(deps, mailbox_of(deps.table, caller.company, address))
    found(stored, trial_id)
    listing = Listing(caller.company, "TRIAL_DRAFTS", (address, trial_id))
    start = listing.position(deps.seal, query.cursor) if query.cursor else None
    mails, last = stored.shadows(trial_id, query.limit, start)
    own = [mail for mail in mails if mail.company_id == caller.company and not mail.erased]
    live = _live_drafts(deps, own)
    rows = [_row(mail, live.get(mail.email_id)) for mail in own]
    page = views.ShadowDraftsView(drafts=rows)
    return Page(page, listing.cursor(deps.seal, last) if last else None)


def stored_of(deps: ApiDependencies, mailbox: Mailbox) -> MailboxTrials:
    """Return the trials of a mailbox."""
    return MailboxTrials(deps.table, mailbox.company_id, mailbox.address)


def _ruled(stored: MailboxTrials, mailbox: Mailbox, trial: MailboxTrial) -> MailboxTrial:
    """Return a trial after its rules have been asked; it ends also if its mailbox does not name it any more."""
    if rules.running(stored, trial.trial_id, mailbox) is None:
        return stored.read(trial.trial_id) or trial
    if mailbox.ai_trial == trial.trial_id:
        return trial
    # The mailbox was removed and registered again: no thread asks for the trial.
    return stored.end(trial.trial_id, EndCause.STOPPED, withdrawn=False) or trial


def _arm(trial: MailboxTrial, counts: Counter[str], arm: Arm) -> views.DraftArmView:
    def of_kind(kind: str) -> int:
        return counts[count_name(arm, kind)]

    is_shadow = trial.mode is Mode.SHADOW and arm is Arm.TRIAL
    answers = of_kind("answers")
    return views.DraftArmView(
        version=trial.version if arm is Arm.TRIAL else trial.live,
        **{kind: of_kind(kind) for kind in _KINDS},
        discarded=None if is_shadow else of_kind("discarded"),
        faulty=of_kind("faulty") if is_shadow else None,
        dollars=prices.dollars(of_kind("micros")),
        ms=of_kind("ms") // answers if is_shadow and answers else None,
    )


def _live_drafts(deps: ApiDependencies, mails: list[Mail]) -> dict[str, Draft]:
    """Return the live drafts beside the drafts in shadow, by the ids of their mails."""
    named = {
        mail.email_id: (mail.thread, mail.shadow.live_reply)
        for mail in mails
        if mail.shadow is not None and mail.shadow.live_reply is not None
    }
    found_drafts = drafts.get_all(deps.table, list(named.values()))
    return {
        email_id: found_drafts[place] for email_id, place in named.items() if place in found_drafts
    }


def _row(mail: Mail, live: Draft | None) -> views.ShadowDraftView:
    shadow = mail.shadow
    assert shadow is not None  # noqa: S101 - for mypy: `shadows` returns no others
    written = None
    if live is not None:
        written = live.body_text if live.drafted_text is None else live.drafted_text
    return views.ShadowDraftView(
        conversation_id=mail.thread,
        n=mail.n,
        at=shadow.at,
        customer_text=(mail.new_text or mail.body)[:LONGEST_TEXT],
        live_text=written[:LONGEST_TEXT] if written is not None else None,
        live_status=live.draft_status if live is not None else None,
        live_handed_off=shadow.live_handed_off,
        text=shadow.text[:LONGEST_TEXT] if shadow.text is not None else None,
        needs_human=shadow.needs_human,
        waits=shadow.waits,
        status=shadow.status,
        reason=shadow.reason,
        dollars=prices.dollars(shadow.cost_micros),
        ms=shadow.ms,
    )
