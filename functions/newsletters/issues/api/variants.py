"""The variants of an issue that tests several: they differ, and their texts are of newsletters that people may read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.api.access import NotFound, readable
from shared.api.errors import InvalidInput

if TYPE_CHECKING:
    from newsletters.issues.api.inputs import SubjectTestInput
    from newsletters.issues.dependencies import IssueDependencies
    from newsletters.store.items import Issue
    from shared.api.auth import Caller


def check(
    deps: IssueDependencies, caller: Caller, issue: Issue, *, has_new_texts: bool = True
) -> None:
    """
    Raise InvalidInput unless all variants differ, and their new texts are newsletters in the language of the issue: the
    checklist looks at present ones, too.
    """
    problems = _repeated(issue)
    if has_new_texts:
        problems += _unreadable(deps, caller, issue)
    if problems:
        raise InvalidInput(problems)


def with_kept_texts(issue: Issue, given: SubjectTestInput) -> SubjectTestInput:
    """
    Return a test with the present texts, if it names none. Raises InvalidInput if it has another number of subjects:
    which text is whose is not known then.
    """
    codes = issue.subject_test.newsletter_codes if issue.subject_test else []
    if not codes or "newsletter_codes" in given.model_fields_set:
        return given
    if len(codes) != len(given.subjects):
        problem = "must be given with another number of subjects; null or no entry is the issue's own text"
        raise InvalidInput([{"field": "subject_test.newsletter_codes", "problem": problem}])
    return given.model_copy(update={"newsletter_codes": codes})


def _repeated(issue: Issue) -> list[dict[str, str]]:
    """Return a problem for each variant that is the same as an earlier one."""
    named = [(subject, issue.contents.get(name)) for name, subject in issue.subjects.items()]
    problem = "must differ from the issue's own subject, and from the others, unless the text does"
    return [
        {"field": f"subject_test.subjects.{place - 1}", "problem": problem}
        for place, one in enumerate(named)
        if one in named[:place]
    ]


def _unreadable(deps: IssueDependencies, caller: Caller, issue: Issue) -> list[dict[str, str]]:
    """Return a problem for each text that the caller may not read, or that has another language."""
    found = []
    for place, code in enumerate(issue.subject_test.newsletter_codes if issue.subject_test else []):
        problem = _problem(deps, caller, issue, code) if code is not None else None
        if problem is not None:
            found.append({"field": f"subject_test.newsletter_codes.{place}", "problem": problem})
    return found


def _problem(deps: IssueDependencies, caller: Caller, issue: Issue, code: str) -> str | None:
    try:
        newsletter = readable(deps.store, caller, code)
    except NotFound:
        return "newsletter not found"
    is_same = newsletter.metadata.language == issue.language
    return None if is_same else "must be in the language of the issue's newsletter"
