"""
The checklist of an issue before it is approved and before it starts: what large mailbox providers require of bulk mail,
and what a reader must find in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from newsletters.issues import content
from newsletters.issues.content import CLIPPED_ABOVE, UNSUBSCRIBE, Sealed
from newsletters.issues.pace import days, warm_up
from newsletters.issues.pace.findings import Check, CheckCode, blocks, warning
from newsletters.store import companies
from newsletters.store.content.newsletters import get_newsletter_full
from newsletters.store.content.step_inputs import content_hash
from newsletters.store.delivery import warm_ups
from newsletters.store.readers import templates
from shared.contacts import audience, lists
from shared.contacts.lists import ListNotFound
from shared.contacts.segments import SegmentNotFound

if TYPE_CHECKING:
    from newsletters.issues.dependencies import IssueDependencies
    from newsletters.issues.pace.warm_up import Outlook
    from newsletters.store.content.newsletters import Newsletter
    from newsletters.store.items import Draft, Export, Issue, MailTemplate
    from newsletters.store.items.issues import Variant

PAGE: Final = 5_000  # members of a list: half a megabyte
PAGES: Final = 10  # of all lists of an issue that are counted: 5 MB
LONG_SUBJECT: Final = 60
FORMATS: Final = ("email", "text")
_EMPTY_LINK: Final = re.compile(
    r"""<a\b[^>]*\bhref\s*=\s*(?:"\s*#?\s*"|'\s*#?\s*')""", re.IGNORECASE
)
_HARMLESS: Final = frozenset({"length_off_target"})  # of the warnings about a text


@dataclass(frozen=True, slots=True)
class Findings:
    """
    All findings, the parts of the mail if they could be composed, those of *variants* with a text of their own, and
    *outlook* of a new domain's issue.
    """

    checks: list[Check] = field(default_factory=list)
    parts: Sealed | None = None
    variants: dict[Variant, Sealed] = field(default_factory=dict)
    outlook: Outlook | None = None

    @property
    def blocking(self) -> list[Check]:
        """Those that block the start."""
        return [one for one in self.checks if one.level == "blocks"]


class ChecklistFailed(Exception):
    """Findings block the start; the text lists their codes."""

    def __init__(self, findings: Findings) -> None:
        super().__init__(f"checklist: {', '.join(one.code for one in findings.blocking)}")


def of_issue(
    deps: IssueDependencies, issue: Issue, newsletter: Newsletter | None, *, acknowledged: bool
) -> Findings:
    """
    Return the findings of an issue: of the present newsletter before the approval, else of the sealed content.

    Raises Transient if the mail provider does not answer, and ObjectUnusable.
    """
    from newsletters.issues.pace import sender_checks  # noqa: PLC0415 - of few calls

    checks = [*sender_checks.of_sender(deps, issue), *_of_audience(deps, issue)]
    outlook = _outlook(deps, issue)
    if outlook is not None:
        checks.append(warning("warm_up", outlook.text))
    if issue.subject_test is not None:
        checks += _of_subject_test(deps, issue)
    if any(len(one) > LONG_SUBJECT for one in issue.subjects.values()):
        checks.append(
            warning("long_subject", f"over {LONG_SUBJECT} characters: many lists of mails cut it")
        )
    if not issue.preheader and not (newsletter and newsletter.metadata.preview):
        checks.append(warning("no_preheader", "lists of mails show the first words instead"))
    if issue.sealed is not None:
        sealed = content.sealed_of(deps.store, issue)
        checks += [*_of_change(issue, newsletter), *_of_parts(issue, sealed["a"])]
        return Findings(checks, sealed.pop("a"), sealed, outlook)
    template = _template(deps, issue)
    if issue.template_id is not None and template is None:
        checks.append(blocks("template_removed", "the template of the issue was removed"))
    parts, found = _of_text(deps, issue, newsletter, template, acknowledged=acknowledged)
    checks += found
    variants: dict[Variant, Sealed] = {}
    for name, code in issue.contents.items():
        other = newsletter_of(deps, issue, code)
        own, found = _of_text(deps, issue, other, template, acknowledged=acknowledged)
        checks += [replace(one, variant=name) for one in found]
        if own is not None:
            variants[name] = own
    return Findings(checks, parts, variants, outlook)


def newsletter_of(
    deps: IssueDependencies, issue: Issue, code: str | None = None
) -> Newsletter | None:
    """Return the newsletter of the issue, or another one of its company; None if it was deleted."""
    newsletter = get_newsletter_full(deps.store, code or issue.newsletter_code)
    is_own = newsletter is not None and newsletter.metadata.company_id == issue.company_id
    return newsletter if is_own else None


def _of_text(
    deps: IssueDependencies,
    issue: Issue,
    newsletter: Newsletter | None,
    template: MailTemplate | None,
    *,
    acknowledged: bool,
) -> tuple[Sealed | None, list[Check]]:
    """Return the mail of a newsletter's present text, None if it cannot be composed, and its findings."""
    draft = newsletter.draft if newsletter is not None else None
    parts = _parts(deps, issue, newsletter, template)
    checks = _of_draft(draft, acknowledged=acknowledged)
    if newsletter is not None and newsletter.stale_steps()["draft"]:
        problem = "the newsletter's earlier steps have changed since its text"
        checks.append(warning("stale", problem))
    if parts is None:
        return None, [*checks, blocks("not_exported", "export the present text as email and text")]
    return parts, [*checks, *_of_exports(draft), *_of_parts(issue, parts)]


