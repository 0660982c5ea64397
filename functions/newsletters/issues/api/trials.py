"""Tests of an issue: it is sent to people of the company, counts nowhere, and its links change nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from newsletters.api.changes import NoContent
from newsletters.inbound.events import IssueTestRequested, entry
from newsletters.issues import content
from newsletters.issues.api import control, views
from newsletters.issues.checklist import ChecklistFailed
from newsletters.store.items import TestMail
from newsletters.store.readers import trial_mails
from shared.access.ownership import claims
from shared.api.errors import InvalidInput
from shared.aws.sqs_fifo import digest
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsletters.issues.api import inputs
    from newsletters.issues.dependencies import IssueDependencies
    from newsletters.store.items import Issue
    from shared.api.routing.routes import Request

ID_CHARACTERS: Final = 16
_BLOCKING: Final = frozenset({"sender_not_owned", "sender_not_verified", "template_removed"})


class TooManyTests(Exception):
    """The company has sent its tests of this day."""


def check_addresses(deps: IssueDependencies, issue: Issue, addresses: Sequence[str]) -> None:
    """Raise InvalidInput unless the company owns the domains of all addresses."""
    problems = [
        {"field": f"addresses.{number}", "problem": "must be of a domain that the company owns"}
        for number, address in enumerate(addresses)
        if claims.owner_of_email(deps.log, address)[0] != issue.company_id
    ]
    if problems:
        raise InvalidInput(problems)


def start(
    deps: IssueDependencies, issue: Issue, request: Request[inputs.IssueTestInput]
) -> views.IssueTestView:
    """
    Store the mails of a test, and queue them. Safe to repeat. Raises ChecklistFailed for a sender that may not send and
    a removed look, NoContent, TooManyTests and NotEnqueued.
    """
    if request.input.variant not in issue.subjects:
        raise InvalidInput([{"field": "variant", "problem": "must be a variant of the issue"}])
    findings = control.checked(deps, issue)
    if any(one.code in _BLOCKING for one in findings.blocking):
        raise ChecklistFailed(findings)
    if findings.parts is None or not issue.contents.keys() <= findings.variants.keys():
        raise NoContent("export the present text as email and text")
    table, addresses = deps.store.table, request.input.addresses
    if not trial_mails.may_test(table, issue.company_id):
        raise TooManyTests("a company sends 20 tests a day")
    variant = request.input.variant
    parts = findings.variants.get(variant, findings.parts)
    pointer = content.seal(deps.store, issue, parts)
    test_id = digest("issue test", issue.issue_id, request.cause)[:ID_CHARACTERS]
    mails = [
        TestMail(
            **TestMail.key(issue.issue_id, test_id, f"{number}"),
            test_id=test_id,
            number=number,
            address=address,
            sealed=pointer,
            variant=variant,
            ttl=clock.expires_in(TestMail.ttl_days * clock.DAY_SECONDS),
        )
        for number, address in enumerate(addresses)
    ]
    trial_mails.plan(table, mails)
    deps.resources.steps.send([entry(IssueTestRequested(issue_id=issue.issue_id, test_id=test_id))])
    return views.IssueTestView(
        test_id=test_id, subject=content.test_subject(issue, variant), mails=len(mails)
    )


def states(deps: IssueDependencies, issue: Issue, test_id: str) -> views.IssueTestMails:
    """Return what has become of the mails of a test, in the order of their addresses; none after a day."""
    found = trial_mails.of_test(deps.store.table, issue.issue_id, test_id)
    return views.IssueTestMails(
        mails=[
            views.IssueTestMail(state=one.state, outcome=one.outcome, reason=one.reason)
            for one in found
        ]
    )
