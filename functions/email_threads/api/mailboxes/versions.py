"""Reads, makes and goes back to versions of the settings of a mailbox's model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from email_threads.api import presenters
from email_threads.api.changes import TRIES, Conflict
from email_threads.api.inputs import MailboxInput
from email_threads.api.mailboxes.settings import check_model, mailbox_of, prove_key
from email_threads.store.configuration import mailbox_sets, mailbox_versions, mailboxes
from email_threads.store.configuration.mailbox_versions import SETTINGS
from email_threads.store.items import Mailbox
from shared.ai.evaluation.sets.calls import refuse_unpassed
from shared.ai.versions import views
from shared.ai.versions.stored import Version
from shared.api.cursors import Listing, Page
from shared.api.errors import InvalidInput
from shared.api.models.inputs import checked
from shared.aws import observation
from shared.aws.sqs_fifo import digest
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from email_threads.api.mailboxes.inputs import MailboxVersionInput
    from email_threads.api.queries import ApiDependencies
    from shared.ai.evaluation.sets.stored import Evaluations
    from shared.ai.versions.inputs import GoLiveInput, VersionQuery, VersionsQuery
    from shared.ai.versions.stored import Versions
    from shared.ai.versions.views import LiveView, VersionsView, VersionView, WrittenVersionView
    from shared.api.auth import Caller
    from shared.api.routing.routes import Request


def listed(
    deps: ApiDependencies, caller: Caller, address: str, query: VersionsQuery
) -> Page[VersionsView]:
    """Return a page of the versions of a mailbox, newest first. Raises NotFound."""
    mailbox = mailbox_of(deps.table, caller.company, address)
    listing = Listing(caller.company, "VERSIONS", (address,))
    return views.listed(_of(deps, mailbox), mailbox.ai_version, query, listing, deps.seal)


def shown(
    deps: ApiDependencies, caller: Caller, address: str, number: int, query: VersionQuery
) -> VersionView:
    """Return a version and how it differs from another one. Raises NotFound and NoVersion."""
    mailbox = mailbox_of(deps.table, caller.company, address)
    return views.compared(_of(deps, mailbox), number, mailbox.ai_version, query)


def create(
    deps: ApiDependencies, address: str, request: Request[MailboxVersionInput]
) -> WrittenVersionView:
    """Store a version, which is not live. Repeatable. Raises NotFound, NoVersion and InvalidInput."""
    given = request.input
    mailbox = mailbox_of(deps.table, request.caller.company, address)
    live = mailbox_versions.live_version(deps.table, mailbox)
    before = SETTINGS.of(mailbox)
    if given.based_on is not None:
        before = _of(deps, mailbox).get(given.based_on).settings
    settings = SETTINGS.changed(before, given.settings.values())
    check_settings(mailbox, settings)
    observation.note(before, settings)
    wanted = Version(
        settings=settings,
        note=given.note,
        by=request.caller.principal,
        at=clock.to_text(clock.now_ms()),
        based_on=given.based_on or live,
        made_for=digest(request.cause),
    )
    return views.WrittenVersionView(number=_of(deps, mailbox).add(wanted, live or 0).number)


def go_live(
    deps: ApiDependencies, address: str, number: int, request: Request[GoLiveInput]
) -> LiveView:
    """
    Make a version live, also an older one. Repeatable. Raises NotFound, NoVersion, InvalidInput, Conflict if another
    one is live than the caller takes to be, SetRefused for one that has not passed a gate, and Transient.
    """
    expected = request.input.instead_of
    for _ in range(TRIES):
        mailbox = mailbox_of(deps.table, request.caller.company, address)
        version = _of(deps, mailbox).get(number)
        check_settings(
            mailbox, version.settings
        )  # the mailbox may have changed since it was stored
        before = mailbox_versions.live_version(deps.table, mailbox)
        if expected is not None and before not in {expected, number}:
            raise Conflict("instead_of: another version is live")
        if before != number:
            refuse_unpassed(_sets(deps, mailbox), number)
        written = {
            "updated_at": clock.to_text(clock.now_ms()),
            "updated_by": request.caller.principal,
        }
        after = Mailbox.read(mailbox.attributes() | SETTINGS.values_of(version) | written)
        if mailboxes.put(deps.table, after, mailbox):
            return views.LiveView(live_version=number, before=before)
    raise Transient("mailbox_contended")


def settings_to_try(
    deps: ApiDependencies, mailbox: Mailbox, number: int | None, changes: dict[str, Any]
) -> dict[str, Any]:
    """Return the settings of version *number*, by default the live ones, with *changes*. Raises as `create` does."""
    before = SETTINGS.of(mailbox) if number is None else _of(deps, mailbox).get(number).settings
    settings = SETTINGS.changed(before, changes)
    check_settings(mailbox, settings)
    return settings


def _of(deps: ApiDependencies, mailbox: Mailbox) -> Versions:
    return mailbox_versions.of_mailbox(deps.table, mailbox.company_id, mailbox.address)


def _sets(deps: ApiDependencies, mailbox: Mailbox) -> Evaluations:
    return mailbox_sets.of_mailbox(deps.table, mailbox.company_id, mailbox.address)


def _of_settings(problem: dict[str, str]) -> dict[str, str]:
    """Return a problem of a mailbox's input as one of a version's settings; of several fields it has no path."""
    field = problem["field"]
    return {**problem, "field": "settings" if field == "body" else f"settings.{field}"}


def check_settings(mailbox: Mailbox, settings: dict[str, Any]) -> None:
    """Raise InvalidInput or NotProven if the mailbox could not have these settings."""
    present = presenters.mailbox(mailbox).model_dump(exclude_none=True)
    others = {name: v for name, v in present.items() if name not in SETTINGS.names}
    try:
        given = checked(others | settings, MailboxInput)
        check_model(given)
    except InvalidInput as refusal:
        raise InvalidInput([_of_settings(one) for one in refusal.problems]) from None
    prove_key(mailbox.company_id, given)
