"""A knowledge base is searched by the company that owns it: asked for in the settings, and again before each search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from shared.access.ownership.claims import SHARED
from tests.integration.newsletters.api.test_retrieval import BASE, _add, _knowledge_base

if TYPE_CHECKING:
    from tests.integration.newsletters.api.author import Author

SETTINGS = "/newsletters/settings"
FIELD = "retrieval.knowledge_base_id"
RULE = "must be granted by an operator (`operations owners grant`)"
OTHER = "globex"


def settings(**more: Any) -> dict[str, Any]:
    return {"version": 0, "retrieval": {"retriever": "bedrock", "knowledge_base_id": BASE}, **more}


@pytest.mark.parametrize("owner", [None, OTHER])
def test_a_knowledge_base_without_proof_is_refused_alike_with_and_without_an_owner(
    author: Author, owner: str | None
) -> None:
    if owner:
        author.system.grant(BASE, owner)

    assert author.problems("PUT", SETTINGS, settings()) == {FIELD: RULE}
    assert author.do("GET", SETTINGS)["retrieval"] == {"retriever": "local"}


@pytest.mark.parametrize("spelling", [BASE.lower(), f" {BASE}", f"{BASE}\n", "\u041aB12345678"])
def test_no_spelling_names_the_knowledge_base_of_another_company(
    author: Author, spelling: str
) -> None:
    author.system.grant(BASE, OTHER)
    given = settings(retrieval={"retriever": "bedrock", "knowledge_base_id": spelling})

    assert set(author.problems("PUT", SETTINGS, given)) == {FIELD}


def test_a_granted_or_shared_knowledge_base_is_accepted(author: Author) -> None:
    author.system.grant(BASE)
    assert author.do("PUT", SETTINGS, settings())["version"] == 1

    author.system.grant(BASE, SHARED)
    assert author.do("PUT", SETTINGS, settings(version=1))["version"] == 2


def test_a_knowledge_base_that_lost_its_owner_is_not_searched(author: Author) -> None:
    author.at("selected")
    _knowledge_base(author)
    _add(author, 1, "Trial findings show that early sowing helps the harvest.")
    author.system.revoke(BASE)

    ended = author.attempt("topics")

    assert (ended["status"], ended["error_code"]) == ("failed", "knowledge_base_refused")
    assert not [one for one in author.system.sandbox.sent if one.provider == "knowledge_bases"]


def test_a_company_does_not_search_with_settings_that_were_stored_without_proof(
    author: Author,
) -> None:
    author.at("selected")
    _knowledge_base(author)
    author.system.grant(BASE, OTHER)

    assert author.attempt("topics")["error_code"] == "knowledge_base_refused"
