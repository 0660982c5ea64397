"""Reads trials with the outcomes of both versions, and the answers that were not sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Attr

from conversations.api.projects import versions as project_versions
from conversations.api.projects.trials import views
from conversations.configuration import projects, versions
from conversations.configuration.projects import ConfigurationInvalid
from conversations.lifecycle import trials
from conversations.store.items.base import PARTITION_KEY, SORT_KEY
from conversations.store.items.log import Message, of
from conversations.store.versions.trials import Trials
from shared.ai.spending import prices
from shared.ai.trials.calls import found
from shared.ai.trials.items import BEGUN, FAILED, Arm, EndCause, Mode, count_name
from shared.ai.trials.views import TrialsView, shown
from shared.api.auth import Scope
from shared.api.cursors import Listing, Page
from shared.aws.dynamodb import ConditionFailed

if TYPE_CHECKING:
    from collections import Counter

    from conversations.api.access import ApiDependencies
    from conversations.configuration.projects import Companies
    from conversations.store.items.parts.trial import ShadowAnswer, Trial
    from shared.ai.trials.inputs import TrialsQuery
    from shared.api.auth import Caller
    from shared.aws.dynamodb import Attributes

LONGEST_TEXT = 4_000  # of a text in the list
_KINDS = (
    *("conversations", "answers", "sent", "handed_off", "ended_alone", "ended_with_people"),
    *("opted_out", "failed", "rated_up", "rated_down", "asked"),
)
_SCORES = range(1, 6)


def listed(
    deps: ApiDependencies, caller: Caller, project_id: str, query: TrialsQuery
) -> Page[TrialsView]:
    """Return a page of the trials of a project. Raises NotFound."""
    stored = stored_of(deps, caller, project_id)
    listing = Listing(caller.company, "TRIALS", (project_id,))
    start = listing.position(deps.seal, query.cursor) if query.cursor else None
    rows, last = stored.page(query.limit, start)
    page = TrialsView(trials=[shown(one) for one in rows])
    return Page(page, listing.cursor(deps.seal, last) if last else None)


def outcomes(
    deps: ApiDependencies, caller: Caller, project_id: str, trial_id: str
) -> views.TrialOutcomesView:
    """Return a trial with what came of both versions, after its rules have been asked. Raises NotFound."""
    stored = stored_of(deps, caller, project_id)
    trial = found(stored, trial_id)
    item = project_versions.item_of(deps, caller, project_id)
    if not trial.is_over:
        trial = _ruled(stored, deps.resources.companies, trial, item)
    if trial.is_over and item.get(versions.TRIAL) == trial_id:
        put_away(deps, caller, project_id, trial_id)
    counts = stored.counts(trial)
    return views.TrialOutcomesView(
        **shown(trial).model_dump(),
        begun=counts[BEGUN],
        failed=counts[FAILED],
        live=_arm(trial, counts, Arm.LIVE),
        trial=_arm(trial, counts, Arm.TRIAL),
    )


def _ruled(stored: Trials, companies: Companies, trial: Trial, item: Attributes) -> Trial:
    """Return a trial after its rules have been asked; it ends also if its project does not name it any more."""
    try:
        is_running = (
            trials.running(stored, companies, trial.trial_id, projects.parse(item)) is not None
        )
    except ConfigurationInvalid:
        is_running = True  # no turn runs until an operator has repaired the project
    if not is_running:
        return stored.read(trial.trial_id) or trial
    if item.get(versions.TRIAL) == trial.trial_id:
        return trial
    # Another writer of the project has removed the name: no new conversation and no answer asks for the trial.
    return stored.end(trial.trial_id, EndCause.STOPPED, withdrawn=False) or trial


def answers(
    deps: ApiDependencies, caller: Caller, project_id: str, trial_id: str, query: TrialsQuery
) -> Page[views.ShadowAnswersView]:
    """Return a page of the answers of a trial beside the live ones. Raises NotFound, and Forbidden."""
    caller.require(Scope.CONVERSATIONS_READ)  # it has texts of customers
    stored = stored_of(deps, caller, project_id)
    trial = found(stored, trial_id)
    listing = Listing(caller.company, "TRIAL_ANSWERS", (project_id, trial_id))
    start = listing.position(deps.seal, query.cursor) if query.cursor else None
    rows, last = stored.shadows(trial.trial_id, query.limit, start)
    texts = _messages(deps, rows)
    found_answers = [_answer(ref, one, texts) for ref, one in rows]
    return Page(
        views.ShadowAnswersView(answers=found_answers),
        listing.cursor(deps.seal, last) if last else None,
    )


def put_away(deps: ApiDependencies, caller: Caller, project_id: str, trial_id: str) -> None:
    """Let the project name no trial any more: from then on its conversations read none. Repeatable."""
    try:
        deps.resources.companies.table.update(
            projects.key(caller.company, project_id),
            drop=[versions.TRIAL],
            when=Attr(versions.TRIAL).eq(trial_id),
        )
    except ConditionFailed:
        return


def stored_of(deps: ApiDependencies, caller: Caller, project_id: str) -> Trials:
    """Return the trials of a project of the caller. Raises NotFound."""
    project_versions.item_of(deps, caller, project_id)
    return Trials(deps.resources.log, caller.company, project_id)


def _arm(trial: Trial, counts: Counter[str], arm: Arm) -> views.ArmView:
    def of_kind(kind: str) -> int:
        return counts[count_name(arm, kind)]

    asked = of_kind("sent") if arm is Arm.LIVE else of_kind("answers")
    is_of_trial = trial.mode is Mode.SHADOW and arm is Arm.TRIAL
    return views.ArmView(
        version=trial.version if arm is Arm.TRIAL else trial.live,
        **{kind: of_kind(kind) for kind in _KINDS},
        reopened_soon=of_kind("reopened_72h"),
        scores={str(n): of_kind(f"scored_{n}") for n in _SCORES if of_kind(f"scored_{n}")},
        faulty=of_kind("faulty") if is_of_trial else None,
        dollars=prices.dollars(of_kind("micros")),
        ms=of_kind("ms") // asked if asked else None,
    )


type _Texts = dict[tuple[str, str], Message]


def _messages(deps: ApiDependencies, rows: list[tuple[str, ShadowAnswer]]) -> _Texts:
    """Return the messages that were answered, and the live answers, by their keys."""
    keys = [of(ref, sk) for ref, one in rows for sk in (one.asked, one.answered) if sk]
    items = deps.resources.log.get_many(keys, is_consistent=False) if keys else []
    return {(str(one[PARTITION_KEY]), str(one[SORT_KEY])): Message.read(one) for one in items}


def _answer(ref: str, one: ShadowAnswer, texts: _Texts) -> views.ShadowAnswerView:
    partition = str(of(ref, one.asked)[PARTITION_KEY])
    asked, sent = (texts.get((partition, sk)) if sk else None for sk in (one.asked, one.answered))
    micros = sent.ai_cost_micros if sent else None
    return views.ShadowAnswerView(
        ref=ref,
        at=one.at,
        customer_text=asked.whole_text[:LONGEST_TEXT] if asked else None,
        live_text=sent.whole_text[:LONGEST_TEXT] if sent else None,
        live_handed_off_for=one.live_handed_off_for,
        live_dollars=None if micros is None else prices.dollars(micros),
        text=one.content[:LONGEST_TEXT],
        handed_off_for=one.handed_off_for,
        status=one.status,
        reason=one.reason,
        functions=one.functions,
        not_called=one.not_called,
        faults=one.faults,
        dollars=prices.dollars(one.cost_micros),
        ms=one.ms,
    )
