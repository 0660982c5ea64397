"""Attacks on GET /inbox, its rows of other companies and projects, GET /people, and tickets and ends of sessions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.isolation.attacks import Attack, Call, of_document
from tests.integration.isolation.inbox_setup import LINE, READ, TwoCompanies, two_companies
from tests.integration.isolation.route_tests import suite_of

TICKETS = "POST /live/tickets"


def of_list(names: str, **query: str) -> Attack:
    """The list, with A's names in the query."""
    return Attack(
        line=LINE,
        names=names,
        scopes=READ,
        call=lambda a: Call(query={name: value.format(**a) for name, value in query.items()}),
    )


ATTACKS = [
    of_list("nothing"),
    of_list("the assignee", assignee="{assignee}"),
    of_list("words", q="{words}"),
    of_list("a cursor", limit="1", cursor="{cursor}"),
    Attack(
        line="GET /people",
        names="nothing",
        scopes=READ,
        call=lambda _: Call(),
        has_no_projects=True,
    ),
    Attack(
        line=TICKETS,
        names="nothing",
        scopes=READ,
        call=lambda _: Call(),
        is_blind="a ticket opens a connection of its own company (tests/integration/console/test_live.py)",
    ),
    Attack(
        line="POST /sign-out",
        names="nothing",
        scopes=(),
        call=lambda _: Call(),
        is_blind="it ends the sessions of its own person (tests/integration/console/test_sign_out.py)",
    ),
    of_document("GET /inbox/openapi.json", *READ),
]


@pytest.fixture(scope="module")
def companies() -> Iterator[TwoCompanies]:
    with two_companies() as made:
        yield made


TestRoutes = suite_of(ATTACKS)
