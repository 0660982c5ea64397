"""The tests of an API's routes, for each context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.isolation.attacks.attacks import System, attacked, turned_away
from tests.integration.isolation.attacks.route_attacks import with_cursors
from tests.integration.isolation.changes import audited_changes
from tests.integration.isolation.changes.sent_back import problems_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from tests.integration.isolation.attacks.route_attacks import Api


def companies_of[S: System](running: Callable[[], AbstractContextManager[S]], api: Api) -> Any:
    """The module's fixture `companies`: the running system of two companies, with the cursors of its lists."""

    @pytest.fixture(scope="module", name="companies")
    def companies() -> Iterator[S]:
        with with_cursors(running, api) as made:
            yield made

    return companies


def suite_of(api: Api) -> type:
    """The tests of one context's attacks; the module's fixture `companies` returns the system."""

    class Routes:
        def test_a_key_without_access_of_its_own_is_refused_as_if_the_item_did_not_exist(
            self, companies: System
        ) -> None:
            problems = turned_away(companies, api.attacks(companies.names))

            assert not problems, "\n".join(problems)

        def test_a_read_of_an_outsider_is_answered_as_if_the_item_did_not_exist(
            self, companies: System
        ) -> None:
            reads = [one for one in api.attacks(companies.names) if not one.is_change]

            problems = attacked(companies, reads)

            assert not problems, "\n".join(problems)

        @pytest.mark.long
        def test_a_change_of_an_outsider_is_answered_as_if_the_item_did_not_exist(
            self, companies: System
        ) -> None:
            changes = [one for one in api.attacks(companies.names) if one.is_change]

            problems = [said for one in changes for said in attacked(companies, [one])]

            assert not problems, "\n".join(problems)

        @pytest.mark.long
        def test_each_change_of_settings_is_in_the_audit_log_with_the_fields_before_and_after(
            self, companies: System, monkeypatch: pytest.MonkeyPatch
        ) -> None:
            changes = [one for one in api.attacks(companies.names) if one.is_change]

            rows = audited_changes.rows_of(companies, changes, monkeypatch)

            assert not (problems := audited_changes.problems_of(rows)), "\n".join(problems)
            assert not (shown := audited_changes.shown_values(rows)), shown

        def test_what_a_read_returned_can_be_sent_back_and_absent_fields_keep_their_values(
            self, companies: System
        ) -> None:
            problems = problems_of(companies, api.functions)

            assert not problems, "\n".join(problems)

    return Routes
