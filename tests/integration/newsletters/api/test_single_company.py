"""A deployment that belongs to one company: the template's parameter is the proof for its knowledge bases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shared.access.ownership import claims, ids
from shared.access.ownership.claims import Proof
from shared.aws.dynamodb import Table
from tests.integration.newsletters.api.author import Author
from tests.integration.newsletters.api.test_knowledge_base_owners import FIELD, SETTINGS, settings
from tests.integration.newsletters.api.test_retrieval import BASE
from tests.simulation.kernel import running
from tests.simulation.newsletters.system import COMPANY, System
from tests.simulation.permissions.permissions import CallObserver
from tests.simulation.permissions.role_checks import grants_of, missing, needless

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def _author() -> Iterator[Author]:
    with running(System, SingleCompany=COMPANY) as system:
        yield Author(system)


def test_the_one_company_of_a_deployment_claims_its_knowledge_base(author: Author) -> None:
    author.do("PUT", SETTINGS, settings())

    log = Table(author.system.dynamodb, author.system.log)
    (found,) = claims.found(log, [ids.knowledge_base(BASE)]).values()
    assert (found.company_id, found.proof) == (COMPANY, Proof.DEPLOYMENT)


def test_the_one_company_gets_no_knowledge_base_of_another_company(author: Author) -> None:
    author.system.grant(BASE, "globex")

    assert set(author.problems("PUT", SETTINGS, settings())) == {FIELD}


def test_the_role_permits_the_claim_and_nothing_more(
    author: Author, monkeypatch: pytest.MonkeyPatch
) -> None:
    observer, api = CallObserver(), author.system.api
    monkeypatch.setattr(author.system.interceptor, "observer", observer.note)
    monkeypatch.setattr(api, "handler", observer.watching("NewslettersApi", api.handler))
    author.do("PUT", SETTINGS, settings())
    of_one = grants_of("NewslettersApi", Stage="local", SingleCompany=COMPANY)
    of_several = grants_of("NewslettersApi", Stage="local")

    assert missing(of_one, observer.uses["NewslettersApi"]) == []
    assert needless(of_one - of_several, observer.uses["NewslettersApi"]) == []
    assert of_several < of_one
