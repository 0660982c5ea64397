"""Lists and the read of a whole newsletter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from newsletters.store.content.newsletters import (
    delete_newsletter,
    get_newsletter_full,
    list_of_company,
    list_of_user,
)
from tests.integration.newsletters.deployment import COLLEAGUE, COMPANY, OTHER_COMPANY, USER, chunk
from tests.integration.newsletters.deployment import topics as topics_of

if TYPE_CHECKING:
    import pytest

    from newsletters.store.items import Metadata
    from shared.aws.dynamodb import Attributes
    from tests.integration.newsletters.deployment import Deployment


def several(newsletters: Deployment, count: int, **owner: Any) -> list[str]:
    """Create newsletters a minute apart; return their codes, newest first."""
    codes = []
    for number in range(count):
        newsletters.pass_minutes(1)
        codes.append(newsletters.create(f"call-{number}-{owner}", **owner))
    return codes[::-1]


def listed(newsletters: Deployment, *, limit: int = 25, user: str | None = USER) -> list[str]:
    """The codes on all pages of a user's list, or of the company's."""
    start: Attributes | None = None
    found: list[Metadata] = []
    while True:
        if user is None:
            page, start = list_of_company(newsletters.table, COMPANY, limit=limit, start=start)
        else:
            page, start = list_of_user(newsletters.table, user, COMPANY, limit=limit, start=start)
        assert len(page) <= limit
        found += page
        if start is None:
            return [one.newsletterCode for one in found]


def test_a_user_has_several_drafts_which_are_listed_newest_first_in_pages(
    newsletters: Deployment,
) -> None:
    codes = several(newsletters, 7)

    assert listed(newsletters) == codes
    assert listed(newsletters, limit=2) == codes


def test_newsletters_of_the_same_user_id_in_another_company_are_not_listed(
    newsletters: Deployment,
) -> None:
    several(newsletters, 3, company=OTHER_COMPANY)
    codes = several(newsletters, 2)
    several(newsletters, 2, company=OTHER_COMPANY)

    assert listed(newsletters, limit=2) == codes
    assert listed(newsletters, user=COLLEAGUE) == []


def test_the_list_of_a_company_has_the_newsletters_of_all_its_users_newest_first(
    newsletters: Deployment,
) -> None:
    older = several(newsletters, 3)
    several(newsletters, 2, company=OTHER_COMPANY)
    newer = several(newsletters, 2, user=COLLEAGUE)

    assert listed(newsletters, user=None) == newer + older
    assert listed(newsletters, user=None, limit=2) == newer + older


def test_a_deleted_newsletter_is_in_no_list(newsletters: Deployment) -> None:
    codes = several(newsletters, 3)
    delete_newsletter(newsletters.store, newsletters.read(codes[1]).metadata)

    assert listed(newsletters) == [codes[0], codes[2]]
    assert listed(newsletters, user=None) == [codes[0], codes[2]]


def test_a_whole_newsletter_is_one_query(newsletters: Deployment) -> None:
    code = newsletters.complete()
    newsletters.calls.clear()

    found = newsletters.read(code)

    assert newsletters.calls == ["Query"]
    assert found.topics is not None
    assert found.outline is not None
    assert found.draft is not None


def test_the_query_goes_on_until_the_last_page(
    newsletters: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = newsletters.complete()
    expected = newsletters.read(code)
    query = newsletters.dynamodb.query
    # DynamoDB ends a page at 1 MB.
    monkeypatch.setattr(newsletters.dynamodb, "query", lambda **asked: query(**asked, Limit=1))
    newsletters.calls.clear()

    assert newsletters.read(code) == expected

    assert newsletters.calls.count("Query") >= 4


def test_a_newsletter_without_steps_has_none_and_an_unknown_code_no_newsletter(
    newsletters: Deployment,
) -> None:
    code = newsletters.create()

    found = newsletters.read(code)

    assert (found.topics, found.outline, found.draft) == (None, None, None)
    assert get_newsletter_full(newsletters.store, "NL-20261102-ZZZZ") is None


def test_a_read_returns_what_was_written(newsletters: Deployment) -> None:
    code = newsletters.create()
    chunks = [chunk(number, score=round(0.1 * number, 4)) for number in range(1, 9)]

    found = newsletters.write(code, topics_of(code, chunks))

    assert found.topics is not None
    assert found.topics.retrieved_content == chunks
