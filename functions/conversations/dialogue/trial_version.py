"""
The version of a project's settings with which a conversation is answered while a trial takes a share.

A conversation joins at its first message of the model: by a keyed hash of the trial and of the person's contact, so
that all conversations of a person get the same version. It keeps what it was given.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from conversations.lifecycle import conversation, trials
from conversations.store.annotations import memory_owners
from conversations.store.lists.inbox_heads import changes_of, claims_of
from conversations.store.versions.trials import Trials
from shared.ai.trials.items import Arm, Mode
from shared.identity import keyed_hashes
from shared.runtime.failures import Transient
from shared.runtime.observability import logger

if TYPE_CHECKING:
    from conversations.dialogue.context import DialogueDependencies
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.store.items.parts.trial import Trial

_PERCENT = 100
_HEX_DIGITS = 12


def given(deps: DialogueDependencies, opened: OpenConversation) -> OpenConversation:
    """
    Return the conversation with the version that answers it now, after it has joined a trial that takes a share of new
    ones. Without a trial nothing is read.
    """
    state, resources = opened.state, deps.resources
    has_version = state.trial_version is not None
    if not has_version and (opened.company.ai_trial is None or not _is_new(opened)):
        return opened
    live = conversation.load_project(resources, state.company_id, state.project_id)
    trial_id = state.trial or (live.ai_trial if live else None)
    if live is None or trial_id is None:
        return opened
    stored = Trials(resources.log, state.company_id, state.project_id)
    trial = trials.running(stored, resources.companies, trial_id, live)
    if state.trial is None and trial is not None and _takes(trial, opened):
        joined = stored.join(trial, opened.ref, _arm_of(deps, opened, trial))
        opened = opened.with_state(joined or state)
    return replace(opened, company=conversation.company_of(resources, opened.state, live))


def _is_new(opened: OpenConversation) -> bool:
    """Whether the model has written nothing yet, and the conversation has joined no trial."""
    state = opened.state
    return state.trial is None and state.answered_up_to is None and state.last_outbound_at is None


def _takes(trial: Trial, opened: OpenConversation) -> bool:
    return trial.mode is Mode.SHARE and opened.state.created_at >= trial.at


def _arm_of(deps: DialogueDependencies, opened: OpenConversation, trial: Trial) -> Arm:
    drawn = keyed_hashes.keyed_hash("trial", trial.trial_id, _person(deps, opened))
    number = int(drawn[:_HEX_DIGITS], 16) % _PERCENT
    return Arm.TRIAL if number < (trial.share or 0) else Arm.LIVE


def _person(deps: DialogueDependencies, opened: OpenConversation) -> str:
    """
    Return the id of the person's contact, with merges by people. A person without one yet has the id that the contact
    will have; a conversation that proves no identifier has its customer's address.
    """
    company, item, state = opened.company.company_id, opened.conversation, opened.state
    try:
        claims = claims_of(item, state, changes_of(deps.resources.log, item))
        profile = memory_owners.contact_of(deps.writer.people.contacts, company, claims)
    except (BotoCoreError, ClientError, Transient) as failure:
        logger.warning("contact not read", extra={"reason": type(failure).__name__})
        claims, profile = claims_of(item, state, ()), None
    if profile is not None:
        return profile.contact_id
    named = memory_owners.ids_named(company, claims)
    return named[0] if named else opened.customer
