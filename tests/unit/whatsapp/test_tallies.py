"""The counts that a message increments, and their companies."""

from typing import Any

import pytest

from shared.aws.sqs_fifo import to_json
from whatsapp.store.analytics.tallies import (
    Entry,
    Subject,
    Tallies,
    Tally,
    count,
    from_lines,
    to_lines,
    total,
)

ACME = Subject("acme", "102", is_account=True)
GLOBEX = Subject("globex", "302", is_account=True)
SPRING = Subject("acme", "spring", is_account=False)
ACCOUNTS = {"106": ACME, "107": ACME, "306": GLOBEX}


def entry(_: int = 1, status: str | None = "sent", **more: Any) -> Entry:
    """A message; a received one without a status."""
    facts: dict[str, Any] = {"company": "acme", "phone": "106", "is_inbound": status is None}
    return Entry(**{**facts, "status": status, **more})


def counted(*entries: Entry) -> Tallies:
    tallies: Tallies = {}
    count(tallies, entries, ACCOUNTS)
    return tallies


@pytest.mark.parametrize(
    ("status", "counts"),
    [
        ("sent", {"sent": 1}),
        ("delivered", {"sent": 1, "delivered": 1}),
        ("read", {"sent": 1, "delivered": 1, "read": 1}),
        ("failed", {"sent": 1, "failed": 1}),
        (None, {"received": 1}),
    ],
)
def test_a_message_is_counted_up_to_its_status(status: str | None, counts: dict[str, int]) -> None:
    assert counted(entry(status=status))[ACME].maps()["counts"] == counts


def test_a_send_without_a_status_is_not_counted() -> None:
    assert counted(entry(status=None, is_inbound=False)) == {}


def test_messages_are_counted_by_template_category_and_number() -> None:
    tallies = counted(
        entry(1, template="hello", category="marketing"),
        entry(2, "read", template="hello", category="utility", phone="107"),
        entry(3, "failed"),
    )

    assert tallies[ACME].maps() == {
        "counts": {"sent": 3, "delivered": 1, "read": 1, "failed": 1},
        "templates": {"hello": 2},
        "billable": {"marketing": 1, "utility": 1},
        "ad_sources": {},
        "replies": {},
        "phones": {"106": 2, "107": 1},
    }


def test_received_messages_are_counted_by_their_ad_and_by_the_answered_template() -> None:
    tallies = counted(
        entry(1, None, ad_source="ad-7"),
        entry(2, None, ad_source="ad-7", reply_of="hello"),
        entry(3, None),
    )

    assert tallies[ACME].maps() == {
        "counts": {"received": 3, "replied": 1},
        "templates": {},
        "billable": {},
        "ad_sources": {"ad-7": 2},
        "replies": {"hello": 1},
        "phones": {},
    }


def test_a_message_of_a_campaign_counts_for_the_account_and_for_the_campaign() -> None:
    tallies = counted(entry(1, "delivered", campaign="spring"), entry(2))

    assert tallies[ACME].maps()["counts"] == {"sent": 2, "delivered": 1}
    assert tallies[SPRING].maps()["counts"] == {"sent": 1, "delivered": 1}


def test_a_reply_counts_for_the_campaign_that_it_answers_and_not_for_one_of_another_company() -> (
    None
):
    campaign = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    tallies = counted(
        entry(1, None, reply_of=campaign),
        entry(2, None, reply_of="hello"),
        entry(3, None),
        entry(4, None, reply_of=campaign, company="globex", phone="306"),
    )

    assert tallies[Subject("acme", campaign, is_account=False)].counts["replied"] == 1
    assert tallies[ACME].counts["replied"] == 2
    assert tallies[Subject("globex", campaign, is_account=False)].counts["replied"] == 1
    assert len(tallies) == 4


def test_each_company_has_its_own_counts() -> None:
    tallies = counted(entry(1), entry(2, company="globex", phone="306", campaign="spring"))

    assert {of: tally.maps()["counts"] for of, tally in tallies.items()} == {
        ACME: {"sent": 1},
        GLOBEX: {"sent": 1},
        Subject("globex", "spring", is_account=False): {"sent": 1},
    }


@pytest.mark.parametrize(
    "foreign",
    [
        {"company": "globex"},
        {"company": None},
        {"phone": "999"},
        {"phone": None},
        {"company": "globex", "campaign": "spring"},
    ],
)
def test_messages_of_unknown_numbers_or_other_companies_are_not_counted(
    foreign: dict[str, Any],
) -> None:
    assert counted(entry(**foreign)) == {}


def test_a_hundred_names_are_kept_and_the_rest_is_counted_together() -> None:
    entries = [entry(n, template=f"t{n:03d}") for n in range(103)]
    tallies = counted(*entries, entry(200, template="t102"), entry(201, template="t101"))

    names = tallies[ACME].maps(most_names=100)["templates"]

    # The two that are frequent, then by name.
    assert len(names) == 101
    assert (names["t102"], names["t101"], names["t000"], names["__other"]) == (2, 2, 1, 3)
    assert {"t097", "t098", "t099", "t100"} & names.keys() == {"t097"}
    assert sum(names.values()) == 105


def test_a_hundred_names_need_no_other_category() -> None:
    tallies = counted(*(entry(n, template=f"t{n:03d}") for n in range(100)))

    assert "__other" not in tallies[ACME].maps(most_names=100)["templates"]


def test_the_remainder_of_the_hours_is_the_remainder_of_the_day() -> None:
    many = {f"t{n:03d}": 2 for n in range(100)}
    day = total([{"templates": {**many, "__other": 3}}, {"templates": {"late": 1, "__other": 1}}])

    names = day.maps(most_names=100)["templates"]

    assert (len(names), names["__other"], "late" in names) == (101, 5, False)


def test_a_very_long_name_is_cut_so_that_the_item_stays_small() -> None:
    tallies = counted(entry(1, None, ad_source="ä" * 1_000))

    assert tallies[ACME].maps()["ad_sources"] == {"ä" * 128: 1}


def test_hours_add_up_to_a_day() -> None:
    day = total(
        [
            {"counts": {"sent": 2, "read": 1}, "templates": {"hello": 1}},
            {"counts": {"sent": 3}, "templates": {"hello": 2, "bye": 1}},
            {},
        ]
    )

    maps = day.maps()
    assert (maps["counts"], maps["templates"]) == (
        {"sent": 5, "read": 1},
        {"hello": 3, "bye": 1},
    )


def test_a_partial_count_resumes_from_its_serialised_form() -> None:
    first = [entry(n, template=f"t{n}", campaign="spring") for n in range(150)]
    rest = [entry(150, "read", template="t0"), entry(151, None, ad_source="ad-7")]
    halfway = from_lines(to_json(to_lines(counted(*first))))
    count(halfway, rest, ACCOUNTS)

    assert halfway == counted(*first, *rest)
    assert halfway[ACME] != Tally()