def _of_subject_test(deps: IssueDependencies, issue: Issue) -> list[Check]:
    settings = companies.get_settings(deps.store.table, issue.company_id)
    is_counted = settings is not None and settings.track_clicks
    if issue.subject_test is None or issue.subject_test.decided_by != "clicks" or is_counted:
        return []
    problem = "clicks decide about the subject, and the settings do not count them: track_clicks"
    return [blocks("clicks_not_counted", problem)]


def _of_audience(deps: IssueDependencies, issue: Issue) -> list[Check]:
    contacts, company = deps.people.contacts, issue.company_id
    has_people = bool(issue.segment_ids)  # whose people are known only when they are read
    try:
        for one in issue.audiences:
            audience.check(deps.people, company, one)
        for list_id in issue.list_ids:
            has_people |= bool(lists.member_ids(contacts, company, list_id, limit=1)[0])
    except (ListNotFound, SegmentNotFound):
        return [blocks("audience_removed", "a list or segment of the audience was removed")]
    return [] if has_people else [blocks("no_recipient", "the lists have no members")]


def _outlook(deps: IssueDependencies, issue: Issue) -> Outlook | None:
    """Return what the warm-up of the sender's domain means for the issue; None if the domain is warm."""
    found = warm_ups.get(deps.store.table, issue.company_id, warm_up.domain_of(issue.sender))
    if days.is_warm(found, days.day_of(found)):
        return None
    people, is_all = _people(deps, issue)
    return warm_up.outlook_of(found, people, is_all=is_all)


def _people(deps: IssueDependencies, issue: Issue) -> tuple[int, bool]:
    """
    Return the members of the lists, each once, and whether they are all: at most PAGES of PAGE members are counted, and
    no people of segments, who are known only when they are read.
    """
    people, pages = set[str](), PAGES
    waiting: list[tuple[str, str | None]] = [(one, None) for one in issue.list_ids]
    while waiting and pages:
        list_id, after = waiting.pop(0)
        found, has_more = lists.member_ids(
            deps.people.contacts, issue.company_id, list_id, limit=PAGE, after=after
        )
        people.update(found)
        waiting += [(list_id, found[-1])] if has_more else []
        pages -= 1
    return len(people), not waiting and not issue.segment_ids


def _of_draft(draft: Draft | None, *, acknowledged: bool) -> list[Check]:
    found = (
        sorted({one.code for one in draft.warnings if one.code not in _HARMLESS}) if draft else []
    )
    if not found:
        return []
    problem = f"the text has warnings: {', '.join(found)}"
    return [
        warning("claims", problem, warnings=", ".join(found))
        if acknowledged
        else blocks("claims", f"{problem}; acknowledge them", warnings=", ".join(found))
    ]


def _of_change(issue: Issue, newsletter: Newsletter | None) -> list[Check]:
    """Return the finding that the issue's own newsletter shows another text by now than the one that was approved."""
    if newsletter is None or newsletter.draft is None or issue.content_hash is None:
        return []
    if content_hash(newsletter.metadata, newsletter.draft) == issue.content_hash:
        return []
    problem = "the newsletter has changed since the approval: readers get the approved text"
    return [warning("newsletter_changed", problem)]


def _of_exports(draft: Draft | None) -> list[Check]:
    warnings = (
        {code for name in FORMATS for code in draft.exports[name].warnings} if draft else set()
    )
    blocking: dict[CheckCode, str] = {
        "image_without_text": "an image has no alternative text",
        "image_unreadable": "an image cannot be read",
    }
    return [blocks(code, problem) for code, problem in blocking.items() if code in warnings]


def _template(deps: IssueDependencies, issue: Issue) -> MailTemplate | None:
    if issue.template_id is None:
        return None
    return templates.get(deps.store.table, issue.company_id, issue.template_id)


def _parts(
    deps: IssueDependencies,
    issue: Issue,
    newsletter: Newsletter | None,
    template: MailTemplate | None,
) -> Sealed | None:
    """Return the parts of the present text; None unless both exports show it."""
    draft = newsletter.draft if newsletter is not None else None
    if newsletter is None or draft is None:
        return None
    present = content_hash(newsletter.metadata, draft)
    exports = [draft.exports.get(name) for name in FORMATS]
    files = [_file(deps, one) for one in exports if one is not None and one.content_hash == present]
    found = [one for one in files if one is not None]
    if len(found) < len(FORMATS):
        return None
    html, text = found
    return content.composed(issue, html, text, template)


def _file(deps: IssueDependencies, export: Export) -> str | None:
    body = deps.store.bucket.bounded(export.s3_key, export.file_size)
    return body.decode() if body else None


def _of_parts(issue: Issue, parts: Sealed) -> list[Check]:
    checks: list[Check] = []
    if unknown := content.unknown_placeholders(issue, parts):
        problem = f"without a value: {', '.join(unknown)}; for a name: {{{{first_name|there}}}}"
        names = ", ".join(unknown)
        checks.append(blocks("unknown_placeholder", problem, names=names))
    if UNSUBSCRIBE not in parts.html or UNSUBSCRIBE not in parts.text:
        checks.append(
            blocks("no_unsubscribe_link", "both parts need the link by which readers leave")
        )
    if _EMPTY_LINK.search(parts.html):
        checks.append(blocks("empty_link", "a link has no address"))
    size = len(parts.html.encode())
    if size > CLIPPED_ABOVE:
        problem = f"{size} bytes of HTML: Gmail shows {CLIPPED_ABOVE}"
        checks.append(warning("too_large", problem, kilobytes=str(-(-size // 1_024))))
    return checks
