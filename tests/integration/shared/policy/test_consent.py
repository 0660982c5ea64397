"""The consent record: which statements count, for any order and repetition of their events."""

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

import boto3
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from moto import mock_aws

from shared.aws.dynamodb import Table
from shared.identity.keyed_hashes import address_hash
from shared.policy.consent import unreachable
from shared.policy.consent.items import Consent, Source, Standing, State, Statement
from shared.policy.consent.records import MOST_ADDRESSES, Consents
from shared.runtime import clock
from tests.template import create_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mypy_boto3_dynamodb import DynamoDBClient

    from shared.aws.dynamodb import Attributes

NOON = 1_772_452_800_000
PHONE, MAIL, SECOND_PHONE = "+447700900123", "ann@example.com", "+447700900456"
companies = (f"company-{number}" for number in itertools.count())


@pytest.fixture(scope="module")
def client() -> Iterator["DynamoDBClient"]:
    with mock_aws():
        yield boto3.client("dynamodb")


@pytest.fixture(scope="module")
def consents(client: "DynamoDBClient") -> Consents:
    return Consents(Table(client, create_table(client, "ConversationLogTable")))


@pytest.fixture
def company() -> str:
    return next(companies)


@pytest.fixture(autouse=True)
def time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now_ms", lambda: NOON)


def said(
    at_ms: int = NOON, source: Source = Source.WORD, by: str | None = "sms", evidence: str = "SM1"
) -> Statement:
    return Statement(source=source, at_ms=at_ms, evidence=evidence, channel=by)


def opted_out(consents: Consents, company: str, addresses: list[str], channel: str) -> bool:
    return consents.standing(company, addresses, channel).is_opted_out


def test_without_a_record_the_customer_has_neither_opted_in_nor_out(
    consents: Consents, company: str
) -> None:
    standing = consents.standing(company, [PHONE], "sms")

    assert standing == Standing()
    assert (standing.is_opted_out, standing.is_opted_in) == (False, False)
    assert not standing.yes_means_start("sms")


def test_a_stop_covers_every_known_address_and_channel(consents: Consents, company: str) -> None:
    assert consents.record_opt_out(company, [PHONE, MAIL], said())

    for address, channel in itertools.product([PHONE, MAIL], ["whatsapp", "sms", "email"]):
        assert opted_out(consents, company, [address], channel)
    assert not opted_out(consents, company, [SECOND_PHONE], "sms")
    assert not opted_out(consents, next(companies), [PHONE], "sms")


def test_an_opt_out_of_one_address_covers_conversations_that_also_know_another_address(
    consents: Consents, company: str
) -> None:
    consents.record_opt_out(company, [MAIL], said(by="email"))

    assert opted_out(consents, company, [PHONE, MAIL], "sms")
    assert not opted_out(consents, company, [PHONE], "sms")


def test_start_lifts_it_for_its_own_address_and_channel(consents: Consents, company: str) -> None:
    consents.record_opt_out(company, [PHONE, MAIL], said(NOON - 10))
    consents.record_opt_in(company, [PHONE], said(NOON - 5), channels=["sms"])

    assert consents.standing(company, [PHONE, MAIL], "sms").is_opted_in
    assert opted_out(consents, company, [PHONE, MAIL], "whatsapp")
    assert opted_out(consents, company, [MAIL, PHONE], "email")
    assert opted_out(consents, company, [SECOND_PHONE, PHONE, MAIL], "sms")


def test_a_start_from_another_address_lifts_no_opt_out_of_this_one(
    consents: Consents, company: str
) -> None:
    consents.record_opt_out(company, [PHONE, SECOND_PHONE], said(NOON - 10))
    consents.record_opt_in(company, [SECOND_PHONE], said(NOON - 5), channels=["sms"])

    assert opted_out(consents, company, [PHONE, SECOND_PHONE], "sms")


def test_a_stop_after_a_start_counts_again(consents: Consents, company: str) -> None:
    consents.record_opt_out(company, [PHONE], said(NOON - 10))
    consents.record_opt_in(company, [PHONE], said(NOON - 5), channels=["sms"])
    consents.record_opt_out(company, [PHONE], said(NOON))

    assert opted_out(consents, company, [PHONE], "sms")


def test_an_opt_out_of_one_channel_leaves_the_others(consents: Consents, company: str) -> None:
    consents.record_opt_out(
        company, [MAIL], said(source=Source.OPERATOR, by=None), channels=["email"]
    )

    assert opted_out(consents, company, [MAIL], "email")
    assert not opted_out(consents, company, [MAIL, PHONE], "sms")
    assert not opted_out(consents, company, [PHONE, MAIL], "sms")


