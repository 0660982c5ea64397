"""An opt-in that only files attest gives way to what the person says, in any order, and is taken back by file."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import boto3
import pytest
from moto import mock_aws

from shared.aws.dynamodb import Table
from shared.identity.keyed_hashes import address_hash
from shared.policy.consent import subscriptions
from shared.policy.consent.attested import EVIDENCE, MOST
from shared.policy.consent.items import Source, State, Statement
from shared.policy.consent.records import Consents
from shared.runtime import clock
from shared.runtime.failures import Transient
from tests.template import create_table

if TYPE_CHECKING:
    from collections.abc import Iterator

NOON = 1_772_452_800_000
ANN = "ann@example.com"
EARLY, LATE, IMPORTED = NOON - 3_000, NOON - 1_000, NOON - 2_000
FIRST, SECOND, THIRD = (f"{one}" * 32 for one in "abc")


companies = (f"company-{number}" for number in itertools.count())


@pytest.fixture(scope="module")
def consents() -> Iterator[Consents]:
    with mock_aws():
        client = boto3.client("dynamodb")
        yield Consents(Table(client, create_table(client, "ConversationLogTable")))


@pytest.fixture
def company(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(clock, "now_ms", lambda: NOON)
    return next(companies)


def of_file(import_id: str, at_ms: int = IMPORTED) -> Statement:
    evidence = EVIDENCE.format(import_id=import_id, source="form")
    return Statement(
        source=Source.OPERATOR, at_ms=at_ms, evidence=evidence, recorded_by="human:kim"
    )


def by_person(at_ms: int, source: Source = Source.LINK) -> Statement:
    return Statement(source=source, at_ms=at_ms, evidence=f"link {at_ms}", channel="email")


def attest(consents: Consents, company: str, import_id: str, at_ms: int = IMPORTED) -> None:
    """As an import does it."""
    newest = consents.standing(company, [ANN], "email").newest
    if newest is None:
        consents.record_opt_in(company, [ANN], of_file(import_id, at_ms), channels=("email",))
    elif newest.is_attested:
        consents.attest_too(newest, of_file(import_id, at_ms))


def take_back(consents: Consents, company: str, import_id: str) -> None:
    evidence = EVIDENCE.format(import_id=import_id, source="")
    consents.take_back_opt_in(company, ANN, "email", evidence)


def is_opted_in(consents: Consents, company: str) -> bool:
    return consents.standing(company, [ANN], "email").is_opted_in


ORDERS = list(itertools.permutations(("import", "opt-out", "import again")))


@pytest.mark.parametrize("channel", ["email", "*"])
@pytest.mark.parametrize("at_ms", [EARLY, LATE])
@pytest.mark.parametrize("order", ORDERS, ids=", ".join)
def test_an_opt_out_of_the_person_counts_before_or_after_the_attested_time_in_any_order(
    consents: Consents,
    company: str,
    order: tuple[str, ...],
    at_ms: int,
    channel: str,
) -> None:
    for event in [*order, "opt-out"]:
        if event == "opt-out":
            consents.record_opt_out(company, [ANN], by_person(at_ms), channels=(channel,))
        else:
            attest(consents, company, FIRST if event == "import" else SECOND)

    standing = consents.standing(company, [ANN], "email")
    assert standing.is_opted_out
    assert standing.newest is not None
    assert standing.newest.evidence == f"link {at_ms}"
    of_list = subscriptions.subscription(consents.table, company, ANN, None)
    assert of_list.is_opted_out


@pytest.mark.parametrize("at_ms", [EARLY, LATE])
def test_an_opt_in_of_the_person_is_kept_when_the_import_is_undone_that_has_attested_it(
    consents: Consents,
    company: str,
    at_ms: int,
) -> None:
    attest(consents, company, FIRST)
    consents.record_opt_in(company, [ANN], by_person(at_ms), channels=("email",))
    take_back(consents, company, FIRST)
    assert is_opted_in(consents, company)


@pytest.mark.parametrize("undone", list(itertools.permutations([FIRST, SECOND, THIRD])))
def test_an_opt_in_of_several_files_ends_when_all_of_them_are_undone(
    consents: Consents,
    company: str,
    undone: tuple[str, ...],
) -> None:
    for one in (FIRST, SECOND, THIRD, SECOND, FIRST):
        attest(consents, company, one)
    for number, one in enumerate(undone, 1):
        take_back(consents, company, one)
        take_back(consents, company, one)  # a repetition
        assert is_opted_in(consents, company) == (number < len(undone))
    assert consents.standing(company, [ANN], "email").newest is None


def test_the_evidence_is_of_an_import_that_is_not_undone(consents: Consents, company: str) -> None:
    attest(consents, company, FIRST, EARLY)
    attest(consents, company, SECOND, LATE)
    take_back(consents, company, FIRST)
    newest = consents.standing(company, [ANN], "email").newest
    assert newest is not None
    assert (newest.evidence, newest.recorded_by) == (f"import {SECOND}: form", "human:kim")
    assert newest.also is None


def test_the_imports_beside_the_first_one_are_bounded(consents: Consents, company: str) -> None:
    for number in range(MOST + 3):
        attest(consents, company, f"{number:032x}")
    newest = consents.standing(company, [ANN], "email").newest
    assert newest is not None
    assert len(newest.also or []) == MOST


def test_a_file_replaces_no_event_that_came_between_its_look_and_its_write(
    consents: Consents,
    company: str,
) -> None:
    consents.record_opt_out(company, [ANN], by_person(EARLY), channels=("email",))
    assert not consents.record_opt_in(company, [ANN], of_file(FIRST), channels=("email",))
    assert consents.standing(company, [ANN], "email").is_opted_out


def test_an_attestation_of_a_record_that_has_changed_meanwhile_is_repeated(
    consents: Consents,
    company: str,
) -> None:
    attest(consents, company, FIRST)
    seen = consents.standing(company, [ANN], "email").newest
    assert seen is not None
    take_back(consents, company, FIRST)
    with pytest.raises(Transient):
        consents.attest_too(seen, of_file(SECOND))
    assert consents.standing(company, [ANN], "email").newest is None


def test_an_opt_out_by_a_signed_link_ends_what_a_file_attests(
    consents: Consents, company: str
) -> None:
    attest(consents, company, FIRST)
    of_ann = address_hash(ANN)
    consents.record_of_hash(company, of_ann, "email", State.OPTED_OUT, by_person(EARLY))
    assert consents.standing(company, [ANN], "email").is_opted_out
