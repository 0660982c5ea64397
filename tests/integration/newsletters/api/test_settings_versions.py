"""The settings of a company's model are versions, and outlines and sections name the one they were written with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from newsletters.store import companies
from newsletters.store.items import CompanySettings
from shared.aws.dynamodb import Table
from tests.integration.newsletters.deployment import COMPANY
from tests.simulation.newsletters.system import BEN, MODEL

if TYPE_CHECKING:
    from tests.integration.newsletters.api.author import Author

SETTINGS = "/newsletters/settings"
VERSIONS = f"{SETTINGS}/versions"
OTHER = MODEL | {"temperature": 0.4}


def put(author: Author, **settings: Any) -> Any:
    version = author.do("GET", SETTINGS)["version"]
    return author.do("PUT", SETTINGS, {"version": version, **settings})


def draft(author: Author, settings: dict[str, Any], **more: Any) -> int:
    """Make a version that is not live, and return its number."""
    number: int = author.do("POST", VERSIONS, {"settings": settings, **more})["number"]
    return number


def live(author: Author, number: int, **given: Any) -> Any:
    return author.do("POST", f"{VERSIONS}/{number}/live", given)


def table_of(author: Author) -> Table:
    return Table(author.system.dynamodb, author.system.table)


def numbers(author: Author) -> list[tuple[int, bool]]:
    return [(one["number"], one["is_live"]) for one in author.do("GET", VERSIONS)["versions"]]


def test_a_change_of_the_model_s_settings_is_a_version_and_other_changes_are_none(
    author: Author,
) -> None:
    put(author, ai=MODEL)
    put(author, four_eyes=True)
    put(author, check_claims=True, ai=OTHER)

    assert numbers(author) == [(2, True), (1, False)]
    assert author.do("GET", SETTINGS)["ai_version"] == 2
    shown = author.do("GET", f"{VERSIONS}/2")
    assert shown["compared_with"] == shown["based_on"] == 1
    assert shown["differences"] == [
        {"path": "ai.temperature", "before": None, "after": 0.4},
        {"path": "check_claims", "before": None, "after": True},
    ]


def test_a_draft_changes_nothing_live_until_it_goes_live_and_an_older_version_comes_back(
    author: Author,
) -> None:
    before = put(author, ai=MODEL, four_eyes=True)

    number = draft(author, {"ai": OTHER}, note=" warmer ")

    assert author.do("GET", SETTINGS) == before
    shown = author.do("GET", f"{VERSIONS}/{number}")
    assert (number, shown["note"], shown["is_live"]) == (2, "warmer", False)
    assert live(author, 2) == {"live_version": 2, "before": 1}
    changed = author.do("GET", SETTINGS)
    assert (changed["ai"]["temperature"], changed["four_eyes"]) == (0.4, True)
    assert live(author, 1, instead_of=2) == {"live_version": 1, "before": 2}
    assert author.do("GET", SETTINGS) == before | {"version": 3}


def test_settings_that_were_stored_before_there_were_versions_become_version_1(
    author: Author,
) -> None:
    companies.put_settings(
        table_of(author),
        CompanySettings(
            **CompanySettings.key(COMPANY),
            company_id=COMPANY,
            ai=MODEL,
            updated_at="2026-01-01T00:00:00Z",
            updated_by="user-1",
            version=0,
        ),
    )

    assert draft(author, {"check_claims": True}) == 2
    assert draft(author, {"check_claims": True}) == 3

    assert numbers(author) == [(3, False), (2, False), (1, True)]
    first = author.do("GET", f"{VERSIONS}/1")
    assert (first["by"], first["at"]) == ("user-1", "2026-01-01T00:00:00Z")


def test_an_outline_and_each_section_name_the_version_that_the_model_had(author: Author) -> None:
    author.at("retrieved")
    author.generate("outline")
    put(author, ai=OTHER)
    author.generate("draft")

    shown = author.whole
    assert shown["outline"]["ai_version"] == 1
    assert shown["draft"]["ai_versions"] == dict.fromkeys(shown["draft"]["section_order"], 2)


def test_settings_that_break_a_rule_are_refused_with_their_path_and_store_nothing(
    author: Author,
) -> None:
    put(author, ai=MODEL)

    for settings, field in (
        ({"ai": {"provider": "bedrock"}}, "settings.ai"),
        ({"retrieval": {"retriever": "bedrock"}}, "settings.retrieval"),
        ({"four_eyes": True}, "settings.four_eyes"),
        ({"check_claims": "yes"}, "settings.check_claims"),
    ):
        assert set(author.problems("POST", VERSIONS, {"settings": settings})) == {field}


def test_a_key_of_another_company_and_an_unknown_knowledge_base_are_refused(author: Author) -> None:
    put(author, ai=MODEL)
    key = "parley/local/companies/globex/openai"
    body = {
        "settings": {"ai": {**MODEL, "provider": "openai", "model": "m", "api_key_reference": key}}
    }
    assert author.refused("POST", VERSIONS, body)[0] in {400, 403, 409}
    body = {"settings": {"retrieval": {"retriever": "bedrock", "knowledge_base_id": "ABCDEFGHIJ"}}}
    assert author.refused("POST", VERSIONS, body)[0] in {400, 403, 409}


def test_a_version_does_not_go_live_instead_of_one_that_another_person_made_live(
    author: Author,
) -> None:
    put(author, ai=MODEL)
    put(author, ai=OTHER)
    number = draft(author, {"check_claims": True})
    path = f"{VERSIONS}/{number}/live"

    assert author.refused("POST", path, {"instead_of": 1}) == (409, "other_version_live")
    assert live(author, number, instead_of=2)["live_version"] == number


def test_versions_of_another_company_are_not_found(author: Author) -> None:
    put(author, ai=MODEL)

    more = {"company": "globex", "user": BEN}
    assert author.do("GET", VERSIONS, **more) == {"versions": []}
    assert author.refused("GET", f"{VERSIONS}/1", **more) == (404, "not_found")
    assert author.refused("POST", f"{VERSIONS}/1/live", {}, **more) == (404, "not_found")


def test_an_erased_author_is_named_in_no_version(author: Author) -> None:
    put(author, ai=MODEL)
    put(author, ai=OTHER)
    table = table_of(author)
    by = author.do("GET", f"{VERSIONS}/1")["by"]

    companies.forget_author(table, COMPANY, by, "erased")
    companies.forget_author(table, COMPANY, by, "erased")

    assert {author.do("GET", f"{VERSIONS}/{n}")["by"] for n in (1, 2)} == {"erased"}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"price": {"input": -1, "output": 1}}, "settings.ai.price.input"),
        ({"provider": "bedrock", "temperature": 1.5}, "settings.ai"),
        ({"reasoning": {"effort": "low"}, "temperature": 0.5}, "settings.ai"),
    ],
)
def test_a_price_below_zero_and_what_the_provider_refuses_are_no_version(
    author: Author, change: dict[str, Any], field: str
) -> None:
    body = {"settings": {"ai": {**MODEL, **change}}}

    assert [*author.problems("POST", VERSIONS, body)] == [field]
    assert numbers(author) == []
