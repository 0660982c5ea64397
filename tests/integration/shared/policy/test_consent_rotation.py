"""The consent record while the identifier keys rotate: each statement is found, and the newest counts."""

from collections.abc import Iterator

import boto3
import pytest
from moto import mock_aws

from shared.aws.dynamodb import Table
from shared.identity.keyed_hashes import address_hash
from shared.policy.consent.items import Source, Statement
from shared.policy.consent.records import MOST_ADDRESSES, Consents
from shared.runtime import clock
from tests.keyring import Keys, held
from tests.template import create_table

NOON = 1_772_452_800_000
OLD, NEW = Keys("the old key"), Keys("the new key", "the old key")
COMPANY, PHONE, MAIL = "acme", "+447700900123", "ann@example.com"


@pytest.fixture
def consents(monkeypatch: pytest.MonkeyPatch) -> Iterator[Consents]:
    monkeypatch.setattr(clock, "now_ms", lambda: NOON)
    with mock_aws():
        client = boto3.client("dynamodb")
        yield Consents(Table(client, create_table(client, "ConversationLogTable")))


def said(at_ms: int) -> Statement:
    return Statement(source=Source.WORD, at_ms=at_ms, evidence="SM1", channel="sms")


def opt_out(consents: Consents, at_ms: int) -> bool:
    return consents.record_opt_out(COMPANY, [PHONE, MAIL], said(at_ms))


def opt_in(consents: Consents, at_ms: int) -> bool:
    return consents.record_opt_in(COMPANY, [PHONE], said(at_ms), channels=["sms"])


def is_opted_out(consents: Consents, *addresses: str) -> bool:
    return consents.standing(COMPANY, addresses or (PHONE,), "sms").is_opted_out


def test_an_opt_out_is_found_after_the_keys_have_rotated(consents: Consents) -> None:
    with held(OLD):
        opt_out(consents, NOON - 20)
    with held(NEW):
        assert is_opted_out(consents)
        assert is_opted_out(consents, "+447700900999", MAIL)
        assert not is_opted_out(consents, "+447700900999")


def test_an_opt_in_by_the_new_key_lifts_an_opt_out_by_the_old_one(consents: Consents) -> None:
    with held(OLD):
        opt_out(consents, NOON - 20)
    with held(NEW):
        assert opt_in(consents, NOON - 10)
        assert not is_opted_out(consents)


def test_an_opt_out_by_the_new_key_ends_an_opt_in_by_the_old_one(consents: Consents) -> None:
    with held(OLD):
        opt_in(consents, NOON - 20)
    with held(NEW):
        assert opt_out(consents, NOON - 10)
        assert is_opted_out(consents)


def test_a_statement_of_a_function_that_still_uses_the_old_key_counts_by_its_time(
    consents: Consents,
) -> None:
    with held(NEW):
        opt_in(consents, NOON - 20)
    with held(Keys("the old key", "the new key")):
        opt_out(consents, NOON - 10)
    with held(NEW):
        assert is_opted_out(consents)
        opt_in(consents, NOON - 5)
        assert not is_opted_out(consents)


def test_a_late_opt_out_does_not_end_a_newer_opt_in_by_the_old_key(
    consents: Consents,
) -> None:
    with held(OLD):
        opt_in(consents, NOON - 10)
    with held(NEW):
        opt_out(consents, NOON - 20)
        assert not is_opted_out(consents)


def test_a_statement_repeated_after_a_rotation_changes_nothing(consents: Consents) -> None:
    with held(OLD):
        assert opt_out(consents, NOON - 20)
    with held(NEW):
        assert not opt_out(consents, NOON - 20)


def test_two_keys_do_not_lower_the_number_of_addresses_in_a_read(consents: Consents) -> None:
    many = [f"+4477009{number:05}" for number in range(MOST_ADDRESSES - 1)]
    with held(OLD):
        opt_out(consents, NOON - 20)
    with held(NEW):
        assert is_opted_out(consents, *many, MAIL)


def test_no_stored_key_holds_the_plain_hash(consents: Consents) -> None:
    with held(OLD):
        opt_out(consents, NOON - 20)
        by_old = address_hash(PHONE)
    with held(Keys("another key")):
        assert address_hash(PHONE) != by_old
        assert not is_opted_out(consents)
