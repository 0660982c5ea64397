"""A deployment that belongs to one company: the template's parameter is the proof of ownership."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shared.access.ownership import claims, ids
from shared.access.ownership.claims import SHARED, Proof
from tests.integration.email_threads.api.thread_calls import result
from tests.integration.email_threads.worker.test_owners import OTHER, put
from tests.simulation.email_threads.system import COMPANY, System, mail
from tests.simulation.kernel import fixtures
from tests.simulation.permissions.permissions import CallObserver
from tests.simulation.permissions.role_checks import grants_of, missing, needless

if TYPE_CHECKING:
    pass


_system, system = fixtures(System, SingleCompany=COMPANY)


def test_the_one_company_of_a_deployment_claims_the_domain_of_its_mailbox(system: System) -> None:
    assert result(put(system, "info@new.example")) == {"registered": True}
    system.deliver(mail("a@x", to="info@new.example"), name="1", address="info@new.example")
    system.drain()
    assert [one["mailbox"] for one in system.threads()] == ["info@new.example"]
    assert put(system, "info@new.example", OTHER)[0] == 400
    assert put(system, "info@newer.example", OTHER)[0] == 400


def test_the_one_company_gets_no_domain_of_another_company(system: System) -> None:
    system.grant("@globex.example", OTHER)

    assert put(system, "info@globex.example")[0] == 400


def test_of_a_shared_domain_the_one_company_claims_single_addresses(system: System) -> None:
    system.grant("@mail.example", SHARED)

    assert put(system, "shop@mail.example")[0] == 200

    found = claims.found(system.worker.resources.owners.table, [ids.email("shop@mail.example")])
    assert [(one.company_id, one.proof) for one in found.values()] == [(COMPANY, Proof.DEPLOYMENT)]


def test_the_role_permits_the_claim_and_nothing_more(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    observer = CallObserver()
    monkeypatch.setattr(system.interceptor, "observer", observer.note)
    monkeypatch.setattr(
        system.api, "handler", observer.watching("EmailThreadsApi", system.api.handler)
    )
    put(system, "info@new.example")
    of_one = grants_of("EmailThreadsApi", Stage="local", SingleCompany=COMPANY)
    of_several = grants_of("EmailThreadsApi", Stage="local")

    assert missing(of_one, observer.uses["EmailThreadsApi"]) == []
    assert needless(of_one - of_several, observer.uses["EmailThreadsApi"]) == []
    assert of_several < of_one
