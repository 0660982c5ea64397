"""Which texts are sent without a person."""

from __future__ import annotations

import pytest

from email_threads.replies.checks.text_checks import Fault, fault_of
from shared.ai.texts.values import amounts_in
from tests.cases import each


def fault(
    text: str, *known: str, hosts: tuple[str, ...] = (), has_files: bool = False
) -> Fault | None:
    return fault_of(text, hosts=hosts, known_texts=known, has_files=has_files)


@each(
    ("text", "expected"),
    [
        ("", "empty_text"),
        (" \n\t", "empty_text"),
        ("a" * 5_001, "text_too_long"),
        ("Hello\x00.", "control_character"),
        ("Pay \u202e005\u202c.", "control_character"),
        ("Dear [Your name],", "placeholder"),
        ("Dear {name},", "placeholder"),
        ("Order XXX is ready.", "placeholder"),
        ("See evil.example/login.", "foreign_link"),
        ("It costs 500 EUR.", "unknown_amount"),
        ("Your code is 48151.", "unknown_number"),
        ("Call 030 123 456.", "unknown_number"),
        ("It is \u0664\u0668\u0661\u0665\u0661\u0666.", "unknown_number"),
        ("The list is attached.", "missing_attachment"),
        ("Anbei die Liste.", "missing_attachment"),
    ],
)
def test_a_text_that_a_person_must_read(text: str, expected: str) -> None:
    assert fault(text) == expected


@pytest.mark.parametrize("text", ["Thank you.", "a" * 5_000, "Grüße\n\n- Wann?", "See [2] above."])
def test_a_plain_text_has_no_fault(text: str) -> None:
    assert fault(text) is None


@pytest.mark.parametrize(
    "text",
    ["On 12.05.2026 at 10:30.", "From 2026-05-12 to 2026-06-01.", "In 2026, 12 chairs, 4711.",
     "Call 030 123456 or 0171-555 12.", "Order 483920, part 2."],
)  # fmt: skip
def test_dates_short_numbers_and_known_numbers_are_no_fault(text: str) -> None:
    assert fault(text, "My order is 483 920.", "Phone (030) 123-456; 0171/55512") is None


def test_a_link_to_a_host_of_the_mailbox_is_allowed() -> None:
    assert fault("See https://shop.example/sizes.", hosts=("shop.example",)) is None


def test_a_link_to_a_host_that_only_ends_like_one_of_the_mailbox_is_foreign() -> None:
    text = "See https://notshop.example/sizes."

    assert fault(text, hosts=("shop.example",)) is Fault.FOREIGN_LINK


def test_an_attachment_may_be_named_if_there_is_one() -> None:
    assert fault("The list is attached.", has_files=True) is None


@each(
    ("text", "amounts"),
    [
        ("It costs $500.", {"500"}),
        ("It costs $ 500 today", {"500"}),
        ("500.00 EUR", {"500"}),
        ("EUR 500,00", {"500"}),
        ("500EUR, EUR600 or 700€", {"500", "600", "700"}),
        ("1.200 €", {"1200"}),
        ("1 200 €", {"1200"}),
        ("1\u00a0200\u00a0€ and 1\u202f300\u202f€", {"1200", "1300"}),
        ("CHF 1'200.50", {"1200.5"}),
        ("$1,234,567.89", {"1234567.89"}),
        ("10 %, 1.5 % or 1,5%", {"10", "1.5"}),
        ("ten percent, 15 percent, 20 Prozent", {"15", "20"}),
        ("200 dollars, 300 Euro, 40 pounds", {"200", "300", "40"}),
        ("500 kr, 70 zł, ₩9,000, Rs. 80, 90 SEK", {"500", "70", "9000", "80", "90"}),
        ("$500, 20 chairs", {"500"}),
        ("$5.", {"5"}),
    ],
)
def test_amounts_are_read_in_several_notations(text: str, amounts: set[str]) -> None:
    assert amounts_in([text]) == amounts


@pytest.mark.parametrize(
    "text",
    ["budget > 5000", "Order 4711", "on 3.11.2026", "10 europallets", "3 PM", "room 12, 14:30"],
)
def test_a_number_without_a_currency_is_no_amount(text: str) -> None:
    assert amounts_in([text]) == set()


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("It costs 500 EUR.", "Is it $500.00?"),
        ("It costs 1.200 €.", "Chairs cost EUR 1,200."),
        ("You get 10%.", "A discount of 10 % is given."),
    ],
)
def test_an_amount_that_is_known_may_be_stated_in_another_notation(text: str, known: str) -> None:
    assert fault(text, known) is None


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("You get 1.5 %.", "A discount of 15 % is given."),
        ("It costs 12.50 EUR.", "Chairs cost 1250 EUR."),
        ("It costs 1\u00a0200 €.", "Chairs cost 200 €."),
        ("It costs 500 EUR.", "budget > 500"),
        ("It costs 500 EUR or 600 EUR.", "Chairs cost 500 EUR."),
    ],
)
def test_another_amount_is_not_known(text: str, known: str) -> None:
    assert fault(text, known) is Fault.UNKNOWN_AMOUNT
