"""The domains of a company's e-mail: DNS records to publish, and what SES sees of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from botocore.exceptions import EndpointConnectionError
from moto import mock_aws

from shared.access.ownership import claims, ids
from shared.access.ownership.claims import SHARED, Proof
from shared.api.auth import Caller
from shared.aws.dynamodb import Table
from shared.providers import dns
from tests.cases import each
from tests.integration.answers import Answer
from tests.integration.console.operations.operations import Operations, operations_on_moto
from tests.integration.console.setup.email_identities import Ses, identity

DOMAIN = "support.acme.example"
OPERATOR = Caller(company="acme", scopes=frozenset({"operator"}), principal="user:otto")
OTHER = Caller(company="globex", scopes=frozenset({"operator"}), principal="user:gia")
SOFTWARE = Caller(company="acme", scopes=OPERATOR.scopes, principal="api-key:1")
ADMIN = Caller(company="acme", scopes=frozenset({"access:admin"}), principal="user:ada")


@pytest.fixture
def operations() -> Iterator[Operations]:
    with mock_aws(), operations_on_moto() as system:
        yield system


@pytest.fixture
def ses(operations: Operations, monkeypatch: pytest.MonkeyPatch) -> Ses:
    made = Ses()
    monkeypatch.setattr(operations.module.identities, "make_client", lambda: made)
    return made


def owners(operations: Operations) -> Table:
    table: Table = operations.module.owners
    return table


def add(operations: Operations, domain: str = DOMAIN, caller: Caller = OPERATOR) -> Answer:
    return operations.post("email-domains", caller, domain=domain)


def shown(operations: Operations, caller: Caller = OPERATOR, domain: str = DOMAIN) -> Answer:
    return operations.get(f"email-domains/{domain}", caller)


def states(answer: Answer) -> dict[str, str]:
    """The state of each kind of record; a kind has one state."""
    return {row["purpose"]: row["state"] for row in answer.result["records"]}


def test_a_new_domain_has_the_records_that_its_owner_publishes(
    operations: Operations, ses: Ses
) -> None:
    added = add(operations)

    assert added.status == 200, added.body
    assert added.result == shown(operations).result
    assert [(one["type"], one["name"], one["value"]) for one in added.result["records"]] == [
        *(
            ("CNAME", f"{key}._domainkey.{DOMAIN}", f"{key}.dkim.eu-west-9.amazonses.com")
            for key in ("t1", "t2", "t3")
        ),
        ("MX", f"bounce.{DOMAIN}", "10 feedback-smtp.us-east-1.amazonses.com"),
        ("TXT", f"bounce.{DOMAIN}", "v=spf1 include:amazonses.com ~all"),
        ("TXT", f"_dmarc.{DOMAIN}", "v=DMARC1; p=quarantine"),
    ]
    assert states(added) == {"dkim": "pending", "mail_from": "pending", "dmarc": "unknown"}
    assert (added.result["identity"], added.result["sends"]) == ("pending", False)
    assert operations.get("email-domains", OPERATOR).result == {
        "domains": [DOMAIN],
        "is_complete": True,
    }


def test_published_records_are_found_and_failed_ones_missing(
    operations: Operations, ses: Ses
) -> None:
    add(operations)

    ses.found[DOMAIN] = identity("SUCCESS")
    verified = shown(operations)
    ses.found[DOMAIN] = identity("FAILED")
    failed = shown(operations)

    assert (verified.result["identity"], verified.result["sends"]) == ("verified", True)
    assert states(verified) == {"dkim": "found", "dmarc": "unknown"}
    assert (failed.result["identity"], states(failed)["dkim"]) == ("failed", "missing")


def test_the_domain_that_the_deployment_receives_has_its_mx_record(
    operations: Operations, ses: Ses, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(operations)
    monkeypatch.setattr(operations.module.domains, "receiving", DOMAIN)

    answer = shown(operations)

    assert answer.result["receives"] is True
    assert answer.result["records"][-1] == {
        "purpose": "receiving",
        "type": "MX",
        "name": DOMAIN,
        "value": "10 inbound-smtp.us-east-1.amazonaws.com",
        "state": "unknown",
    }


def test_policy_and_mx_record_are_looked_up_and_a_policy_holds_for_subdomains(
    operations: Operations, ses: Ses, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(operations)
    monkeypatch.setattr(operations.module.domains, "receiving", DOMAIN)
    zone: dict[tuple[str, str], set[str]] = {}
    monkeypatch.setattr(dns, "published", lambda *asked: frozenset(zone.get(asked, ())))

    before = states(shown(operations))
    zone["_dmarc.acme.example", "TXT"] = {"v=DMARC1; p=reject"}
    zone[DOMAIN, "MX"] = {"10 inbound-smtp.us-east-1.amazonaws.com"}
    after = states(shown(operations))

    assert (before["dmarc"], before["receiving"]) == ("missing", "missing")
    assert (after["dmarc"], after["receiving"]) == ("found", "found")


def test_a_repeated_call_changes_nothing_and_one_that_was_cut_off_is_completed(
    operations: Operations, ses: Ses
) -> None:
    ses.failing["PutEmailIdentityMailFromAttributes"] = "TooManyRequestsException"
    first = add(operations)
    ses.failing.clear()

    second, third = add(operations), add(operations)

    assert first.status == 503
    assert second.result == third.result
    assert states(second)["mail_from"] == "pending"
    assert ses.calls.count("PutEmailIdentityMailFromAttributes") == 2


def test_a_domain_that_ses_knows_already_keeps_its_keys_and_envelope_sender(
    operations: Operations, ses: Ses
) -> None:
    ses.found[DOMAIN] = identity("SUCCESS", SigningAttributesOrigin="EXTERNAL")
    ses.found[DOMAIN]["MailFromAttributes"] = {
        "MailFromDomain": f"mail.{DOMAIN}",
        "MailFromDomainStatus": "SUCCESS",
    }

    answer = add(operations)

    assert states(answer) == {"mail_from": "found", "dmarc": "unknown"}
    assert ses.found[DOMAIN]["MailFromAttributes"]["MailFromDomain"] == f"mail.{DOMAIN}"


def test_a_domain_belongs_to_the_company_that_has_added_it_and_no_other_sees_it(
    operations: Operations, ses: Ses
) -> None:
    add(operations)

    assert claims.holders(owners(operations), [ids.email(f"@{DOMAIN}")]) == {
        ids.email(f"@{DOMAIN}"): "acme"
    }
    refused = add(operations, caller=OTHER)
    assert (refused.status, refused.body["error"]["details"][0]["field"]) == (400, "domain")
    assert shown(operations, OTHER).status == 404
    assert shown(operations, OTHER, "free.example").status == 404
    assert operations.get("email-domains", OTHER).result["domains"] == []


def test_a_subdomain_of_an_own_domain_is_listed_and_one_of_another_companys_is_refused(
    operations: Operations, ses: Ses
) -> None:
    for name, company in (("acme.example", "acme"), ("globex.example", "globex")):
        claimed = claims.new(company, Proof.GRANTED)
        assert claims.claim(owners(operations), ids.email(f"@{name}"), claimed)

    assert add(operations, "news.acme.example").status == 200
    assert add(operations, "news.globex.example").status == 400
    assert operations.get("email-domains", OPERATOR).result["domains"] == ["news.acme.example"]


def test_a_shared_domain_is_refused(operations: Operations, ses: Ses) -> None:
    shared = ids.email("@mailer.example")
    claims.claim(owners(operations), shared, claims.new(SHARED, Proof.GRANTED))

    assert "belongs to a mailbox provider" in str(add(operations, "mailer.example").body)
    assert ses.calls == []


@each(
    "text, rule",
    [
        ("gmail.com", "belongs to a mailbox provider"),
        ("ann@acme.example", "must be a domain"),
        ("acme", "must be a domain"),
        ("", "must be a domain"),
        ("a b.example", "must be a domain"),
        ("https://acme.example", "must be a domain"),
        ("acme.example/a", "must be a domain"),
    ],
)
def test_what_is_no_domain_of_a_company_is_refused_before_anything_is_stored(
    operations: Operations, ses: Ses, text: str, rule: str
) -> None:
    answer = add(operations, text)

    [detail] = answer.body["error"]["details"]
    assert (answer.status, detail["field"]) == (400, "domain")
    assert rule in detail["problem"]
    assert ses.calls == []


def test_another_spelling_is_the_same_domain(operations: Operations, ses: Ses) -> None:
    assert add(operations, " Support.ACME.example. ").result["domain"] == DOMAIN
    assert add(operations, "bücher.example").result["domain"] == "xn--bcher-kva.example"


UNREACHABLE = EndpointConnectionError(endpoint_url="https://email.eu-west-1.amazonaws.com")


@each(
    "call, error, status",
    [
        ("CreateEmailIdentity", "LimitExceededException", 400),
        ("CreateEmailIdentity", "BadRequestException", 400),
        ("CreateEmailIdentity", "TooManyRequestsException", 503),
        ("GetEmailIdentity", "TooManyRequestsException", 503),
        ("CreateEmailIdentity", UNREACHABLE, 503),
        ("GetEmailIdentity", UNREACHABLE, 503),
    ],
)
def test_failures_of_ses_say_whether_a_repeat_can_succeed(
    operations: Operations, ses: Ses, call: str, error: str | Exception, status: int
) -> None:
    ses.failing = {call: error}

    assert add(operations).status == status


def test_a_list_that_ses_refuses_can_be_read_later(operations: Operations, ses: Ses) -> None:
    ses.failing = {"ListEmailIdentities": "TooManyRequestsException"}

    assert operations.get("email-domains", OPERATOR).status == 503


def test_a_list_that_is_cut_says_so(operations: Operations, ses: Ses) -> None:
    ses.is_cut = True

    assert operations.get("email-domains", OPERATOR).result["is_complete"] is False


def test_only_people_who_operate_the_deployment_add_domains(
    operations: Operations, ses: Ses
) -> None:
    assert add(operations, caller=ADMIN).status == 403
    assert add(operations, caller=SOFTWARE).status == 403
    assert ses.calls == []