def test_an_operator_can_lift_an_opt_out_on_all_channels(consents: Consents, company: str) -> None:
    consents.record_opt_out(company, [PHONE, MAIL], said(NOON - 10))
    operator = said(NOON, Source.OPERATOR, by=None)
    consents.record_opt_in(company, [PHONE, MAIL], operator, channels=["*"])

    assert consents.standing(company, [PHONE, MAIL], "whatsapp").is_opted_in
    assert consents.standing(company, [MAIL, PHONE], "email").is_opted_in


@pytest.mark.parametrize(
    ("out", "channel", "lifts"),
    [
        (said(), "sms", True),
        (said(), "whatsapp", False),
        (said(by="whatsapp"), "sms", False),
        (said(source=Source.OPERATOR, by=None), "sms", False),
        (said(source=Source.AI), "sms", False),
        (said(source=Source.PROVIDER), "sms", False),
    ],
)
def test_yes_lifts_only_an_opt_out_by_a_word_in_sms(
    consents: Consents, company: str, out: Statement, channel: str, lifts: bool
) -> None:
    consents.record_opt_out(company, [PHONE], out)

    assert consents.standing(company, [PHONE], channel).yes_means_start(channel) is lifts


def test_yes_after_a_lifted_opt_out_changes_nothing(consents: Consents, company: str) -> None:
    consents.record_opt_out(company, [PHONE], said(NOON - 1))
    consents.record_opt_in(company, [PHONE], said(NOON), channels=["sms"])

    assert not consents.standing(company, [PHONE], "sms").yes_means_start("sms")


def test_a_repeated_statement_changes_nothing(consents: Consents, company: str) -> None:
    assert consents.record_opt_out(company, [PHONE, MAIL], said())
    assert not consents.record_opt_out(company, [PHONE, MAIL], said())
    assert consents.record_opt_out(company, [PHONE, MAIL, SECOND_PHONE], said())


def test_an_old_statement_that_arrives_late_changes_nothing(
    consents: Consents, company: str
) -> None:
    consents.record_opt_out(company, [PHONE], said(NOON))

    assert not consents.record_opt_in(company, [PHONE], said(NOON - 1), channels=["*"])
    assert opted_out(consents, company, [PHONE], "sms")


@pytest.mark.parametrize("opt_in_first", [True, False])
def test_of_two_statements_of_the_same_time_the_opt_out_counts(
    consents: Consents, company: str, opt_in_first: bool
) -> None:
    def opt_in() -> None:
        consents.record_opt_in(company, [PHONE], said(evidence="z"), channels=["*", "sms"])

    if opt_in_first:
        opt_in()
    consents.record_opt_out(company, [PHONE], said(evidence="a"))
    if not opt_in_first:
        opt_in()

    assert opted_out(consents, company, [PHONE], "sms")


