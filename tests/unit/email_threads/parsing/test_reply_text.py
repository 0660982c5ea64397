"""The part of a mail that its sender wrote."""

import pytest

from email_threads.parsing.body.reply_text import new_text
from tests.unit.email_threads.samples import sample


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("gmail-reply", "The oak ones, please. Jonas will open the back door … call him first."),
        ("outlook-html-reply", "The VAT number is wrong, please correct it."),
        ("spanish-reply", "Sí, el martes por la tarde. STOP"),
        ("french-reply", "Oui, jeudi matin convient."),
        ("stop-above-a-quote", "STOP"),
        ("bottom-posted", "Green, please."),
        ("mailing-list", "I need about ten.\n\nAnn"),
    ],
)
def test_the_quoted_mail_and_the_signature_are_left_out(name: str, text: str) -> None:
    assert sample(name).new_text == text


def test_the_closing_of_a_letter_is_no_signature() -> None:
    assert sample("outlook-german-reply").new_text.endswith(
        "Mit freundlichen Grüßen\nTobias Krüger"
    )


@pytest.mark.parametrize("name", ["forward", "answers-between-quotes"])
def test_a_forward_and_answers_between_quotes_are_kept_whole(name: str) -> None:
    read = sample(name)

    assert read.new_text == read.text.strip()


def test_a_forward_is_recognised_by_its_prefix_in_many_languages() -> None:
    text = "See below.\n\nFrom: Ann <a@b.example>\nSent: 2 November 2026 15:40\nTo: Bob\nSubject: x\n\nHello"

    for prefix in ("FW", "WG", "VL", "ΠΡΘ", "İLT", "Továbbítás", "הועבר", "转发", "転送", "전달"):
        assert new_text(text, f"{prefix}: x") == text, prefix
    assert new_text(text, "Re: x") == "See below."


def test_vs_is_a_forward_unless_its_quote_is_finnish() -> None:
    assert "Hej" in new_text(
        "Se her.\n\nFra: A <a@x.example>\nSendt: 2. marts 2026 10:14\nEmne: x\n\nHej", "VS: x"
    )
    assert (
        new_text("Sopii.\n\nma 2.3.2026 klo 10.14 A (a@x.example) kirjoitti:\n> Hei", "VS: x")
        == "Sopii."
    )


def test_a_quote_may_begin_behind_its_attribution() -> None:
    text = "Stop\n\n  On Mon, 2 Mar 2026 at 10:14, Shop<shop@x.example> wrote:   Hello\n Our offer"

    assert new_text(text, "Re: x") == "Stop"


def test_in_a_mail_that_answers_none_lines_below_a_colon_are_no_quote() -> None:
    log = "The log says:\n\n> ERROR 500\n> ERROR 501\n\nCan you help?"

    assert new_text(log, "Log", answers_none=True) == log
    assert new_text("Stop\n\nOn Mon, Ann wrote:\n> hello", "x", answers_none=True) == "Stop"
    assert not new_text("> STOP", "x", answers_none=True)


def test_a_forward_without_prefix_is_recognised_by_its_marker() -> None:
    for mark in (
        "Begin forwarded message:",
        "Inicio del mensaje reenviado:",
        "Début du message réexpédié :",
    ):
        text = f"See below.\n\n{mark}\n\n> From: a@b\n> Subject: x\n> \n> Hello"
        assert new_text(text, "For you") == text


@pytest.mark.parametrize(
    "quote",
    [
        "On Mon, Ann wrote:\n> ---------- Forwarded message ---------\n> From: x",
        "On Mon, 2 Nov 2026 at 15:40, Ann wrote:\nHello\n---------- Forwarded message ---------\nFrom: x",
    ],
)
def test_a_reply_to_a_forward_is_no_forward(quote: str) -> None:
    assert new_text(f"Thanks.\n\n{quote}", "Re: Fwd: x") == "Thanks."


@pytest.mark.parametrize(
    "text",
    [
        "Our budget is > 5000 and 3 > 2.",
        "Our budget is\n> 5000 at most",
        "- one\n- two\n-- three",
        "On Monday we wrote: nothing.\nBye",
        "From here on, all is well.",
    ],
)
def test_ordinary_text_is_not_taken_for_a_quote_or_a_signature(text: str) -> None:
    assert new_text(text, "x") == text


def test_a_mail_that_only_quotes_has_no_text_of_its_sender() -> None:
    assert not new_text("On Mon, Ann wrote:\n> hello", "Re: x")
    assert not new_text("> STOP", "Re: x")


def test_a_quote_without_attribution_at_the_end_is_left_out() -> None:
    assert new_text("Yes, please.\n\n> Do you want it?\n> Really?", "Re: x") == "Yes, please."


def test_an_attribution_over_two_lines_is_left_out() -> None:
    text = "Yes.\n\nOn Mon, 2 Nov 2026 at 15:40, Shop Support <support@shop.example>\nwrote:\n\n> Sure?"

    assert new_text(text, "Re: x") == "Yes."


def test_a_quoted_mail_without_marks_that_quotes_another_is_cut_as_a_whole() -> None:
    text = (
        "Done.\n\n-----Original Message-----\nFrom: Ann <a@b.example>\nSent: Monday\nTo: Bob\nSubject: x\n\n"
        "Please do it.\n\n> Who does it?\n> Anyone?\n\nThanks"
    )

    assert new_text(text, "RE: x") == "Done."


def test_the_offset_of_a_marked_quote_is_used_where_the_text_has_no_attribution() -> None:
    assert new_text("Yes.\nSomething that a client quoted", "Re: x", quote_at=5) == "Yes."


def test_a_signature_has_at_most_twelve_lines_and_is_not_the_first_line() -> None:
    long = "\n".join(f"line {number}" for number in range(13))

    assert new_text("Text\n-- \nAnn\nShop", "x") == "Text"
    assert new_text(f"Text\n--\n{long}", "x") == f"Text\n--\n{long}"
    assert new_text("--\nAnn", "x") == "--\nAnn"


def test_a_line_of_many_characters_does_not_hide_the_attribution_below() -> None:
    long = "a " * 5_000

    assert new_text(f"{long}\n\nOn Mon, Ann wrote:\n> hello\n> you", "Re: x") == long.strip()


@pytest.mark.parametrize("footer", ["Holen Sie sich Outlook für Android", "मेरे iPhone से भेजा गया"])
def test_a_footer_with_the_verb_before_or_within_it_is_no_text(footer: str) -> None:
    assert new_text(f"STOP\n\n{footer}\n", "") == "STOP"
    assert new_text(f"{footer}\n", "") == footer
