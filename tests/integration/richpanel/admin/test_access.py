"""Access to the admin API: scopes of readers and operators, and refusals of all other callers."""

from __future__ import annotations

import pytest

from shared.api.auth import Caller
from tests.integration.richpanel.admin.conftest import (
    BODIES,
    CHANGES,
    DISPUTE,
    DOCUMENT,
    OPERATOR,
    READER,
    READS,
    RECOVERY,
    SECRETS,
    SETTINGS,
    Admin,
    caller,
)


def test_the_tested_routes_are_those_of_the_function(admin: Admin) -> None:
    """tests/integration/shared/api/test_routes.py compares them with the template."""
    declared = admin.module.routes.operations

    routes = [f"{one.method} {one.path}" for one in declared]
    assert sorted([*routes, DOCUMENT]) == sorted([*READS, *CHANGES, *RECOVERY, *SECRETS, DOCUMENT])


@pytest.mark.parametrize("line", READS + CHANGES + RECOVERY + SECRETS)
def test_without_an_authorizer_context_every_route_answers_401(admin: Admin, line: str) -> None:
    before = admin.everything()

    assert (admin.call(line, None).status, admin.call(line, None).error) == (401, "unauthenticated")
    assert admin.everything() == before


@pytest.mark.parametrize("line", READS + CHANGES)
def test_scopes_of_other_contexts_are_refused(admin: Admin, line: str) -> None:
    others = caller("whatsapp:read", "whatsapp:admin", "operator")

    answer = admin.call(line, others, body={"safe_mode": True})

    assert (answer.status, answer.error) == (403, "forbidden")
    assert "richpanel:operate" in answer.body["error"]["message"]


@pytest.mark.parametrize("line", CHANGES)
def test_a_reader_cannot_change_anything(admin: Admin, line: str) -> None:
    admin.harness.ticket(DISPUTE)
    admin.harness.handle()
    before = admin.everything(), admin.stored()

    assert admin.call(line, READER, body={"mode": "repair"}).status == 403
    assert (admin.everything(), admin.stored()) == before


@pytest.mark.parametrize("line", READS)
@pytest.mark.parametrize("who", [READER, OPERATOR])
def test_readers_and_operators_may_read(admin: Admin, line: str, who: Caller) -> None:
    admin.harness.ticket(DISPUTE)
    admin.harness.handle()
    admin.call(f"PUT {SETTINGS}", body={"based_on": 0, "settings": {}})
    of_set, made_up = (
        "/admin/richpanel/sets/{set_name}",
        {"kind": "ticket", "name": "a", "text": "Hi"},
    )
    admin.call(f"POST {of_set}", body={"scenarios": [{**made_up, "expect": {}}]})
    run = admin.call(f"POST {of_set}/runs", body={}).result["run_id"]

    named = run if "{run_id}" in line else "1"
    assert admin.call(line, who, body=BODIES.get(line), named=named).status == 200


@pytest.mark.parametrize("line", READS + CHANGES + RECOVERY + SECRETS)
def test_keys_of_another_company_than_the_accounts_are_refused(admin: Admin, line: str) -> None:
    object.__setattr__(admin.module.routes, "company", lambda: "globex")
    before = admin.everything(), admin.stored()

    answer = admin.call(line, OPERATOR, body={"mode": "repair"})

    assert (answer.status, answer.error) == (403, "forbidden")
    assert (admin.everything(), admin.stored()) == before
