"""Access to the admin API: scopes, companies and projects of a key."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from conversations.lifecycle.status import Status
from shared.api.auth import Scope
from tests.integration.conversations.admin.routes import (
    CHANGES,
    CONSENT,
    OF_COMPANY,
    OF_ONE,
    ROUTES,
    Route,
    store_unmatched,
)
from tests.integration.conversations.fakes import Answer
from tests.integration.conversations.harness import (
    COMPANY,
    OTHER_PROJECT,
    PROJECT,
    SECOND_COMPANY,
    THEIRS,
    Harness,
    caller,
)

if TYPE_CHECKING:
    from shared.api.auth import Caller

NOWHERE = "a" * 26


def bare(answer: Answer) -> tuple[int, dict[str, Any]]:
    """An answer without the fields that differ from call to call."""
    return answer.status, {name: part for name, part in answer.body.items() if name != "request_id"}


# Scopes


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.line)
def test_without_the_authorizers_context_every_route_is_refused(
    harness: Harness, route: Route
) -> None:
    ref, message = harness.begin(), store_unmatched(harness)
    before = harness.rows()

    answer = route.call(harness, ref, message, who=None)

    assert (answer.status, answer.error) == (401, "unauthenticated")
    assert harness.rows() == before


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.line)
def test_a_route_refuses_every_scope_but_its_own(harness: Harness, route: Route) -> None:
    ref, message = harness.begin(), store_unmatched(harness)
    before = harness.rows()

    others = caller(COMPANY, *(str(scope) for scope in Scope if scope is not route.scope))
    answer = route.call(harness, ref, message, who=others)

    assert (answer.status, answer.error) == (403, "forbidden")
    assert harness.rows() == before
    assert harness.sqs.put == []


@pytest.mark.parametrize(
    "route",
    [route for route in ROUTES if not {"release", "resolve", "ratings"} & {*route.line.split("/")}],
    ids=lambda route: route.line,
)
def test_a_route_accepts_its_own_scope(harness: Harness, route: Route) -> None:
    ref, message = harness.begin(), store_unmatched(harness)

    answer = route.call(harness, ref, message, who=caller(COMPANY, str(route.scope)))

    assert answer.status in {200, 201, 202}


# Companies and projects


@pytest.mark.parametrize("route", OF_ONE, ids=lambda route: route.line)
@pytest.mark.parametrize(
    "stranger", [THEIRS, caller(projects=OTHER_PROJECT)], ids=["company", "project"]
)
def test_a_resource_of_another_company_is_answered_as_not_found(
    harness: Harness, route: Route, stranger: Caller
) -> None:
    ref, message = harness.begin(), store_unmatched(harness)
    there, absent = (ref, message), (NOWHERE, "x" * 30)
    route.call(harness, *there)  # So that stored answers of changes could be found, too.
    before, queued = harness.rows(), list(harness.sqs.put)

    found = route.call(harness, *there, who=stranger)

    assert found.status == 404
    assert bare(found) == bare(route.call(harness, *absent, who=stranger))
    assert (harness.rows(), harness.sqs.put) == (before, queued)


@pytest.mark.parametrize("route", CHANGES, ids=lambda route: route.line)
def test_an_idempotency_key_used_for_another_companys_resource_reveals_nothing(
    harness: Harness, route: Route
) -> None:
    ref, message = harness.begin(), store_unmatched(harness)
    harness.begin("req-9", company=SECOND_COMPANY)
    first = harness.calls
    route.call(harness, ref, message)
    harness.calls = first  # The same Idempotency-Key once more.

    answer = route.call(harness, ref, message, who=THEIRS)

    if route in OF_ONE:
        assert answer.status == 404
    else:
        assert answer.result["refs"] != [ref]


@pytest.mark.parametrize("route", CHANGES, ids=lambda route: route.line)
def test_a_stored_answer_of_one_project_is_not_given_to_a_key_of_another(
    harness: Harness, route: Route
) -> None:
    ref, message = harness.begin(), store_unmatched(harness)
    first = harness.calls
    route.call(harness, ref, message, who=caller(projects=PROJECT))
    harness.calls = first  # The same Idempotency-Key once more.

    answer = route.call(harness, ref, message, who=caller(projects=OTHER_PROJECT))

    assert ref not in json.dumps(answer.body)
    assert answer.status in {
        200,
        403,
        404,
    }  # 403: consent belongs to the company and has no project


def test_a_message_cannot_be_attached_to_another_companys_conversation(harness: Harness) -> None:
    ours, theirs = harness.begin(), store_unmatched(harness, SECOND_COMPANY)

    line, names = "POST /unmatched/{unmatched_id}/attach", {"unmatched_id": theirs}
    answer = harness.call(line, {"ref": ours}, who=THEIRS, names=names)

    assert answer.status == 404
    assert harness.queued("ConversationsInboundQueue") == []


@pytest.mark.parametrize("route", OF_COMPANY, ids=lambda route: route.line)
def test_lists_and_records_hold_only_the_companys_own(harness: Harness, route: Route) -> None:
    ref, message = harness.begin(), store_unmatched(harness)
    harness.call("POST /opt-outs", CONSENT | {"channels": ["whatsapp"]})

    answer = route.call(harness, ref, message, who=THEIRS)

    shown = json.dumps(answer.result)
    assert ref not in shown
    assert message not in shown
    assert "ticket 7" not in shown
    assert harness.item(ref).conversation_status == Status.REPLY_SENT


@pytest.mark.parametrize("route", OF_COMPANY[:3], ids=lambda route: route.line)
def test_lists_hold_only_the_projects_of_the_key(harness: Harness, route: Route) -> None:
    ours = harness.begin(), store_unmatched(harness)
    theirs = harness.begin("req-2", project=OTHER_PROJECT)

    answer = route.call(harness, *ours, who=caller(projects=OTHER_PROJECT))

    shown = json.dumps(answer.result)
    assert not any(one in shown for one in ours)
    assert (theirs in shown) == ("unmatched" not in route.line)


@pytest.mark.parametrize("line", ["GET /conversations", "GET /unmatched"])
def test_a_project_outside_the_keys_projects_is_not_found(harness: Harness, line: str) -> None:
    own = caller(projects=OTHER_PROJECT)

    assert harness.call(line, who=own, query={"project_id": PROJECT}).status == 404
    assert harness.call(line, who=own, query={"project_id": OTHER_PROJECT}).status == 200


@pytest.mark.parametrize("route", OF_COMPANY[3:], ids=lambda route: route.line)
def test_a_key_limited_to_projects_neither_reads_nor_changes_consent(
    harness: Harness, route: Route
) -> None:
    """Consent belongs to the company: a change would end or open conversations of other projects."""
    ref, message = harness.begin(), store_unmatched(harness)
    before = harness.rows()

    answer = route.call(harness, ref, message, who=caller(projects=PROJECT))

    assert (answer.status, answer.error) == (403, "forbidden")
    assert "bound to projects" in answer.body["error"]["message"]
    assert harness.rows() == before
