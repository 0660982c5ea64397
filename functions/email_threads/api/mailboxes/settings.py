"""Registers mailboxes, changes their settings, and removes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from email_threads.api import presenters, views
from email_threads.api.changes import TRIES
from email_threads.api.queries import NotFound
from email_threads.store.configuration import mailbox_sets, mailbox_versions, mailboxes
from email_threads.store.configuration.mailbox_versions import SETTINGS
from email_threads.store.items import Automation, Mailbox
from shared.access.ownership import proofs
from shared.ai.evaluation.sets.calls import refuse_unpassed
from shared.api.errors import InvalidInput
from shared.api.models.inputs import checked
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from email_threads.api.inputs import MailboxInput
    from email_threads.api.queries import ApiDependencies
    from shared.api.routing.routes import Request
    from shared.aws.dynamodb import Table


def put_mailbox(
    deps: ApiDependencies, address: str, request: Request[MailboxInput]
) -> views.WrittenMailbox:
    """
    Register a mailbox, or change its settings; absent ones stay. Changed settings of its model are a new version.

    Raises NotProven unless the company owns its domain, SetRefused if versions have to pass a set before they are live,
    `mailboxes.TooMany` and Transient.
    """
    caller = request.caller
    for _ in range(TRIES):
        found = mailboxes.get(deps.table, address)
        own = found if found is not None and found.company_id == caller.company else None
        given = completed(own, request.input)
        prove_key(caller.company, given)
        proofs.own_email(
            deps.log,
            caller.company,
            address,
            "address",
            by=caller.principal,
            single_company=deps.single_company,
        )
        mailbox = Mailbox(
            conversation_id=Mailbox.of(address)["conversation_id"],
            address=address,
            company_id=caller.company,
            updated_at=clock.to_text(clock.now_ms()),
            updated_by=caller.principal,
            ai_trial=own.ai_trial if own is not None else None,
            **values_of(given),
        )
        if SETTINGS.of(mailbox) != SETTINGS.of(own):  # a removed mailbox has its sets still
            refuse_unpassed(mailbox_sets.of_mailbox(deps.table, caller.company, address), None)
        # The version first: a mailbox never names one that does not exist.
        mailbox.ai_version = mailbox_versions.version_of(deps.table, own, mailbox, request.cause)
        if mailboxes.put(deps.table, mailbox, found):
            return views.WrittenMailbox(registered=True)
    raise Transient("mailbox_contended")


def completed(own: Mailbox | None, given: MailboxInput) -> MailboxInput:
    """
    Return settings with the present values of absent fields, also of a model of the same provider and of hours.

    *own*: the mailbox of the company; None if it is new to it. Raises InvalidInput if they do not fit together.
    """
    if own is not None:
        present = presenters.mailbox(own).model_dump(exclude_none=True)
        fields = given.model_dump()
        ai = present.get("ai")
        if given.ai is not None and ai is not None and ai["provider"] == given.ai.provider:
            fields["ai"] = ai | given.ai.model_dump(exclude_unset=True)
        hours = present.get("business_hours")
        if given.business_hours is not None and hours is not None:
            fields["business_hours"] = hours | given.business_hours.model_dump(exclude_unset=True)
        given = checked(present | fields, type(given))
    check_model(given)
    return given


def check_model(given: MailboxInput) -> None:
    """Raise InvalidInput for a mailbox whose drafts need a model that it does not have."""
    if given.automation is Automation.EMAIL_THREADS and given.ai is None:
        problem = "automation email_threads needs ai, the model"
        raise InvalidInput([{"field": "body", "problem": problem}])


def prove_key(company: str, given: MailboxInput) -> None:
    """Raise NotProven if the key of the model is not one of the company."""
    if given.ai is not None:
        proofs.require_secret(company, given.ai.api_key_reference, "ai.api_key_reference")


def values_of(given: MailboxInput) -> dict[str, Any]:
    """Return the settings that have a value, also those that were not given."""
    dumped = given.model_dump(exclude_none=True)
    values = {name: dumped.get(name, getattr(given, name)) for name in type(given).model_fields}
    return {name: value for name, value in values.items() if value is not None}


def mailbox_of(table: Table, company: str, address: str) -> Mailbox:
    """Return a mailbox of the company. Raises NotFound."""
    mailbox = mailboxes.get(table, address)
    if mailbox is None or mailbox.company_id != company:
        raise NotFound("address: mailbox not found")
    return mailbox


def delete_mailbox(table: Table, mailbox: Mailbox) -> views.WrittenMailbox:
    """Remove a mailbox; its threads stay."""
    mailboxes.delete(table, mailbox)
    return views.WrittenMailbox(registered=False)
