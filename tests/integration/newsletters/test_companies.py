"""Settings of companies, and the daily count of their calls of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from newsletters.jobs.failures import StepFailed
from newsletters.jobs.settings import model_of, retrieval_of
from newsletters.store import companies
from newsletters.store.content.newsletters import StaleVersion
from newsletters.store.items import CompanySettings
from shared.aws.dynamodb import Table
from tests.integration.newsletters.deployment import COMPANY, OTHER_COMPANY

if TYPE_CHECKING:
    from tests.integration.newsletters.deployment import Deployment

MODEL = {
    "provider": "openai",
    "model": "gpt-made-up",
    "api_key_reference": "parley/dev/companies/acme/openai",
    "temperature": 0.35,
}


def settings(version: int = 0, **more: Any) -> CompanySettings:
    facts: dict[str, Any] = {"ai": MODEL, "retrieval": {"min_score": 0.125}}
    return CompanySettings(
        **CompanySettings.key(COMPANY),
        company_id=COMPANY,
        updated_at="2026-11-02T12:00:00Z",
        updated_by="api-key:admin",
        version=version,
        **facts | more,
    )


def test_settings_come_back_with_the_numbers_that_were_written(newsletters: Deployment) -> None:
    companies.put_settings(newsletters.table, settings())

    found = companies.get_settings(newsletters.table, COMPANY)

    assert model_of(found).temperature == 0.35
    assert retrieval_of(found).least_score == 0.125
    assert companies.get_settings(newsletters.table, OTHER_COMPANY) is None


@pytest.mark.parametrize("score", [0, 1, 0.5])
def test_whole_numbers_are_scores_too(newsletters: Deployment, score: float) -> None:
    companies.put_settings(newsletters.table, settings(retrieval={"min_score": float(score)}))

    found = companies.get_settings(newsletters.table, COMPANY)

    assert retrieval_of(found).least_score == score


def test_without_settings_documents_are_searched_but_no_model_is_asked() -> None:
    assert retrieval_of(None).retriever == "local"
    with pytest.raises(StepFailed, match="ai_not_configured"):
        model_of(None)


def test_settings_that_became_invalid_fail_with_a_code(newsletters: Deployment) -> None:
    invalid = settings(ai={"provider": "unknown"}, retrieval={"retriever": "unknown"})
    companies.put_settings(newsletters.table, invalid)
    found = companies.get_settings(newsletters.table, COMPANY)

    with pytest.raises(StepFailed, match="ai_not_configured"):
        model_of(found)
    with pytest.raises(StepFailed, match="knowledge_base_refused"):
        retrieval_of(found)


@pytest.mark.parametrize("version", [0, 1])
def test_of_two_writers_of_the_same_settings_the_second_is_refused(
    newsletters: Deployment, version: int
) -> None:
    for before in range(version):
        companies.put_settings(newsletters.table, settings(before))
    written = companies.put_settings(newsletters.table, settings(version, four_eyes=True))

    with pytest.raises(StaleVersion):
        companies.put_settings(newsletters.table, settings(version, four_eyes=False))

    found = companies.get_settings(newsletters.table, COMPANY)
    assert found is not None
    assert (found.version, found.four_eyes) == (written.version, True) == (version + 1, True)


def test_a_write_whose_response_was_lost_counts_as_written(
    newsletters: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = Table.put

    def put_twice(table: Table, item: dict[str, Any], **more: Any) -> None:
        put(table, item, **more)
        put(table, item, **more)  # the SDK's own retry

    monkeypatch.setattr(Table, "put", put_twice)

    assert companies.put_settings(newsletters.table, settings()).version == 1


def test_calls_of_the_model_are_counted_up_to_the_limit_of_the_day(
    newsletters: Deployment,
) -> None:
    for _ in range(3):
        companies.use_ai(newsletters.table, COMPANY, 3)
    with pytest.raises(companies.QuotaUsed):
        companies.use_ai(newsletters.table, COMPANY, 3)
    companies.use_ai(newsletters.table, OTHER_COMPANY, 3)

    newsletters.pass_minutes(12 * 60)  # the next day in UTC

    companies.use_ai(newsletters.table, COMPANY, 3)
    units = {key: item["units"]["N"] for key, item in newsletters.items().items()}
    assert units == {
        (f"NLCOMPANY#{COMPANY}", "AIUSE#20261102"): "3",
        (f"NLCOMPANY#{COMPANY}", "AIUSE#20261103"): "1",
        (f"NLCOMPANY#{OTHER_COMPANY}", "AIUSE#20261102"): "1",
    }


def test_a_limit_of_zero_allows_no_call(newsletters: Deployment) -> None:
    with pytest.raises(companies.QuotaUsed):
        companies.use_ai(newsletters.table, COMPANY, 0)

    assert newsletters.items() == {}
