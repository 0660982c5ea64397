"""Which company a secret or an access token belongs to, by its name."""

import pytest

from shared.identity.secret_owners import owns_secret, owns_token
from tests.cases import each


def test_a_company_owns_the_secrets_under_its_own_id() -> None:
    assert owns_secret("acme", "parley/prod/companies/acme/twilio")
    assert owns_secret("ci-aaa.001", "parley/dev/companies/ci-aaa.001/open-ai_2")


@each(
    "name",
    [
        "parley/prod/companies/globex/twilio",
        "parley/prod/companies/acme-2/twilio",
        "parley/prod/companies/acme",
        "parley/prod/companies/acme/",
        "parley/prod/companies/acme/../globex/twilio",
        "parley/prod/companies//acme/twilio",
        "parley/prod/companies/acme-twilio",
        "parley/prod/companies/ACME/twilio",
        "parley/prod/companies/acme/twilio\n",
        "other/parley/prod/companies/acme/twilio",
        "arn:aws:secretsmanager:us-east-1:123456789012:secret:parley/prod/companies/acme/twilio-a1b2c3",
        "parley-prod-twilio-webhook",
        "",
    ],
)
def test_no_other_secret_is_the_companys(name: str) -> None:
    assert not owns_secret("acme", name)


@pytest.mark.parametrize("name", ["acme", "acme/shop"])
def test_a_company_owns_the_tokens_that_begin_with_its_id(name: str) -> None:
    assert owns_token("acme", name)


@pytest.mark.parametrize("name", ["globex", "acme-2", "acme/", "/acme", "globex/acme", "a/b/c", ""])
def test_no_other_token_is_the_companys(name: str) -> None:
    assert not owns_token("acme", name)


def test_the_id_of_a_company_is_no_pattern() -> None:
    assert not owns_secret("a.me", "parley/prod/companies/acme/twilio")
    assert not owns_token("a.me", "acme")
