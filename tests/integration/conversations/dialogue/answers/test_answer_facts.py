"""What an answer may repeat: facts, results of functions, what the customer gave; links to allowed hosts only."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.integration.conversations.booking import start_booking
from tests.integration.conversations.steps import (
    function_call,
    model_answer,
    model_says,
    status_of,
    texts_by,
    with_model,
    write,
)

if TYPE_CHECKING:
    from tests.integration.sandbox.receiver import Receiver
    from tests.simulation.conversations.system import System

FIRST = model_answer("Hello Ann, can you start in May?")
PLAIN = "I will find that out for you."


def sent(system: System, ref: str, *answers: str, question: str = "Which shift is it?") -> str:
    """The AI's text that is sent to the customer's *question*, for a model that gives *answers*."""
    model_says(system, *map(model_answer, answers))
    write(system, question, f"m{len(system.log(ref))}")
    return texts_by(system, ref)[-1]


def begin(system: System, **policy: object) -> str:
    with_model(system, FIRST)
    system.change(policy=policy)
    return system.begin("sms")


# Results of functions


def test_a_number_and_an_address_of_a_functions_result_may_be_given(
    system: System, booking_service: Receiver
) -> None:
    booking_service.answer = json.dumps(
        {"slot": {"call": "+442079460123", "mail": "site-7@depot.example", "code": "[Gate] X"}}
    ).encode()
    answer = "Call 020 7946 0123 or write to site-7@depot.example and ask for [Gate] X."
    ref = start_booking(
        system, booking_service, function_call("book_slot", day="Mo"), model_answer(answer)
    )

    write(system, "Monday is fine")

    assert texts_by(system, ref)[-1] == answer
    # A later answer may repeat what was sent.
    assert sent(system, ref, "It is 020 7946 0123.") == "It is 020 7946 0123."


def test_a_link_of_a_functions_result_may_be_given_whole_and_no_other_page_of_its_host(
    system: System, booking_service: Receiver
) -> None:
    booking_service.answer = b'{"page": "https://depot.example/slots/7"}'
    call = function_call("book_slot", day="Mo")
    other = model_answer("Look at https://depot.example/slots/8")
    ref = start_booking(system, booking_service, call, other, model_answer(PLAIN))

    write(system, "Monday is fine")
    assert texts_by(system, ref)[-1] == PLAIN

    answer = model_answer("Look at https://depot.example/slots/7")
    model_says(system, function_call("book_slot", day="Tu"), answer)
    write(system, "Or Tuesday?", "n")
    assert texts_by(system, ref)[-1] == "Look at https://depot.example/slots/7"


def test_an_error_of_a_function_is_no_fact(system: System, booking_service: Receiver) -> None:
    booking_service.answer, booking_service.statuses = b'{"call": "+442079460123"}', [400]
    ref = start_booking(
        system,
        booking_service,
        function_call("book_slot", day="Mo"),
        model_answer("Call 020 7946 0123."),
        model_answer(PLAIN),
    )

    write(system, "Monday is fine")

    assert texts_by(system, ref)[-1] == PLAIN


# Data of the customer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("My new number is 07700 900456", "Thanks, I noted +44 7700 900456."),
        ("Write to Ann.New@mail.example", "Thanks, I noted ann.new@mail.example."),
        ("The token: k3J9-x2m4-77 does not work", "Did you enter the token: k3J9-x2m4-77 twice?"),
    ],
)
def test_a_value_that_the_customer_gave_may_be_repeated(
    system: System, question: str, answer: str
) -> None:
    ref = begin(system)

    assert sent(system, ref, answer, question=question) == answer
    again = f"Once more: {answer}"
    assert sent(system, ref, again) == again


@pytest.mark.parametrize(
    "answer",
    [
        "Call +44 7700 900457.",
        "Write to bob@mail.example.",
        "It costs £31.",
        "It is on 19 April.",
        "I have booked it.",
        "Come to 19 Mill Lane.",
        "Pay to DE02 1203 0000 0000 2020 51.",
        "I am a real person.",
    ],
)
def test_a_value_that_no_one_gave_is_asked_for_again(system: System, answer: str) -> None:
    ref = begin(system)

    assert sent(system, ref, answer, PLAIN) == PLAIN


@pytest.mark.parametrize("answer", ["Your password: hunter22", "The token: k3J9-x2m4-78 is yours."])
def test_a_secret_hands_off_at_once(system: System, answer: str) -> None:
    ref = begin(system)
    model_says(system, model_answer(answer), model_answer(PLAIN))

    write(system, "What is my password?")

    assert status_of(system, ref) == ("handoff_pending", "ai_invalid_output")
    assert len(texts_by(system, ref)) == 1


# After the repair


@pytest.mark.parametrize(
    "faulty",
    [
        "See evil.com",
        "Call +44 7700 900457.",
        "It costs £31.",
        "I have booked it.",
        "Your code is {code}.",
    ],
)
def test_a_fault_that_stays_after_the_repair_is_removed_and_the_rest_is_sent(
    system: System, faulty: str
) -> None:
    ref = begin(system)
    answer = f"A colleague will tell you the shift today. {faulty}"

    assert sent(system, ref, answer, answer) == "A colleague will tell you the shift today."


def test_a_link_that_the_customer_gave_is_not_repeated(system: System) -> None:
    ref = begin(system)

    answer = "No, evil.example is not ours."
    assert sent(system, ref, answer, PLAIN, question="Is evil.example yours?") == PLAIN


# Links


@pytest.mark.parametrize(
    "link",
    [
        "evil.museum", "https:evil.com", "203.0.113.9", "http://[2001:db8::1]/", "[x](https://evil.travel)",
        "xn--e1afmkfd.xn--p1ai", "https://acme.example@evil.com", "EVIL.IT", "ev\u200bil.com",
    ],
)  # fmt: skip
def test_a_link_to_another_host_is_asked_for_again(system: System, link: str) -> None:
    ref = begin(system, link_hosts=["acme.example"])

    assert sent(system, ref, f"See {link}", PLAIN) == PLAIN


def test_links_to_the_hosts_of_the_project_and_its_own_names_are_sent(system: System) -> None:
    ref = begin(system, link_hosts=["WWW.Acme.Example", "*.Bücher.example"])
    system.change(company_name="Jobs.example")

    answer = "Jobs.example: https://acme.example/a.b, https://shop.xn--bcher-kva.example/x"
    assert sent(system, ref, answer) == answer


def test_prices_abbreviations_and_file_names_are_sent(system: System) -> None:
    ref = begin(system)

    answer = "It is £3.50 an hour, e.g. 9.30-17.00, for Node.js. Send cv.pdf by 5.Mai."
    question = "Is it £3.50, from 9.30 to 17.00, and until 5 May?"
    assert sent(system, ref, answer, question=question) == answer


def test_a_second_answer_with_a_foreign_link_is_handed_off(system: System) -> None:
    ref = begin(system)
    model_says(system, model_answer("See evil.com"), model_answer("See evil.net"))

    write(system)

    assert status_of(system, ref)[0] == "handoff_pending"