def test_a_clock_that_is_ahead_does_not_create_a_statement_in_the_future(
    consents: Consents, company: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    year = 365 * 86_400_000
    consents.record_opt_in(company, [PHONE], said(NOON + year), channels=["*"])
    monkeypatch.setattr(clock, "now_ms", lambda: NOON + 1_000)

    consents.record_opt_out(company, [PHONE], said(NOON + 1_000))

    assert opted_out(consents, company, [PHONE], "sms")


def test_items_show_no_address_and_never_expire(consents: Consents, company: str) -> None:
    consents.record_opt_out(company, [PHONE], said())

    item = consents.table.get(Consent.key(company, address_hash(PHONE), "*"))
    assert item == {
        "pk": f"CONSENT#{company}#{address_hash(PHONE)}",
        "sk": "*",
        "company": company,
        "address_hash": address_hash(PHONE),
        "channel": "*",
        "state": "opted_out",
        "at": "2026-03-02T12:00:00.000Z",
        "source": "word",
        "evidence": "SM1",
        "said_by": "sms",
    }


def test_a_standing_is_one_strongly_consistent_read(
    consents: Consents, company: str, client: "DynamoDBClient"
) -> None:
    consents.record_opt_out(company, [MAIL], said())
    calls: list[tuple[str, bytes]] = []
    client.meta.events.register(
        "before-call", lambda model, params, **_: calls.append((model.name, params["body"])), "spy"
    )

    assert opted_out(consents, company, [PHONE, MAIL, MAIL, SECOND_PHONE], "sms")

    client.meta.events.unregister("before-call", unique_id="spy")
    [(name, body)] = calls
    assert name == "BatchGetItem"
    assert b'"ConsistentRead": true' in body


def test_more_addresses_than_one_read_takes_are_refused(consents: Consents, company: str) -> None:
    many = [f"person{number}@example.com" for number in range(MOST_ADDRESSES + 1)]

    assert not opted_out(consents, company, many[:-1], "email")
    for addresses in ([], many):
        with pytest.raises(ValueError, match="addresses"):
            consents.standing(company, addresses, "email")


@pytest.mark.parametrize(("company", "channel"), [("", "sms"), ("a#b", "sms"), ("a", "s#ms")])
def test_keys_with_foreign_separators_are_refused(company: str, channel: str) -> None:
    with pytest.raises(ValueError, match="consent"):
        Consent.key(company, address_hash(PHONE), channel)


# (address, channel, state, ms before noon, evidence)
EVENTS = st.lists(
    st.tuples(
        st.sampled_from([PHONE, MAIL]),
        st.sampled_from(["*", "sms", "email"]),
        st.sampled_from(State),
        st.integers(0, 3),
        st.sampled_from("xyz"),
    ),
    min_size=1,
    max_size=6,
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(events=EVENTS, data=st.data())
@pytest.mark.long
def test_statements_in_any_order_and_repetition_give_the_same_record(
    consents: Consents, events: list[tuple[str, str, State, int, str]], data: st.DataObject
) -> None:
    again = data.draw(st.lists(st.sampled_from(events), max_size=3))
    orders = [events, data.draw(st.permutations([*events, *again]))]

    stood = []
    for order in orders:
        company = next(companies)
        for address, channel, state, age, evidence in order:
            statement = said(NOON - age, evidence=evidence)
            if state is State.OPTED_OUT:
                consents.record_opt_out(company, [address], statement, channels=[channel])
            else:
                consents.record_opt_in(company, [address], statement, channels=[channel])
        stood.append(
            {
                channel: _facts(consents.standing(company, addresses, channel))
                for addresses, channel in (([PHONE, MAIL], "sms"), ([MAIL, PHONE], "email"))
            }
        )

    assert stood[0] == stood[1]


def _facts(standing: Standing) -> tuple[State, str, str] | None:
    newest = standing.newest
    return (newest.state, newest.at, newest.evidence) if newest else None


# A mobile number of Brazil, Mexico, and Argentina, in its normal form and in the other one.
SPELT = [
    ("+5531987654321", "+553187654321"),
    ("+525512345678", "+5215512345678"),
    ("+5491123456789", "+541123456789"),
]
in_both_orders = pytest.mark.parametrize(
    ("said_under", "asked_for"), [pair for spelt in SPELT for pair in (spelt, spelt[::-1])]
)


@in_both_orders
def test_a_statement_under_one_spelling_of_a_number_holds_for_the_other(
    consents: Consents, company: str, said_under: str, asked_for: str
) -> None:
    consents.record_opt_out(company, [said_under], said(NOON - 2))
    stopped = consents.standing(company, [asked_for], "whatsapp")
    consents.record_opt_in(
        company, [asked_for], said(NOON - 1, evidence="SM2"), channels=["whatsapp"]
    )
    started = consents.standing(company, [said_under], "whatsapp")

    assert stopped.is_opted_out
    assert started.is_opted_in


@in_both_orders
def test_a_record_of_an_earlier_release_under_one_spelling_holds_for_the_other(
    consents: Consents, company: str, said_under: str, asked_for: str
) -> None:
    stored = Consent(
        company=company,
        address_hash=address_hash(said_under),
        channel="*",
        state=State.OPTED_OUT,
        at=clock.to_text(NOON - 1),
        source=Source.WORD,
        evidence="SM9",
    )
    key = Consent.key(company, stored.address_hash, "*")
    consents.table.put(key | stored.model_dump(mode="json", exclude_none=True))
    older = consents.record_opt_in(company, [asked_for], said(NOON - 2), channels=["*"])

    assert not older
    assert consents.standing(company, [asked_for], "whatsapp").is_opted_out


@in_both_orders
def test_an_unreachable_number_is_so_in_both_spellings(
    consents: Consents, company: str, said_under: str, asked_for: str
) -> None:
    record = unreachable.Unreachable(reason="21614", at=clock.to_text(NOON), evidence="e")
    unreachable.note(consents.table, company, said_under, "sms", record)
    found = unreachable.of_address(consents.table, company, asked_for, "sms")
    unreachable.clear(consents.table, company, asked_for, "sms", clock.to_text(NOON + 1))

    assert found is not None
    assert found.reason == record.reason
    assert unreachable.of_address(consents.table, company, said_under, "sms") is None


def test_a_number_with_one_spelling_is_read_once(
    consents: Consents, company: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    read = consents.table.get_many

    def get_many(keys: "Sequence[Attributes]") -> "list[Attributes]":
        asked.append(len(keys))
        return read(keys)

    monkeypatch.setattr(consents.table, "get_many", get_many)
    consents.standing(company, [PHONE, MAIL], "sms")

    assert asked == [3]  # the channel of the recipient, and all channels of both
