"""A version of a company's settings tries a step of a newsletter: nothing of the newsletter changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from local.sandbox.accounts.openai import OpenAiAnswer
from newsletters.api.company.tries import playground
from newsletters.store import companies
from shared.ai.spending import ceilings, usage
from shared.aws.dynamodb import Table
from shared.runtime import clock
from tests.integration.newsletters.api.test_settings_versions import OTHER, draft, put, table_of
from tests.integration.newsletters.api.tried_newsletters import (
    GOOD,
    GRANT,
    WRITTEN,
    WRONG,
    answers,
    blocks,
    verdicts,
)
from tests.simulation.invocations import Invocation
from tests.simulation.newsletters.system import BEN, COMPANY, MODEL

if TYPE_CHECKING:
    from shared.ai.retrieval.port import Passage, Query
    from tests.integration.newsletters.api.author import Author

TRY = "/newsletters/settings/playground"
LONG_MS = 9_000  # of one query


def tried(author: Author, **given: Any) -> dict[str, Any]:
    found: dict[str, Any] = author.do(
        "POST", TRY, {"step": "section", "newsletter": WRITTEN} | given
    )
    return found


def test_a_version_writes_a_section_with_all_that_led_to_it(author: Author) -> None:
    put(author, ai=MODEL)
    number = draft(author, {"ai": OTHER})
    answers(author, blocks(GOOD))

    shown = tried(author, version=number)

    assert shown["version"] == number
    assert "40000 USD" in shown["text"]
    assert (shown["findings"], shown.get("failure"), shown["repairs"]) == ([], None, 0)
    [passage] = shown["passages"]
    assert (passage["title"], passage["text"], passage["cited"]) == ("Green Fund", GRANT, True)
    [call] = shown["model_calls"]
    assert GRANT in call["history"][0]
    assert shown["tokens_in"] > 0
    assert float(shown["dollars"]) >= 0
    [body] = [one.body for one in author.system.sandbox.sent if one.provider == "openai"]
    asked: Any = body
    assert asked["temperature"] == OTHER["temperature"]


def test_findings_have_a_severity_and_a_repair_is_in_the_trace(author: Author) -> None:
    put(author, ai=MODEL)
    short = {**WRITTEN, "section": {**WRITTEN["section"], "words": 400}}
    answers(author, blocks(GOOD, "c99"), blocks(WRONG))

    shown = tried(author, newsletter=short)

    assert shown["repairs"] == 1
    assert "breaks these rules" in str(shown["model_calls"][1]["history"])
    found = {one["code"]: one["severity"] for one in shown["findings"]}
    assert found == {"unsupported_number": "warning", "length_off_target": "note"}


def test_the_check_of_claims_is_a_setting_of_the_version_that_is_tried(author: Author) -> None:
    put(author, ai=MODEL)
    answers(author, blocks(GOOD), verdicts("not_contained"))

    shown = tried(author, settings={"check_claims": True})

    assert shown.get("version") is None
    assert [one["code"] for one in shown["findings"]] == ["claim_not_contained"]
    assert len(shown["model_calls"]) == 2
    assert author.do("GET", "/newsletters/settings")["check_claims"] is False


def test_an_answer_that_breaks_the_rules_twice_is_shown_with_its_failure(author: Author) -> None:
    put(author, ai=MODEL)
    answers(author, blocks(GOOD, "c99"), blocks(GOOD, "c98"))

    shown = tried(author)

    assert (shown.get("text"), shown["failure"]) == (None, "draft_invalid")
    assert "c98" in shown["model_calls"][1]["answer"]


@pytest.mark.parametrize("step", ["topics", "outline", "section"])
def test_each_step_of_a_stored_newsletter_is_tried_and_nothing_of_it_changes(
    author: Author, step: str
) -> None:
    author.at("drafted")
    before, units = author.kept(), author.system.rows()
    section = next(one for one in author.whole["outline"]["sections"] if one["kind"] == "main")
    given = {"step": step, "code": author.system.code, "newsletter": None}

    shown = tried(author, **given, **({"section": section["id"]} if step == "section" else {}))

    assert author.kept() == before
    assert author.system.rows() == units
    assert shown.get("failure") is None
    assert shown["passages"]
    if step == "topics":
        assert {one["type"] for one in shown["queries"]} == {
            *author.whole["topics"]["selected_types"]
        }
        assert shown["model_calls"] == []
    else:
        assert "## " in shown["text"]
        assert any(one["cited"] for one in shown["passages"])


def test_a_try_counts_for_the_limits_of_the_company_but_not_for_its_calls_of_the_day(
    author: Author,
) -> None:
    put(author, ai=MODEL, ai_daily_units=0)
    counts = Table(author.system.dynamodb, author.system.spending)
    usage.set_ceilings(counts, COMPANY, {"month_micros": 10**9}, by="a person")
    answers(author, blocks(GOOD))
    tried(author)
    assert ceilings.spent(counts, COMPANY, clock.to_text(author.system.clock.ms)[:10])[1] > 0

    usage.set_ceilings(counts, COMPANY, {"month_micros": 1}, by="a person")
    status, answer = author.call("POST", TRY, {"step": "section", "newsletter": WRITTEN})

    assert (status, answer["error"]["code"]) == (422, "model_unusable")
    assert "spending_limit" in str(answer)


@pytest.mark.parametrize(
    ("refused", "expected"),
    [
        ((503, "server_error"), (503, "model_unavailable")),
        ((401, "invalid_api_key"), (422, "model_unusable")),
    ],
)
def test_a_model_that_does_not_answer_is_told_apart_from_one_that_cannot_be_used(
    author: Author, refused: tuple[int, str], expected: tuple[int, str]
) -> None:
    put(author, ai=MODEL)
    author.system.sandbox.openai.answers.append(OpenAiAnswer(refused=refused))

    assert author.refused("POST", TRY, {"step": "section", "newsletter": WRITTEN}) == expected


def test_a_search_that_takes_too_long_for_a_call_says_so_before_the_call_is_cut_off(
    author: Author, monkeypatch: pytest.MonkeyPatch
) -> None:
    author.at("selected")
    asked: list[str] = []

    class Slow:
        def retrieve(self, company: str, query: Query, *, limit: int) -> list[Passage]:
            assert (company, limit > 0) == (COMPANY, True)
            asked.append(query.text)
            author.system.clock.ms += LONG_MS
            return []

    monkeypatch.setattr(playground, "retriever_for", lambda *_: Slow())

    status, answer = author.call("POST", TRY, {"step": "topics", "code": author.system.code})

    assert (status, answer["error"]["code"]) == (503, "model_unavailable")
    assert "no_time_left" in str(answer)
    assert 0 < len(asked) * LONG_MS <= Invocation.lasts_ms


@pytest.mark.parametrize(
    ("change", "field", "rule"),
    [
        ({"newsletter": None}, "", "either newsletter or code"),
        ({"code": "NL-20260101-AAAA"}, "", "either newsletter or code"),
        ({"newsletter": {"title": "x"}}, "", "newsletter.passages is needed"),
        ({"step": "topics"}, "", "newsletter.selected_types is needed"),
        ({"section": "section-1"}, "", "section must be given"),
        ({"step": "draft"}, "step", "topics"),
        (
            {"newsletter": {**WRITTEN, "passages": [{"topic": "Gossip", "text": "x"}]}},
            "newsletter",
            "information types",
        ),
        ({"settings": {"ai": None}}, "settings.ai", "is needed"),
    ],
)
def test_a_try_without_what_its_step_needs_is_refused_with_field_and_rule(
    author: Author, change: dict[str, Any], field: str, rule: str
) -> None:
    put(author, ai=MODEL)

    found = author.problems("POST", TRY, {"step": "section", "newsletter": WRITTEN} | change)

    assert len(found) == 1
    assert field in next(iter(found))
    assert rule in next(iter(found.values()))


def test_what_is_not_there_is_not_found_and_what_is_too_early_is_refused(author: Author) -> None:
    author.at("selected")
    own = {"code": author.system.code}

    early = author.problems("POST", TRY, {"step": "outline", **own})
    assert early == {"code": "the newsletter has no passages yet"}
    none = author.refused("POST", TRY, {"step": "section", "section": "section-9", **own})
    assert none == (404, "not_found")
    other = {"step": "topics", "code": "NL-20260101-AAAA"}
    assert author.refused("POST", TRY, other) == (404, "not_found")
    assert author.refused("POST", TRY, {"step": "topics", **own, "version": 99}) == (
        404,
        "not_found",
    )
    admin = {"user": BEN, "scopes": "newsletters:admin"}
    assert author.refused("POST", TRY, {"step": "topics", **own}, **admin) == (404, "not_found")
    assert author.refused("POST", TRY, other, scopes="newsletters:write") == (403, "forbidden")


def test_a_key_of_another_company_is_not_used(author: Author) -> None:
    put(author, ai=MODEL)
    foreign = MODEL | {"api_key_reference": "parley/local/companies/globex/openai"}

    found = author.problems(
        "POST", TRY, {"step": "section", "newsletter": WRITTEN, "settings": {"ai": foreign}}
    )

    assert [*found] == ["ai.api_key_reference"]
    assert companies.get_settings(table_of(author), COMPANY)
